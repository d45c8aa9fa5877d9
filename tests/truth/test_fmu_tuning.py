"""Plants with parameters that change while they run: payload, tool, mounting, friction, wrench."""

import ctypes
import dataclasses
import zipfile
from pathlib import Path

import numpy as np
import pytest
from contracts.fmu.test_fmu_instances import derivative, get, put, scalar, started, step, stop
from fmu_files import fmu

import armtwin as at
from armtwin.dynamics.wrenches import forward_dynamics_with_wrench
from armtwin.errors import FmuError
from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.loading.package import Package
from armtwin.model.arm import Drive, Friction

ARM = at.load("ur10e")
Q, QD = np.array([0.3, -1.2, 1.4, -1.6, -1.5, 0.4]), np.array([0.5, -0.4, 0.3, 0.2, -0.6, 0.7])
TAU = np.array([10.0, -60.0, -30.0, 5.0, -3.0, 2.0])
WRENCH = np.array([20.0, -15.0, 30.0, 1.0, -2.0, 0.5])
PAYLOAD = {
    "payload_mass": 4.2, "payload_x": 0.02, "payload_y": -0.03, "payload_z": 0.11,
    "payload_Ixx": 0.03, "payload_Iyy": 0.04, "payload_Izz": 0.02, "payload_Ixy": 0.004,
    "payload_Ixz": -0.003, "payload_Iyz": 0.002,
}  # fmt: skip
LOADED = at.with_payload(
    ARM, 4.2, com=(0.02, -0.03, 0.11), inertia=(0.03, 0.04, 0.02, 0.004, -0.003, 0.002)
)
TOOL = (
    "x", "y", "z", "roll", "pitch", "yaw", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy",
    "wz",
)  # fmt: skip
RATES = [f"der(qd{k})" for k in range(1, 7)]


def numbered(stem, values):
    """Return values by name, ``stem1`` and so on."""
    return {f"{stem}{k}": float(x) for k, x in enumerate(values, 1)}


STATE = numbered("q", Q) | numbered("qd", QD) | numbered("tau", TAU)


def plant(library, **values):
    """Return a plant at the state, in event or step mode, with parameters set there."""
    instance = started(library, **STATE)
    put(instance, **values)
    return instance


def accelerations(fmi, **values):
    """Return the plant's accelerations with parameters and inputs set after initialization."""
    with Library(Package(fmu("forward-dynamics", fmi)), "me") as library:
        instance = plant(library, **values)
        found = get(instance, *RATES)
        stop(instance)
    return found


@pytest.mark.parametrize("fmi", [2, 3])
def test_tuned_payload_is_the_arm_with_that_payload(fmi):
    """Accelerations equal those of at.with_payload when the payload is set after the start."""
    found = accelerations(fmi, **PAYLOAD)
    truth = at.forward_dynamics(LOADED, Q, QD, TAU)
    assert np.abs(found - truth).max() < 1e-10 * np.abs(truth).max()
    assert np.abs(found - at.forward_dynamics(ARM, Q, QD, TAU)).max() > 1.0


@pytest.mark.parametrize("fmi", [2, 3])
def test_wrench_at_the_tool(fmi):
    """Accelerations equal those of the library when a wrench acts on a tuned tool."""
    names = ("fx", "fy", "fz", "nx", "ny", "nz")
    tool = {"tool_x": 0.02, "tool_y": 0.01, "tool_z": 0.15, "tool_roll": 0.4}
    found = accelerations(fmi, **tool, **dict(zip(names, WRENCH.tolist(), strict=True)))
    arm = ARM.with_(tool=at.pose([0.02, 0.01, 0.15], rpy=[0.4, 0, 0]))
    truth = forward_dynamics_with_wrench(arm, Q, QD, TAU, WRENCH)
    assert np.abs(found - truth).max() < 1e-10 * np.abs(truth).max()


def test_tuned_mounting_and_friction():
    """Accelerations equal those of a wall-mounted arm with friction when both are set."""
    wall = at.with_mounting(ARM, roll=np.pi / 2)
    law = Friction("viscous-coulomb", (("viscous", 3.0), ("coulomb", 4.0), ("smoothing", 0.01)))
    joints = tuple(dataclasses.replace(j, drive=Drive(friction=law)) for j in ARM.joints)
    rubbing = wall.with_(joints=joints)
    values = dict(zip(("gx", "gy", "gz"), wall.gravity, strict=True))
    values |= numbered("viscous", [3.0] * 6) | numbered("coulomb", [4.0] * 6)
    found = accelerations(2, **values)
    truth = at.forward_dynamics(wall, Q, QD, TAU - at.friction(rubbing, QD, TAU))
    assert np.abs(found - truth).max() < 1e-10 * np.abs(truth).max()


def test_tool_pose_and_twist_of_a_plant():
    """Pose and twist equal fk and J qd when the tool is tuned."""
    arm = ARM.with_(tool=at.pose([0.02, 0.01, 0.15], rpy=[0.4, 0.1, -0.2]))
    tool = {"tool_x": 0.02, "tool_y": 0.01, "tool_z": 0.15}
    tool |= {"tool_roll": 0.4, "tool_pitch": 0.1, "tool_yaw": -0.2}
    with Library(Package(fmu("forward-dynamics", 2)), "cs") as library:
        instance = plant(library, **tool)
        found = get(instance, *TOOL)
        stop(instance)
    where = at.tool_coordinates(arm, Q)
    truth = [*where.position, *where.rpy, *where.quaternion, *(at.jacobian(arm, Q) @ QD)]
    assert np.abs(found - truth).max() < 1e-13


@pytest.mark.parametrize("fmi", [2, 3])
def test_change_between_steps_acts_from_the_next(fmi):
    """A plant moves as one that began there when its payload changes between two steps."""
    names = [*numbered("q", Q), *numbered("qd", Q)]
    with Library(Package(fmu("forward-dynamics", fmi)), "cs") as library:
        instance = plant(library)
        step(instance, 0.0)
        before = get(instance, *names)
        put(instance, **PAYLOAD)
        assert (get(instance, *names) == before).all()
        step(instance, 0.002)
        begun = STATE | dict(zip(names, before.tolist(), strict=True)) | PAYLOAD
        other, empty = started(library, **begun), started(library, **begun)
        put(empty, payload_mass=0.0)
        for one in (other, empty):
            step(one, 0.0)
        moved, same, bare = (get(one, *names) for one in (instance, other, empty))
        stop(instance), stop(other), stop(empty)
    assert np.abs(moved - same).max() < 1e-14
    assert np.abs(moved - bare).max() > 1e-4


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("payload_mass", -0.1, "discard.*payload_mass is set to a value outside of its range"),
        ("payload_mass", float("nan"), "error.*payload_mass is set to no number"),
        ("payload_Iyy", -1e-6, "discard.*payload_Iyy"),
        ("coulomb2", -1.0, "discard.*coulomb2"),
        ("smoothing3", 0.0, "discard.*smoothing3"),
    ],
)
def test_values_that_no_arm_has(fmi, name, value, words):
    """The call fails, says why and changes nothing when a parameter is out of its range."""
    with Library(Package(fmu("forward-dynamics", fmi)), "cs") as library:
        instance = plant(library, payload_mass=1.5)
        before = get(instance, name)
        with pytest.raises(FmuError, match=words):
            put(instance, **{name: value})
        assert get(instance, name) == before
        step(instance, 0.0)
        stop(instance)


def test_inertia_of_no_rigid_body():
    """A step fails and says why when products of inertia make a principal moment negative."""
    with Library(Package(fmu("forward-dynamics", 2)), "cs") as library:
        instance = plant(library, **(PAYLOAD | {"payload_Ixy": 0.05}))
        with pytest.raises(FmuError, match="negative principal moment"):
            step(instance, 0.0)
        put(instance, payload_Ixy=0.0)
        step(instance, 0.0)
        stop(instance)


def test_derivatives_by_payload_and_wrench():
    """Directional derivatives equal differences when taken by payload and wrench."""
    with Library(Package(fmu("forward-dynamics", 3)), "me") as library:
        instance = plant(library, **PAYLOAD)
        for known, h in (("payload_mass", 1e-4), ("payload_Ixx", 1e-5), ("fz", 1e-2)):
            found, at_now, sides = derivative(instance, RATES, known), get(instance, known)[0], []
            for sign in (1, -1):
                put(instance, **{known: at_now + sign * h})
                sides.append(get(instance, *RATES))
            put(instance, **{known: at_now})
            differences = (sides[0] - sides[1]) / (2 * h)
            assert np.abs(found - differences).max() < 1e-5 * max(1, np.abs(differences).max())
        stop(instance)


def test_fmpy_runs_arrays_as_scalars():
    """FMPy gets the motion of the scalar form when vectors are arrays and a payload is set."""
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    how = {"stop_time": 0.02, "step_size": 0.002, "output_interval": 0.002}
    file, start = str(fmu("forward-dynamics", 3)), STATE | PAYLOAD
    plain = fmpy.simulate_fmu(file, start_values=start, output=list(STATE)[:12], **how)
    start = {"q": Q, "qd": QD, "tau": TAU, "payload_mass": 4.2}
    start |= {"payload_com": (0.02, -0.03, 0.11)}
    start |= {"payload_inertia": (0.03, 0.04, 0.02, 0.004, -0.003, 0.002)}
    text = {name: " ".join(map(str, np.atleast_1d(value))) for name, value in start.items()}
    file = str(fmu("forward-dynamics", "3-arrays"))
    arrays = fmpy.simulate_fmu(file, start_values=text, output=["q", "qd"], **how)
    together = np.hstack([arrays["q"], arrays["qd"]])
    apart = np.column_stack([plain[name] for name in list(STATE)[:12]])
    assert np.ptp(apart[:, 1]) > 1e-3
    assert (together == apart).all()


def test_derivatives_of_arrays():
    """One call gives the derivatives of a whole array when both sides are arrays."""
    with Library(Package(fmu("forward-dynamics", "3-arrays")), "me") as library:
        instance = started(library)
        unknown = ctypes.c_uint32(scalar(instance, "der(qd)").reference)
        known = ctypes.c_uint32(scalar(instance, "tau").reference)
        size, found = ctypes.c_size_t, (ctypes.c_double * 6)()
        seed = (ctypes.c_double * 6)(0, 1, 0, 0, 0, 0)
        one, six = size(1), size(6)
        pointers = ctypes.byref(unknown), one, ctypes.byref(known), one
        instance.call("GetDirectionalDerivative", *pointers, seed, six, found, six)
        with pytest.raises(FmuError, match="arrays of different sizes"):
            instance.call("GetDirectionalDerivative", *pointers, seed, size(5), found, six)
        stop(instance)
    truth = np.linalg.inv(at.mass_matrix(ARM, np.zeros(6)))[:, 1]
    assert np.abs(np.array(found) - truth).max() < 1e-10 * np.abs(truth).max()


@pytest.mark.parametrize("fmi", [3, "3-arrays"])
@pytest.mark.parametrize("model", ["forward-dynamics", "computed-torque"])
def test_terminals_keep_the_schema(model, fmi):
    """Terminals name variables of the model when the standard's schema reads them."""
    fmpy = pytest.importorskip("fmpy", reason="FMPy ships the standard's schemas")
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
    file = fmu(model, fmi)
    with zipfile.ZipFile(file) as archive:
        read = etree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
        assert archive.read("terminalsAndIcons/icon.png").startswith(b"\x89PNG")
    schema = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"
    etree.XMLSchema(etree.parse(str(schema))).assertValid(read)
    names = {member.get("variableName") for member in read.iter("TerminalMemberVariable")}
    assert names <= {s.name for s in Package(file).interface.scalars}
    terminals = {terminal.get("name") for terminal in read.iter("Terminal")}
    tool = "tool" if model == "forward-dynamics" else "reference"
    assert terminals == {"joints", tool}
