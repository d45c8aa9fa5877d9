"""The same motion is read from every kind of file and every style of header."""

from contextlib import nullcontext

import numpy as np
import pytest
from table_files import ROWS, UR, motion, write_bag, write_table, write_xlsx

import armtwin as at
from armtwin.errors import MissingColumnError, RecordingError, UnitWarning

T, Q, QD = motion()
JOINTS = range(1, 7)
Q_NAMES = [f"q{k}" for k in JOINTS]
TOLERANCE = 1e-12


def check(recording, speeds=False):
    """Assert that a recording holds the motion."""
    assert len(recording) == ROWS
    assert np.allclose(recording.time - recording.time[0], T, rtol=0, atol=3e-7)
    assert np.allclose(recording.q, Q, rtol=0, atol=TOLERANCE)
    assert recording.units["q1"] == "rad"
    if speeds:
        assert np.allclose(recording.qd, QD, rtol=0, atol=TOLERANCE)


LAYOUTS = {
    "comma": {},
    "semicolon": {"delimiter": ";"},
    "tab": {"delimiter": "\t"},
    "blank": {"delimiter": " "},
    "padded blanks": {"delimiter": "   "},
    "decimal comma": {"delimiter": ";", "decimal": ","},
    "tab and decimal comma": {"delimiter": "\t", "decimal": ","},
    "line ends of Windows": {"end": "\r\n"},
    "mark of byte order": {"before": "\ufeff"},
    "comments before": {"before": "# robot: UR10e\n# run 7\n\n"},
    "commented header": {"before": "# "},
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_of_text_is_read(layout, tmp_path):
    """The motion is found when the text is delimited and written in this way."""
    path = write_table(tmp_path / "run.csv", ["time", *Q_NAMES], [T, *Q.T], **layout)
    check(at.read_recording(path))


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8"])
def test_every_encoding_is_read(encoding, tmp_path):
    """Degrees are seen in the header when the sign for them is written in this encoding."""
    names = ["time", *(f"Joint {k} [°]" for k in JOINTS), ""]
    path = write_table(tmp_path / "run.csv", names, [T, *np.rad2deg(Q).T, np.arange(ROWS)])
    path.write_bytes(path.read_bytes().decode().encode(encoding))
    check(at.read_recording(path))


NAMES = {
    "report": (["time"], "q{joint}"),
    "report with blanks": ([" Time"], " q_{joint}"),
    "rtde": (["timestamp"], "actual_q_{index}"),
    "ros names": (["time"], "{name}"),
    "ros positions": (["time"], "position_{name}"),
    "ros names first": (["time"], "{name}_position"),
    "plot tool": (["__time"], "/joint_states/{name}/position"),
    "ros 1 echo": (["%time"], "field.position{index}"),
    "array": (["t"], "position[{index}]"),
    "words": (["Time [s]"], "Joint {joint} [rad]"),
    "camel case": (["timeStamp"], "jointPosition{joint}"),
    "short": (["t"], "J{joint}"),
    "angles": (["elapsed"], "theta_{joint}"),
}


@pytest.mark.parametrize(("time", "pattern"), NAMES.values(), ids=NAMES)
def test_every_style_of_header_is_recognised(time, pattern, tmp_path):
    """The joints are found in order when headers are written in this style."""
    names = [pattern.format(joint=k, index=k - 1, name=UR[k - 1]) for k in JOINTS]
    shuffled = [3, 0, 5, 1, 4, 2]
    columns = [Q[:, k] for k in shuffled]
    path = write_table(tmp_path / "run.csv", [*time, *(names[k] for k in shuffled)], [T, *columns])
    check(at.read_recording(path))


def test_speeds_torques_currents_and_targets_are_distinguished(tmp_path):
    """Each quantity gets its own columns when a file holds them all."""
    kinds = {"qd": "dq_{}", "tau": "joint{}_effort", "current": "motor_current_{}",
             "target_q": "q_des_{}", "target_tau": "cmd torque {}"}  # fmt: skip
    names = ["time", *Q_NAMES]
    columns = [T, *Q.T]
    for number, pattern in enumerate(kinds.values(), 1):
        names += [pattern.format(k) for k in JOINTS]
        columns += list((Q * number).T)
    recording = at.read_recording(write_table(tmp_path / "run.csv", names, columns))
    for number, kind in enumerate(kinds, 1):
        assert np.allclose(recording.group(kind), Q * number)


def test_tool_columns_are_recognised(tmp_path):
    """Position, angles, quaternion and force are found when headers name them."""
    names = ["time", *Q_NAMES, "TCP_x", "tcp_y", "Posicion_Z", "Roll", "Pitch", "Yaw",
             "quat_x", "quat_y", "quat_z", "quat_w", "force_x", "Fy", "wrench_force_z"]  # fmt: skip
    quaternion = np.tile([0.5, -0.5, 0.5, -0.5], (ROWS, 1))
    columns = [T, *Q.T, *Q[:, :3].T, *Q[:, 3:].T, *quaternion.T, *Q[:, :3].T]
    recording = at.read_recording(write_table(tmp_path / "run.csv", names, columns))
    assert np.allclose(recording.group("position"), Q[:, :3])
    assert np.allclose(recording.group("rpy"), Q[:, 3:])
    assert np.allclose(recording.group("quaternion"), -quaternion)
    assert np.allclose(recording.group("force"), Q[:, :3])
    assert any("changed sign" in line for line in recording.notes)


def test_bracketed_lists_are_read(tmp_path):
    """Lists in cells become joints when time is in microseconds beside them."""
    rows = [
        f'STATE,{1e6 * t},"[{", ".join(map(repr, q.tolist()))}]","{qd.tolist()}","{q.tolist()}"'
        for t, q, qd in zip(T, Q, QD, strict=True)
    ]
    path = tmp_path / "state.csv"
    path.write_text("\r\n".join(["type,timestamp,positions,velocities,torques", *rows]))
    check(at.read_recording(path), speeds=True)


@pytest.mark.parametrize(
    ("header", "scale"),
    [("time_ms", 1e3), ("time [us]", 1e6), ("stamp_ns", 1e9), ("timestamp", 1e6), ("t", 1e3)],
)
def test_time_is_converted(header, scale, tmp_path):
    """Time is in seconds when the header, or else the step, gives another unit."""
    path = write_table(tmp_path / "run.csv", [header, *Q_NAMES], [T * scale, *Q.T])
    check(at.read_recording(path))


def test_nanoseconds_since_1970_keep_their_steps(tmp_path):
    """Steps are right to half a microsecond when stamps are too long for a float."""
    start = 1_700_000_000_123_456_789
    lines = [
        ",".join([str(start + round(t * 1e9)), *map(repr, q.tolist())])
        for t, q in zip(T, Q, strict=True)
    ]
    path = tmp_path / "run.csv"
    path.write_text("\n".join([",".join(["timestamp", *Q_NAMES]), *lines]) + "\n")
    check(at.read_recording(path))


@pytest.mark.parametrize("parts", ["header.stamp.sec,header.stamp.nanosec", "secs,nsecs"])
def test_seconds_and_nanoseconds_are_joined(parts, tmp_path):
    """Time is whole when stamps stand in two columns, as ROS writes them."""
    stamps = [divmod(1_700_000_000_999_000_000 + round(t * 1e9), 10**9) for t in T]
    lines = [
        f"{s},{ns},{','.join(map(repr, q.tolist()))}" for (s, ns), q in zip(stamps, Q, strict=True)
    ]
    path = tmp_path / "run.csv"
    path.write_text("\n".join([parts + "," + ",".join(Q_NAMES), *lines]) + "\n")
    check(at.read_recording(path))


def test_dates_are_read(tmp_path):
    """Time is in seconds when stamps are dates."""
    stamps = np.datetime64("2025-06-14T10:00:00.000000", "us") + (T * 1e6).round().astype(int)
    lines = [f"{s},{','.join(map(repr, q.tolist()))}" for s, q in zip(stamps, Q, strict=True)]
    path = tmp_path / "run.csv"
    path.write_text("\n".join([",".join(["time", *Q_NAMES]), *lines]) + "\n")
    check(at.read_recording(path))


def test_degrees_are_converted_when_the_header_says_so(tmp_path):
    """Angles are radians, without a warning, when headers end in a unit."""
    names = [f"Joint {k} (deg)" for k in JOINTS] + [f"qd{k} [deg/s]" for k in JOINTS]
    columns = [T, *np.rad2deg(Q).T, *np.rad2deg(QD).T]
    check(at.read_recording(write_table(tmp_path / "a.csv", ["t", *names], columns)), speeds=True)


def test_degrees_are_detected_with_a_warning(tmp_path):
    """Angles and speeds are converted with a warning when values pass every turn."""
    names = [*Q_NAMES, *(f"qd{k}" for k in JOINTS)]
    columns = [T, *np.rad2deg(Q).T, *np.rad2deg(QD).T]
    path = write_table(tmp_path / "run.csv", ["time", *names], columns)
    with pytest.warns(UnitWarning, match="degrees"):
        recording = at.read_recording(path)
    check(recording, speeds=True)
    check(at.read_recording(path, angles="deg"), speeds=True)
    assert np.allclose(at.read_recording(path, angles="rad").q, np.rad2deg(Q))


def test_speeds_in_radians_beside_degrees_stay(tmp_path):
    """Speeds are not converted when the slope of the angles says that they are rad/s."""
    names = [*Q_NAMES, *(f"qd{k}" for k in JOINTS)]
    path = write_table(tmp_path / "run.csv", ["time", *names], [T, *np.rad2deg(Q).T, *QD.T])
    with pytest.warns(UnitWarning):
        check(at.read_recording(path), speeds=True)


def test_one_joint_without_end_is_no_sign_of_degrees(tmp_path):
    """Angles stay radians when one joint has turned twice, with a warning when many times."""
    for turned, warns in ((13.0, False), (40.0, True)):
        q = Q + np.array([0, 0, 0, 0, 0, turned])
        path = write_table(tmp_path / "run.csv", ["time", *Q_NAMES], [T, *q.T])
        with pytest.warns(UnitWarning, match="left as they are") if warns else nullcontext():
            assert np.allclose(at.read_recording(path).q, q)


def test_millimetres_are_detected(tmp_path):
    """Positions are metres when coordinates are beyond any arm's reach."""
    names = ["time", *Q_NAMES, "x", "y", "z"]
    path = write_table(tmp_path / "run.csv", names, [T, *Q.T, *(1000 * Q[:, :3]).T])
    assert np.allclose(at.read_recording(path).group("position"), Q[:, :3])


def test_gzip_xlsx_and_parquet_hold_the_same(tmp_path):
    """The motion is the same when it is compressed, in a spreadsheet or in Parquet."""
    check(at.read_recording(write_table(tmp_path / "r.csv.gz", ["time", *Q_NAMES], [T, *Q.T])))
    check(at.read_recording(write_xlsx(tmp_path / "r.xlsx", ["time", *Q_NAMES], [T, *Q.T])))
    saved = at.Recording.of(T, {"q": Q, "qd": QD}, arm="ur10e", origin="simulated")
    check(at.read_recording(saved.save(tmp_path / "r.parquet")), speeds=True)


@pytest.mark.parametrize("mcap", [False, True], ids=["db3", "mcap"])
@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file without metadata"])
@pytest.mark.parametrize("shuffle", [False, True], ids=["one order", "changing order"])
def test_bags_are_read(mcap, whole, shuffle, tmp_path):
    """Joints are in the arm's order when a bag names them in another."""
    order = [2, 1, 0, 3, 4, 5]
    names = [f"ur10e_{UR[k]}" for k in order]
    bag = write_bag(tmp_path / "bag", names, T, Q[:, order], QD[:, order], mcap=mcap,
                    shuffle=shuffle)  # fmt: skip
    if not whole:
        (bag / "metadata.yaml").unlink()
        bag = next(bag.iterdir())
    recording = at.read_recording(bag)
    check(recording, speeds=True)
    assert not recording.has("tau")
    assert "no effort in the joint states" in recording.notes


def test_bag_of_another_arm_uses_its_joint_names(tmp_path):
    """Joints are in the arm's order when the arm is given, and as recorded when it is not."""
    arm = at.load("desktop5")
    names = [joint.name for joint in arm.driven]
    order = list(reversed(range(5)))
    bag = write_bag(tmp_path / "bag", [names[k] for k in order], T, Q[:, order], QD[:, order])
    assert np.allclose(at.read_recording(bag, arm).q, Q[:, :5])
    unordered = at.read_recording(bag)
    assert np.allclose(unordered.q, Q[:, order])
    assert any("numbered as recorded" in line for line in unordered.notes)


def test_mapping_file_names_unknown_headers(tmp_path):
    """Columns are named, scaled and converted when a mapping file says how."""
    names = ["Zeitpunkt", *(f"Achse {k} Ist" for k in JOINTS), "Kraft [kN]"]
    columns = [T * 1e3, *np.rad2deg(-Q).T, Q[:, 0]]
    path = write_table(tmp_path / "run.csv", names, columns)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        '[columns]\ntime = { from = "Zeitpunkt", unit = "ms" }\n'
        '"q{joint}" = { from = "Achse {joint} Ist", unit = "deg", scale = -1.0 }\n'
    )
    recording = at.read_recording(path, mapping=mapping)
    check(recording)
    assert recording.units["Kraft [kN]"] == "kN"


def test_mapping_that_names_a_missing_column_lists_what_exists(tmp_path):
    """The near names are reported when a mapping names a column that the file lacks."""
    path = write_table(tmp_path / "run.csv", ["time", *Q_NAMES], [T, *Q.T])
    with pytest.raises(MissingColumnError, match=r"did you mean 'q1'.*it has time, q1"):
        at.read_recording(path, mapping={"columns": {"q1": "q 1"}})


@pytest.mark.parametrize(
    "content",
    [
        {"colums": {}},
        {"columns": {"q1": 3}},
        {"columns": {"q1": {"from": "a", "unit": "kg"}}},
        {"columns": {}, "euler": "abc"},
    ],
)
def test_bad_mappings_are_refused(content, tmp_path):
    """The fault is named when a mapping has an unknown key, no column or a wrong unit."""
    path = write_table(tmp_path / "run.csv", ["time", *Q_NAMES], [T, *Q.T])
    with pytest.raises(RecordingError, match="mapping given"):
        at.read_recording(path, mapping=content)


def test_guess_shows_itself_before_it_is_used(tmp_path):
    """A table of columns, units and reasons is printed when the guess is made into text."""
    names = ["timestamp", *(f"actual_q_{k}" for k in range(6)), "weather"]
    guess = at.guess_mapping(write_table(tmp_path / "run.csv", names, [T, *Q.T, T]))
    text = str(guess)
    assert "actual_q_0 .. actual_q_5" in text
    assert "dialect rtde" in text
    assert "kept under their own name: weather" in text
    used = at.read_recording(tmp_path / "run.csv", mapping=guess)
    check(used)


def test_runs_in_one_file_are_kept_apart(tmp_path):
    """One recording per run is returned when a column numbers the runs."""
    run = np.repeat([3.0, 8.0], ROWS)
    columns = [run, np.tile(T, 2), *np.tile(Q, (2, 1)).T]
    path = write_table(tmp_path / "runs.csv", ["run", "time", *Q_NAMES], columns)
    runs = at.read_recordings(path)
    assert [recording.origin for recording in runs] == ["runs.csv, run 3", "runs.csv, run 8"]
    for recording in runs:
        check(recording)
    check(at.read_recording(path, run=8))
    with pytest.raises(RecordingError, match="holds 2 runs in column 'run': 3, 8"):
        at.read_recording(path)
    with pytest.raises(RecordingError, match="no run 5"):
        at.read_recording(path, run=5)
