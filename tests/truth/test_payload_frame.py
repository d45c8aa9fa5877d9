"""A payload means the same body to every part: mass and centre of gravity in the flange frame."""

import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.cli.options import loaded_arm
from armtwin.model.formats.toml import write_toml
from armtwin.recording.recording import Recording
from armtwin.reproduce.energy import test_trajectories as energy_trials
from armtwin.robots.ur.payload import Payload
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.simulation.plant import Plant
from armtwin.validation.efforts import _carrying

MASS, COM = 5.0, (0.01, -0.02, 0.06)
Q = np.array([0.4, -0.9, 0.7, -0.2, 1.1, 2.0])


@pytest.fixture(scope="module")
def arm():
    """Return a UR5e with drives and a tool that is 0.2 m long and turned."""
    tool = np.eye(4)
    tool[:3, :3] = at.fk(at.load("ur5e"), np.zeros(6))[:3, :3]
    tool[:3, 3] = 0.0, 0.03, 0.2
    return at.load("ur5e-energy").with_(tool=tool)


@pytest.fixture(scope="module")
def weight(arm):
    """Return the payload's gravity torque ``-m Jv^T g0`` of its centre beyond the bare flange."""
    centre = np.eye(4)
    centre[:3, 3] = COM
    Jv = at.jacobian(arm.with_(tool=centre), Q)[:3]
    return -MASS * Jv.T @ np.array(arm.gravity)


def test_with_payload(arm, weight):
    """The flange's torque when the arm has a tool, in every convention."""
    for convention in ("standard-dh", "screws", "modified-dh"):
        bare = at.convert(arm.with_(tool=np.eye(4)), convention)
        bare = bare.with_(tool=np.array(bare.tool) @ np.array(arm.tool))
        if convention == "modified-dh":
            assert np.allclose(bare.tool, arm.tool)
        loaded = at.with_payload(bare, MASS, com=COM)
        np.testing.assert_allclose(at.gravity(loaded, Q) - at.gravity(bare, Q), weight, atol=1e-10)


def test_live_payload(arm, weight):
    """The same torque when the payload is set at run time, in mirror and virtual robot."""
    live = Payload(arm)
    live.set(MASS, np.array(COM))
    np.testing.assert_allclose(live.torque(Q, np.zeros(6), np.zeros(6)), weight, atol=1e-10)


def test_virtual_robot(arm, weight):
    """The same torque when a client sets the payload of a virtual robot that holds still."""
    controller = virtual_robot(arm, start=Q).controller
    controller.set_payload(MASS, np.array(COM))
    controller.cycle()
    np.testing.assert_allclose(controller.body.load - at.gravity(arm, Q), weight, atol=1e-9)


def test_dynamic_virtual_robot(arm, weight):
    """The arm holds the payload still when controller and physics carry it at the same place."""
    controller = virtual_robot(arm, body="dynamic", start=Q).controller
    controller.set_payload(MASS, np.array(COM))
    plant = controller.body._coming.result()
    plant.reset(Q, np.zeros(6))
    held = plant.data.qfrc_bias - at.gravity(arm, Q)
    np.testing.assert_allclose(held, weight, atol=1e-9)
    np.testing.assert_allclose(
        controller.payload.torque(Q, np.zeros(6), np.zeros(6)), weight, atol=1e-9
    )


def test_physics_plant(arm, weight):
    """The same torque when MuJoCo carries the payload."""
    bare, loaded = (Plant(a, 1e-3) for a in (arm, at.with_payload(arm, MASS, com=COM)))
    held = []
    for plant in (bare, loaded):
        plant.reset(Q, np.zeros(6))
        held.append(plant.data.qfrc_bias.copy())
    np.testing.assert_allclose(held[1] - held[0], weight, atol=1e-9)


def test_recorded_payload(arm, weight):
    """The same torque when a recording names its payload."""
    names = {"payload": MASS} | {f"payload_cog_{k}": c for k, c in enumerate(COM)}
    columns = {"q": np.tile(Q, (3, 1))} | {name: np.full(3, x) for name, x in names.items()}
    carried, _ = _carrying(arm, Recording.of(np.arange(3.0), columns))
    np.testing.assert_allclose(at.gravity(carried, Q) - at.gravity(arm, Q), weight, atol=1e-10)


def test_command_line(arm, weight, tmp_path, capsys):
    """The same torque when --payload and --com are given, to dynamics and to the other verbs."""
    path = tmp_path / "with_tool.toml"
    path.write_text(write_toml(arm))
    words = ["dynamics", str(path), *map(str, Q), "--json", "--payload", str(MASS)]
    assert run([*words, "--com", *map(str, COM)]) == 0
    answer = json.loads(capsys.readouterr().out)
    np.testing.assert_allclose(answer["gravity"] - at.gravity(arm, Q), weight, atol=1e-9)
    others = loaded_arm(str(path), MASS, " ".join(map(str, COM)))
    np.testing.assert_allclose(at.gravity(others, Q) - at.gravity(arm, Q), weight, atol=1e-9)


def test_identified_payload(arm, weight):
    """The same body found when a payload is weighed from currents of an arm with a tool."""
    truth = at.with_payload(arm, MASS, com=COM)
    recording = energy_trials.trial("A", truth).recording.select("q", "current")
    found = at.identify(arm, recording, method=("payload",))
    assert found.estimate("payload_mass").value == pytest.approx(MASS, rel=0.01)
    centre = [found.estimate(f"payload_{axis}").value for axis in "xyz"]
    np.testing.assert_allclose(centre, COM, atol=0.005)
    again = at.with_payload(arm, found.estimate("payload_mass").value, com=centre)
    np.testing.assert_allclose(at.gravity(again, Q), at.gravity(found.arm, Q), atol=1e-9)
