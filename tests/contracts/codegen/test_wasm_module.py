"""An arm's functions as WebAssembly compute what Python computes, in every engine."""

import dataclasses
import json

import numpy as np
import pytest
import wasm_engines

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.compile.native import toolchain
from armtwin.compile.wasm import module
from armtwin.equations import tunable
from armtwin.equations.dynamics import plant
from armtwin.errors import CompileError, InputError, MissingDataError
from armtwin.model.arm import Friction

pytest.importorskip("ziglang", reason="ziglang is not installed")
pytest.importorskip("wasmtime", reason="wasmtime is not installed")

ARM = "ur5e-energy"
RNG = np.random.default_rng(4)
Q, QD, QDD, TAU, PUSH = (RNG.uniform(-1.5, 1.5, (7, 6)) for _ in range(5))


@pytest.fixture(scope="module")
def made():
    """Return the usual functions of an arm with drives, all numbers as parameters."""
    return at.wasm_module(ARM)


def pushed(arm):
    """Return the accelerations of an arm with friction."""
    return kernel(arm, plant.pushed_plant)(Q, QD, TAU, PUSH)[0]


EXPECTED = {
    "fk": ({"q": Q}, lambda arm: at.fk(arm, Q)),
    "link_poses": ({"q": Q}, lambda arm: at.link_poses(arm, Q)),
    "jacobian": ({"q": Q}, lambda arm: at.jacobian(arm, Q)),
    "inverse_dynamics": (
        {"q": Q, "qd": QD, "qdd": QDD}, lambda arm: at.inverse_dynamics(arm, Q, QD, QDD)
    ),
    "plant": ({"q": Q, "qd": QD, "tau": TAU, "tau_ext": PUSH}, pushed),
    "gravity": ({"q": Q}, lambda arm: at.gravity(arm, Q)),
    "friction": ({"qd": QD, "tau": TAU}, lambda arm: at.friction(arm, QD, TAU)),
    "current": ({"qd": QD, "tau": TAU}, lambda arm: at.motor_current(arm, QD, TAU)),
    "power": ({"qd": QD, "tau": TAU}, lambda arm: at.electric_power(arm, QD, TAU)),
}  # fmt: skip


def assert_same(made, arm, name, values=None):
    """Compare a function in wasmtime with Python's, to 1e-12 of its size."""
    engine = wasm_engines.InWasmtime(made)
    engine.set(values or {})
    inputs, expected = EXPECTED[name]
    wanted = np.asarray(expected(arm)).reshape(len(Q), -1)
    found = next(iter(engine.run(name, inputs).values()))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("name", EXPECTED)
def test_functions_equal_pythons(made, name, in_numpy):
    """Every function gives Python's numbers when the parameters are the arm's own."""
    assert_same(made, at.load(ARM), name)


def test_a_module_without_parameters_is_the_same_arm():
    """Functions give Python's numbers when the arm's numbers are built into the code."""
    fixed = at.wasm_module(ARM, ["fk", "friction"], parameters=())
    assert fixed.to_dict()["parameters"] == []
    for name in ("fk", "friction"):
        assert_same(fixed, at.load(ARM), name)


def with_joint(arm, index, **changes):
    """Return an arm with other numbers of one joint."""
    joints = list(arm.joints)
    joints[index] = dataclasses.replace(joints[index], **changes)
    return arm.with_(joints=tuple(joints))


def other_friction(arm, index, **changes):
    """Return an arm with other friction numbers of one joint."""
    motor = arm.joints[index].drive
    numbers = {**dict(motor.friction.parameters), **changes}
    friction = Friction(motor.friction.model, tuple(numbers.items()), motor.friction.side)
    return with_joint(arm, index, drive=dataclasses.replace(motor, friction=friction))


@pytest.fixture
def in_numpy(monkeypatch):
    """Run Python's side of changed arms in NumPy: compiling each would take seconds."""
    monkeypatch.setenv("ARMTWIN_TARGET", "numpy")


def test_a_payload_is_a_parameter(made, in_numpy):
    """Dynamics equal those of the loaded arm when mass, centre and inertia of a payload are set."""
    moments = (0.02, 0.03, 0.04, 0.001, -0.002, 0.003)
    loaded = at.with_payload(ARM, 3.0, com=(0.01, -0.02, 0.09), inertia=moments)
    axes = ("xx", "yy", "zz", "xy", "xz", "yz")
    values = {"payload_mass": 3.0, "payload_x": 0.01, "payload_y": -0.02, "payload_z": 0.09}
    values |= {f"payload_I{name}": x for name, x in zip(axes, moments, strict=True)}
    for name in ("inverse_dynamics", "plant", "gravity"):
        assert_same(made, loaded, name, values)


def test_geometry_friction_and_gravity_are_parameters(made, in_numpy):
    """Functions equal those of the changed arm when lengths, friction and mounting are set."""
    arm = at.load(ARM)
    longer = with_joint(arm, 1, a=arm.joints[1].a + 2e-3, alpha=arm.joints[1].alpha + 1e-3)
    values = {"a2": longer.joints[1].a, "alpha2": longer.joints[1].alpha}
    for name in ("fk", "link_poses", "jacobian", "inverse_dynamics"):
        assert_same(made, longer, name, values)
    law = dict(arm.joints[0].drive.friction.parameters)
    stiff = other_friction(arm, 0, viscous=2 * law["viscous"])
    for name in ("friction", "plant", "current"):
        assert_same(made, stiff, name, {"viscous1": 2 * law["viscous"]})
    tilted = at.with_mounting(ARM, roll=0.3)
    values = dict(zip(("gx", "gy", "gz"), tilted.gravity, strict=True))
    assert_same(made, tilted, "gravity", values)


def calls():
    """Return a few calls of the loader, and where each is a run its function."""
    batch = [["run", name, {k: x.ravel().tolist() for k, x in EXPECTED[name][0].items()}]
             for name in EXPECTED]  # fmt: skip
    return [*batch, ["set", {"payload_mass": 2.0, "d1": 0.2}], *batch]


def in_wasmtime(made):
    """Return the answers of the calls as wasmtime gives them."""
    engine, found = wasm_engines.InWasmtime(made), []
    for method, *given in calls():
        answer = getattr(engine, method)(*given)
        found.append(answer and {k: y.ravel().tolist() for k, y in answer.items()})
    return found


def test_node_and_wasmtime_give_equal_bits(made):
    """Numbers are the same to the last bit when Node runs the module instead of wasmtime."""
    assert wasm_engines.in_node(made, calls()) == in_wasmtime(made)


def test_inverse_kinematics_of_the_loader(made):
    """The branches are those of ``armtwin.ik`` when the loader chooses among the closed form's."""
    seed = [0.1, -1.2, 1.3, 0.2, 0.5, 0.6]
    T = at.fk(ARM, seed)
    goal, start = T.ravel().tolist(), (np.array(seed) + 0.2).tolist()
    search = {"start": start, "goal": goal}
    found, descent = wasm_engines.in_node(
        made, [["inverse", goal, seed], ["run", "ik_descent", search]]
    )
    expected = at.ik(ARM, T, seed=seed)
    assert len(found) == len(expected.q) == 8
    np.testing.assert_allclose([row["q"] for row in found], expected.q, atol=1e-9)
    assert not any(row["singular"] for row in found)
    np.testing.assert_allclose(descent["q"], seed, atol=1e-9)


def test_any_arm_has_a_descent():
    """A goal is reached on the changed arm when an arm without closed form is calibrated."""
    made = at.wasm_module("desktop5", ["fk", "pose_error"])
    engine = wasm_engines.InWasmtime(made)
    engine.set({"d1": 0.11, "offset2": 0.02})
    start = np.array([0.1, 0.3, -0.4, 0.2, 0.1])
    T = engine.run("fk", {"q": start})["T"]
    found = engine.run("ik_descent", {"start": start + 0.05, "goal": T})
    assert np.abs(found["error"]).max() < 1e-9
    np.testing.assert_allclose(engine.run("fk", {"q": found["q"]})["T"], T, atol=1e-9)
    assert np.abs(at.fk("desktop5", start).ravel() - T).max() > 1e-3


def test_seven_joints_have_a_redundancy():
    """The loader finds the posture itself when the redundancy is the seed's own."""
    made = at.wasm_module("panda", ["fk", "ik"], parameters=())
    seed = [0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.4]
    T = at.fk("panda", seed).ravel().tolist()
    (found,) = wasm_engines.in_node(made, [["inverse", T, seed]])
    np.testing.assert_allclose(found[0]["q"], seed, atol=1e-9)


def test_bound_functions_keep_their_memory(made):
    """A bound function gives the same numbers when memory has grown and parameters have changed."""
    q = Q[:1].ravel().tolist()
    (found,) = wasm_engines.in_node(
        made, [["run", "gravity", {"q": q}]], more=f"""
    const bound = arm.bind("gravity"), q = {q};
    const answer = () => {{ bound.inputs.q.set(q); bound.run(); return [...bound.outputs.g]; }};
    const before = answer();
    arm.run("fk", {{ q: new Float64Array(6 * 50000) }});
    const after = answer();
    arm.set({{ payload_mass: 2 }});
    found.push([before, after, answer(), [...arm.run("gravity", {{ q }}).g]]);
    """)[1:]  # fmt: skip
    before, after, loaded, run = found
    assert before == after != loaded == run
    np.testing.assert_allclose(before, at.gravity(ARM, Q[0]), atol=1e-12 * 100)


def test_the_loader_refuses_what_does_not_fit(made):
    """Errors name the function and the numbers needed when the loader is called wrongly."""
    answers = wasm_engines.in_node(
        made,
        [["run", "fk", {"q": [1, 2, 3]}], ["run", "dance", {}], ["set", {"payload": 1}],
         ["set", {"payload_mass": "heavy"}], ["run", "gravity", {}]],
    )  # fmt: skip
    assert answers == [
        "RangeError: fk: q needs 6 numbers a row",
        "RangeError: the module has no function dance",
        "RangeError: the arm has no parameter payload",
        "RangeError: payload_mass is heavy, not a number",
        "RangeError: gravity: q needs 6 numbers a row",
    ]


def test_manifest_describes_what_is_exported(made):
    """Every function and its constants are exports, with units and meanings, when it is read."""
    about = json.loads(made.manifest)
    exported = set(wasm_engines.InWasmtime(made).instance._exports)
    for entry in about["functions"].values():
        assert {entry["export"], entry["constants"] or "memory", about["heap"]} <= exported
        for port in [*entry["inputs"], *entry["outputs"]]:
            assert port["meaning"] and port["unit"]
            assert port["size"] == int(np.prod(port["shape"], dtype=int))
    groups = {p["group"] for p in about["parameters"]}
    assert groups == set(tunable.GROUPS) - {"presliding"}  # this arm has none
    assert about["functions"]["fk"]["parameters"][:2] == ["a1", "alpha1"]


def test_wrong_code_is_not_returned(monkeypatch, tmp_path):
    """An error names output and function when the compiler's code computes other numbers."""
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path))
    original = module.module_source
    monkeypatch.setattr(
        module, "module_source", lambda *a: original(*a).replace("b0[3][1]", "(b0[3][1] + 1e-9)")
    )
    with pytest.raises(CompileError, match=r"wrong numbers: tool_pose: T\[3\]"):
        at.wasm_module("desktop5", ["fk"], parameters=())


def test_a_module_is_compiled_once(monkeypatch, tmp_path):
    """A second call builds nothing when the cache is whole, and builds again when it is damaged."""
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path))
    first = at.wasm_module("desktop5", ["fk"], parameters=())
    built = []
    monkeypatch.setattr(
        module.toolchain, "compile_source",
        lambda *a, go=toolchain.compile_source: built.append(1) or go(*a),
    )  # fmt: skip
    assert at.wasm_module("desktop5", ["fk"], parameters=()) == first
    assert not built
    for path in tmp_path.glob("*.wasm"):
        path.write_bytes(path.read_bytes()[:-70])
    assert at.wasm_module("desktop5", ["fk"], parameters=()) == first
    assert built


@pytest.mark.parametrize(
    ("arm", "given", "error", "text"),
    [
        ("ur10e", {"equations": ["dance"]}, InputError, "no equation 'dance'; there are fk"),
        ("ur10e", {"equations": "fk"}, InputError, "give a list"),
        ("ur10e", {"equations": []}, InputError, "name at least one"),
        ("ur10e", {"parameters": ["colour"]}, InputError, "no parameters 'colour'"),
        ("desktop5", {"equations": ["ik"]}, InputError, "no exact closed form"),
        ("desktop5", {"equations": ["gravity"]}, MissingDataError, "lacks numbers"),
        ("ur10e", {"equations": ["power"]}, MissingDataError, "motor_constant"),
    ],
)
def test_impossible_modules_are_refused(arm, given, error, text):
    """The error says what exists when a name or an arm does not fit."""
    with pytest.raises(error, match=text):
        at.wasm_module(arm, **given)
