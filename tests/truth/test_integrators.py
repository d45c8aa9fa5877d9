"""Integrators of the simulated arm: their error, their choice, falls and the error estimate."""

import dataclasses
import json

import numpy as np
import pytest
from benchmarks.integrators import START, reference

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import InputError, UnstableError
from armtwin.model.arm import Drive, Friction
from armtwin.simulation.integrators import choose_integrator
from armtwin.simulation.result import run_simulation

ARM = at.load("ur10e")
FALL = at.Hold(START, seconds=0.5)
FREE = {"controller": at.ZeroTorque(), "sensors": at.Sensors.perfect()}


@pytest.fixture(scope="module")
def truth():
    """The joint vector after half a second of free motion, by DOP853 of our forward dynamics."""
    return reference(ARM, START, 0.5)


@pytest.mark.parametrize(("integrator", "most"), [(None, 1e-9), ("implicitfast", 2e-3)])
def test_free_motion(truth, integrator, most):
    """The default is within 1 nrad of DOP853 when the arm falls; first order is within 2 mrad."""
    fall = at.simulate(ARM, FALL, integrator=integrator, **FREE)
    off = np.abs(fall.q[-1] - truth).max()
    assert off < most
    assert integrator is None or off > 1e-4


def test_order_of_the_integrators(truth):
    """Half the step halves the error of implicitfast and leaves a tenth or less of RK4's."""
    for integrator, steps, least in (
        ("implicitfast", (1e-3, 5e-4), 1.9),
        ("rk4", (2e-3, 1e-3), 10),
    ):
        off = [
            np.abs(
                at.simulate(ARM, FALL, integrator=integrator, clock=at.Clock(500, step), **FREE).q[
                    -1
                ]
                - truth
            ).max()
            for step in steps
        ]
        assert off[0] / off[1] > least, integrator


@pytest.mark.parametrize("integrator", ["implicitfast", "rk4"])
def test_estimate_holds_the_error(truth, integrator):
    """The estimate is above the true error, and not far, when the arm falls with long steps."""
    options = at.SimulateOptions(integrator=integrator, clock=at.Clock(500, 2e-3), **FREE)
    found = run_simulation(ARM, FALL, options=options)
    true = np.abs(found.recording.q[-1] - truth).max()
    assert found.error is not None
    assert 0.95 * true < found.error.joints < 20 * true
    assert found.error.tool > 0


def test_integrator_is_chosen_by_the_plant():
    """RK4 for a plain arm; implicitfast when there are posts or stiff friction."""
    q = np.zeros((1, 6))
    assert choose_integrator(ARM, q) == "rk4"
    assert choose_integrator(ARM, q, [at.Post((1, 1, 1))]) == "implicitfast"
    drive = Drive(friction=Friction("viscous-coulomb", (("viscous", 50.0), ("coulomb", 0.0))))
    stiff = ARM.with_(joints=tuple(dataclasses.replace(j, drive=drive) for j in ARM.joints))
    assert choose_integrator(stiff, q) == "implicitfast"
    assert choose_integrator(stiff, q, (), "rk4") == "rk4"
    with pytest.raises(InputError, match="no integrator 'midpoint'; there are rk4, implicit"):
        choose_integrator(ARM, q, (), "midpoint")


def test_a_fall_must_be_asked_for():
    """A falling arm is unstable under a controller of zero torque, and allowed when it says so."""

    class Weak(at.Controller):
        def torque(self, q, qd, q_ref, qd_ref, qdd_ref, time):
            return np.zeros(6)

    long = at.Hold(START, seconds=1.0)
    with pytest.raises(UnstableError, match="runs away"):
        at.simulate(ARM, long, controller=Weak())
    fall = at.simulate(ARM, long, controller=at.ZeroTorque())
    assert len(fall) == 501 and np.abs(fall.group("target_tau")).max() == 0
    assert np.abs(fall.qd).max() > 3 * 2.1


def test_fall_and_error_on_the_command_line(capsys):
    """Integrator and error estimate are printed when an arm falls on the command line."""
    place = ",".join(str(x) for x in START)
    line = (
        f"simulate ur10e --path hold --points {place} --controller none --seconds 0.3 --noise none"
    )
    assert run([*line.split(), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["integrator"] == "rk4"
    assert 0 < reported["integration_error"]["joints"] < 1e-8
    assert run(line.split()) == 0
    assert "Integration error, estimate" in capsys.readouterr().out
    assert run([*line.split(), "--integrator", "midpoint"]) == 2
    assert "no integrator 'midpoint'" in capsys.readouterr().err
