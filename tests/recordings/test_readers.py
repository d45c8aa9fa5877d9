"""Every real recording at hand is read with the columns, units and rows that it has."""

import numpy as np
import pytest
from data_folder import recording_file
from scipy.spatial.transform import Rotation

import armtwin as at
from armtwin.errors import MissingColumnError, RecordingError

RTDE = ("q", "qd", "current", "target_q", "target_qd", "target_qdd", "target_current", "target_tau",
        "position", "rotation_vector", "velocity", "angular_velocity", "wrench")  # fmt: skip

UR5 = "ur5_force/ur5_kkufieta_"
QUINTIC = "ur3e_quintic/quintic_trayectoria_"
SO101 = ("hold_under_gravity", "multisine")

FILES = {
    UR5 + "No1.csv.gz": (2244, 122.1, RTDE),
    UR5 + "No9_ForceSensor.csv.gz": (4296, 125, (*RTDE, "ft_sensor_0", "contact_gt8N")),
    UR5 + "No9_NoDist.csv.gz": (2707, 125, RTDE),
    "ur3e_power/fig9.xlsx": (888, 25, (*RTDE, "joint_voltage", "temperature", "power", "payload")),
    QUINTIC + "137_result.csv": (4218, 502.3, ("q", "qd", "tau")),
    QUINTIC + "294_result.csv": (5936, 501.7, ("q", "qd", "tau")),
    "ur10_ros2_bag/ur10_exciting_trajectory.db3": (3441, 125, ("q", "qd", "tau")),
    "so101/multisine/state_motor.csv": (6000, 49.85, ("q", "qd", "tau")),
    "so101/multisine/control.csv": (6000, 49.85, ("target_q",)),
    "so101/hold_under_gravity/state_motor.csv": (3061, 49.85, ("q", "qd", "tau")),
    "so101/hold_under_gravity/control.csv": (3061, 49.85, ("target_q",)),
}

POSES = {
    "ur10_laser_tracker/Series_B/measurements_joint_configurations.csv": 1495,
    "ur10_laser_tracker/Series_D/measurements_iso_cubes.csv": 632,
    "ur3e_quintic/plan_quintic_trayectoria_137.csv": 150,
    "ur3e_quintic/plan_quintic_trayectoria_294.csv": 150,
}


@pytest.mark.parametrize("name", FILES)
def test_real_recordings_have_their_columns(name):
    """Rows, rate and groups are right, and nothing is lost, when a real recording is read."""
    rows, rate, groups = FILES[name]
    recording = at.read_recording(recording_file(name))
    assert len(recording) == rows
    assert recording.rate == pytest.approx(rate, rel=1e-3)
    assert recording.has(*groups)
    assert recording.dof == 6
    assert not any(np.isnan(values).any() for values in recording.data.values())
    assert not any("cut short" in line for line in recording.notes)


@pytest.mark.parametrize("name", POSES)
def test_real_poses_have_no_clock(name):
    """Joints and poses are there, but no rate, when a file lists poses."""
    recording = at.read_recording(recording_file(name))
    assert len(recording) == POSES[name]
    assert recording.has("q", "position")
    assert not recording.timed


@pytest.mark.parametrize("series", ["B", "D"])
def test_hand_eye_lists_are_read(series):
    """All rows are read when lines end in stray zero bytes."""
    path = recording_file(f"ur10_laser_tracker/Series_{series}/calibration_handeye.csv")
    recording = at.read_recording(path)
    assert len(recording) == {"B": 25, "D": 26}[series]
    assert recording.has("position", "quaternion", "flange_x", "flange_qw")


def test_events_are_no_recording():
    """The columns are listed when a file holds events and no arm."""
    with pytest.raises(MissingColumnError, match="event, timestamp, type"):
        at.read_recording(recording_file("so101/multisine/event.csv"))


@pytest.mark.parametrize("name", ["No1", "No9_ForceSensor", "No9_NoDist"])
def test_ur5_joints_and_poses_belong_together(name):
    """The recorded tool pose is the arm's forward kinematics when the UR5 is read."""
    recording = at.read_recording(recording_file(f"{UR5}{name}.csv.gz"), "ur5")
    T = at.fk(at.load("ur5"), recording.q)
    off = np.linalg.norm(T[:, :3, 3] - recording.group("position"), axis=1)
    assert np.sqrt(np.mean(off**2)) < 2e-6
    turn = np.einsum("nji,njk->nik", T[:, :3, :3], recording.poses()[:, :3, :3])
    cosine = (np.trace(turn, axis1=1, axis2=2) - 1) / 2
    assert np.arccos(np.clip(cosine, -1, 1)).max() < 1e-4


@pytest.mark.parametrize(
    "name",
    ["Series_B/measurements_joint_configurations.csv", "Series_D/measurements_iso_cubes.csv"],
)
def test_laser_tracker_is_in_metres_and_turns_as_the_arm_does(name):
    """Distances and turns between poses agree with the arm when a tracker's angles are read."""
    recording = at.read_recording(recording_file(f"ur10_laser_tracker/{name}"), "ur10")
    measured, model = recording.poses(), at.fk(at.load("ur10"), recording.q, ignore_limits=True)
    turns = [np.einsum("ji,njk->nik", T[0, :3, :3], T[:, :3, :3]) for T in (measured, model)]
    angles = [np.arccos(np.clip((np.trace(R, axis1=1, axis2=2) - 1) / 2, -1, 1)) for R in turns]
    inner = angles[1] < 3.0
    assert np.abs(angles[0] - angles[1])[inner].max() < 0.01
    reach = [np.ptp(T[:, :3, 3], axis=0).max() for T in (measured, model)]
    assert reach[0] == pytest.approx(reach[1], rel=0.5)
    assert recording.has("target_position", "target_rpy")
    assert "decimal commas read as points" in recording.notes


@pytest.mark.parametrize("series", ["B", "D"])
def test_laser_tracker_angles_are_intrinsic_xyz(series):
    """Turns between poses agree with the flange's, and no longer when angles are extrinsic."""
    path = recording_file(f"ur10_laser_tracker/Series_{series}/calibration_handeye.csv")
    columns = {f"r{axis}": {"from": f"measurement_r{axis}", "unit": "deg"} for axis in "xyz"}
    wrong = at.read_recording(path, mapping={"euler": "xyz", "timed": False, "columns": columns})
    right = at.read_recording(path)
    flange = Rotation.from_quat(np.stack([right[f"flange_q{part}"] for part in "xyzw"], axis=1))

    def worst(recording):
        tool = Rotation.from_quat(recording.group("quaternion").copy())
        turns = [[(a[0].inv() * a[k]).magnitude() for k in range(len(a))] for a in (tool, flange)]
        return np.abs(np.subtract(*turns)).max()

    assert worst(right) < 4e-3
    assert worst(wrong) > 0.05


def test_power_is_voltage_times_current():
    """Power is added and plausible when robot voltage and current are recorded."""
    recording = at.read_recording(recording_file("ur3e_power/fig9.xlsx"), "ur3e")
    assert np.array_equal(recording["power"], recording["voltage"] * recording["supply_current"])
    assert 30 < recording["power"].min() < recording["power"].max() < 65
    assert recording.units["power"] == "W"
    assert recording["payload"][0] == pytest.approx(1.07)
    assert len(recording.columns) == 174 - 2 + 1


def test_current_that_is_called_torque_is_renamed_by_a_dialect():
    """Torques become currents when the dialect that says so is named."""
    path = recording_file(QUINTIC + "137_result.csv")
    named = at.read_recording(path, "ur3e", mapping="current-as-tau")
    assert named.has("current") and not named.has("tau")
    assert np.array_equal(named.current, at.read_recording(path).tau)
    assert named.units["current1"] == "A"


@pytest.mark.parametrize("run", [137, 294])
def test_bunched_stamps_are_noted(run):
    """The notes warn of bursts when a file's time stamps are bunched."""
    recording = at.read_recording(recording_file(f"{QUINTIC}{run}_result.csv"))
    assert any("bursts" in line and "prepare it with a rate" in line for line in recording.notes)


def test_runs_of_one_file_are_separate():
    """Twenty-four recordings of 100 Hz come out when a file holds as many runs."""
    path = recording_file("ur3e_quintic/ur3e_nimar13_quintic24_100hz.csv.gz")
    runs = at.read_recordings(path, "ur3e")
    assert len(runs) == 24
    assert sum(map(len, runs)) == 28_877
    assert all(run.rate == pytest.approx(100) and run.has("q", "qd", "current") for run in runs)
    assert np.array_equal(at.read_recording(path, run=70).q, runs[-1].q)
    with pytest.raises(RecordingError, match="24 runs in column 'trajectory'"):
        at.read_recording(path)


def test_bag_decoding_agrees_with_rosbags():
    """Numbers are bit for bit those of rosbags when messages are decoded all at once."""
    from rosbags.rosbag2 import Reader
    from rosbags.typesys import Stores, get_typestore

    path = recording_file("ur10_ros2_bag/ur10_exciting_trajectory.db3")
    store = get_typestore(Stores.ROS2_HUMBLE)
    with Reader(path) as reader:
        states = [store.deserialize_cdr(m, c.msgtype) for c, _, m in reader.messages()]
    recording = at.read_recording(path, "ur10")
    assert np.array_equal(recording.q, [state.position for state in states])
    assert np.array_equal(recording.tau, [state.effort for state in states])
    assert recording.duration == pytest.approx(27.52)


@pytest.mark.parametrize("name", SO101)
def test_servo_command_and_state_share_a_clock(name):
    """Positions follow the commands in radians and seconds when both files are read."""
    state = at.read_recording(recording_file(f"so101/{name}/state_motor.csv"))
    command = at.read_recording(recording_file(f"so101/{name}/control.csv"))
    assert np.allclose(state.time, command.time)
    assert np.abs(state.q - command.group("target_q")).mean() < 0.1
