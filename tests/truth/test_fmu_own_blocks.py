"""A user's own controller and observer as FMUs compute what the class says, or are refused."""

import sys
from pathlib import Path

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run as command_line
from armtwin.errors import InputError
from armtwin.fmu.check.trial import columns, vectors
from armtwin.fmu.export.custom_model import load_custom_block
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_fmu_controller.py"
ARM = at.load("ur10e")


class Momentum(at.CustomBlock):
    """Estimates external torques from the generalized momentum, as a user would write it."""

    inputs = {"q": "q", "qd": "qd", "tau": "tau"}
    outputs = {"r": "tau"}
    parameters = {"gain": ("1/s", [30.0] * 6)}
    memory = {"p_last": ("1", 6), "r_last": "tau", "rest_last": "tau"}

    def law(self, arm, x):
        """Return the residual of the momentum's balance, by the trapezoidal rule."""
        p = arm.mass_matrix(x["q"]) @ x["qd"]
        rest = x["tau"] - arm.gravity(x["q"])
        moved = p - x["p_last"] - x["h"] * 0.5 * (rest + x["rest_last"])
        r = x["r_last"] + x["gain"] * (moved - x["h"] * x["r_last"])
        first = x["h"] > 0
        return {"r": r * first, "p_last": p, "r_last": r * first, "rest_last": rest}


def states(rows=60):
    """Return random states as inputs of the example."""
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-2, 2, (2, rows, 6))
    goal = rng.uniform(-0.6, 0.6, (rows, 3))
    return Signals(0.002 * np.arange(rows), columns(q=q, qd=qd, goal=goal))


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_example_is_its_law(fmi, tmp_path, capsys):
    """The example's FMU gives J'F + g when it is exported from the command line."""
    file = tmp_path / "impedance.fmu"
    words = ["fmu", "export", "ur10e", "--controller", f"{EXAMPLE}:Impedance", "--out", str(file)]
    assert command_line([*words, "--fmi", fmi]) == 0
    assert "Impedance" in capsys.readouterr().out
    inputs = states()
    options = RunFmuOptions(start={"stiffness": 500.0, "payload_mass": 2.0})
    found = vectors(run_fmu(file, inputs, options=options).signals, "tau", 6)
    q, qd, goal = (vectors(inputs, name, n) for name, n in (("q", 6), ("qd", 6), ("goal", 3)))
    J = at.jacobian(ARM, q)[:, :3]
    force = 500.0 * (goal - at.fk(ARM, q)[:, :3, 3]) - 60.0 * np.einsum("nij,nj->ni", J, qd)
    truth = np.einsum("nij,ni->nj", J, force) + at.gravity(at.with_payload(ARM, 2.0), q)
    assert np.abs(found - truth).max() < 1e-10 * np.abs(truth).max()


def test_observer_keeps_its_memory(tmp_path):
    """An own observer's residual rises to a constant external torque when it is sampled."""
    made = at.export_fmu(ARM, tmp_path / "observer.fmu", model=Momentum)
    assert made.model == "Momentum"
    q = np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
    rows, push = 500, np.array([0, 12.0, 0, 0, -3.0, 0])
    still = np.tile(q, (rows, 1))
    tau = np.tile(at.gravity(ARM, q) - push, (rows, 1))
    inputs = Signals(0.002 * np.arange(rows), columns(q=still, qd=0 * still, tau=tau))
    found = vectors(run_fmu(made.path, inputs).signals, "r", 6)
    assert np.abs(found[1]).max() == 0.0
    assert np.allclose(found[-1], push, atol=1e-9)
    at_one = 1 + round(1 / 30.0 / 0.002)
    assert 0.5 < found[at_one, 1] / 12.0 < 0.75


def test_fmpy_accepts_own_blocks(tmp_path):
    """FMPy's validator has nothing to say when it reads an own controller and an own observer."""
    validation = pytest.importorskip("fmpy.validation", reason="FMPy is not installed")
    for own in (load_custom_block(f"{EXAMPLE}:Impedance"), Momentum):
        for fmi in (2, 3, "3-arrays"):
            file = at.export_fmu(ARM, tmp_path / "own.fmu", model=own, fmi=fmi, force=True).path
            assert validation.validate_fmu(str(file)) == []


def changed(**changes):
    """Return a class like a plain controller with some attributes replaced."""
    plain = {
        "inputs": {"q": "q"},
        "outputs": {"tau": "tau"},
        "law": lambda self, arm, x: {"tau": x["q"]},
    }
    return type("Plain", (at.CustomBlock,), plain | changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"inputs": {}}, "give it inputs and outputs"),
        ({"inputs": {"q": "angle"}}, "signal 'q' is 'angle'; give q, qd, qdd, tau"),
        ({"law": lambda self, arm, x: {"torque": x["q"]}}, "expected a dict with tau"),
        ({"law": lambda self, arm, x: {"tau": x["q"][:3]}}, "tau has 3 entries, not 6"),
        ({"law": lambda self, arm, x: {"tau": x["speed"]}}, "law fails in .*KeyError"),
        ({"law": at.CustomBlock.law}, "has no method law"),
    ],
)
def test_laws_that_do_not_fit(changes, words, tmp_path):
    """What is wrong is said when signals or law of an own block do not fit."""
    with pytest.raises(InputError, match=words):
        at.export_fmu(ARM, tmp_path / "x.fmu", model=changed(**changes))
    assert list(tmp_path.iterdir()) == []


def test_foreign_symbols_are_named(tmp_path):
    """A symbol is named when a law makes one of its own."""
    casadi = pytest.importorskip("casadi")
    foreign = changed(law=lambda self, arm, x: {"tau": x["q"] * casadi.SX.sym("guess")})
    with pytest.raises(InputError, match="not given: guess"):
        at.export_fmu(ARM, tmp_path / "x.fmu", model=foreign)


def test_files_that_hold_no_controller(tmp_path):
    """File and class are named when a controller cannot be loaded."""
    file = tmp_path / "law.py"
    file.write_text("import armtwin as at\nclass Good(at.CustomBlock): pass\n", encoding="utf-8")
    with pytest.raises(InputError, match="no class 'Bad'.*it has: Good"):
        load_custom_block(f"{file}:Bad")
    with pytest.raises(InputError, match="give a Python file"):
        load_custom_block(f"{tmp_path}/none.py:Good")
    file.write_text("raise ValueError('broken')\n", encoding="utf-8")
    with pytest.raises(InputError, match="fails when it is loaded: ValueError"):
        load_custom_block(f"{file}:Good")
    assert "armtwin_own_law" not in sys.modules
