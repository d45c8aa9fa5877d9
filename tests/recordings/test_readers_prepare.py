"""Real raw files become even, accounted inputs."""

import numpy as np
import pytest
from data_folder import recording_file

import armtwin as at

QUINTIC = "ur3e_quintic/quintic_trayectoria_"


@pytest.mark.parametrize(("run", "rows"), [(137, 4218), (294, 5936)])
def test_bunched_rows_get_two_milliseconds(run, rows):
    """Speeds agree with the slope of the angles when bunched rows are given 2 ms each."""
    path = recording_file(f"{QUINTIC}{run}_result.csv")
    result = at.prepare(path, rate=500, mapping="current-as-tau")
    recording = result.recording
    assert len(recording) == rows
    assert np.array_equal(recording.time, np.arange(rows) / 500)
    slope = np.gradient(recording.q, recording.time, axis=0)
    fits = [np.polyfit(recording.qd[:, k], slope[:, k], 1)[0] for k in (0, 1, 3, 4, 5)]
    assert np.allclose(fits, 1.0, atol=5e-3)
    assert any("took 2 ms a row" in step.what for step in result.steps)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("ur5_force/ur5_kkufieta_No1.csv.gz", 17_899),
        ("ur10_ros2_bag/ur10_exciting_trajectory.db3", 13_761),
        ("ur3e_power/fig9.xlsx", 17_741),
        ("so101/multisine/state_motor.csv", 60_172),
    ],
)
def test_real_recordings_are_put_on_500_hertz(name, rows):
    """An even clock from zero and a small error are reported when a real file is prepared."""
    result = at.prepare(recording_file(name))
    recording = result.recording
    assert len(recording) == rows
    assert np.array_equal(recording.time, np.arange(rows) / 500)
    error = next(error for error in result.errors if error.group == "q")
    assert error.worst < 5e-3
    assert not any(np.isnan(values).any() for values in recording.data.values())
