"""Joint angles, pulse widths, settings and the command line of a servo arm."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import InputError, JointLimitError
from armtwin.robots.servo.pulse_mapping import ServoMapping
from armtwin.robots.servo.servo_settings import ServoSettings, read_settings

ARM = at.load("desktop5")
FULL = {
    "pulse": (600, 2400), "travel": "180 deg", "middle": "10 deg", "inverted": True,
    "limits": ("-40 deg", "60 deg"), "speed": "90 deg", "home": "10 deg",
}  # fmt: skip


def mapping(*joints, **settings):
    """Return the mapping of desktop5 with settings of its first joints."""
    return ServoMapping(ARM, ServoSettings(joints=list(joints), **settings))


def test_plain_servos():
    """The middle of every joint's range lies in the middle of the pulses when nothing is set."""
    plain = mapping()
    assert plain.ticks([0, 0, 0, math.radians(30), 0])[:5] == (2944,) * 5
    assert plain.ticks([math.pi / 2] * 3 + [0, 0], 0.0)[0] == 4800
    assert plain.ticks([-math.pi / 2] * 3 + [0, 0], 1.0)[::5] == (1088, 4000)


def test_mount_and_calibration():
    """Pulses follow offset, inversion and calibrated widths when a mount is described."""
    mounted = mapping(FULL)
    for degrees, width in ((10, 1500), (-40, 2000), (60, 1000), (0, 1600)):
        assert mounted.ticks([math.radians(degrees), 0, 0, 0, 0])[0] == 2 * width
    axis = mounted.config.axes[0]
    assert (axis.low, axis.high, axis.home, axis.speed) == (2000, 4000, 3000, 1800)
    assert (axis.at_zero, axis.at_half_turn) == (4800, 1200), "a phone's 180 - angle"


@given(st.lists(st.floats(-0.9, 0.9), min_size=5, max_size=5), st.booleans())
def test_angles_come_back(share, inverted):
    """Angles are the same to half a tick when they went through pulse widths."""
    servos = mapping(*[{"inverted": inverted}] * 5)
    q = (ARM.lower + ARM.upper) / 2 + np.array(share) * (ARM.upper - ARM.lower) / 2
    back = servos.angles(servos.ticks(q))
    np.testing.assert_allclose(back, q, rtol=0, atol=math.pi / 3712 / 2 * 1.0001)


def test_limits_are_the_narrowest():
    """The narrowest of arm file, settings and travel counts when limits are set."""
    short = mapping({"travel": "90 deg", "pulse": (1000, 2000)}, {"limits": ("-1", "0.5")})
    assert (short.config.axes[0].low, short.config.axes[0].high) == (2000, 4000)
    with pytest.raises(JointLimitError, match="joint 1 at 1 rad"):
        short.ticks([1.0, 0, 0, 0, 0])
    with pytest.raises(JointLimitError, match="joint 2 at 0.6 rad"):
        short.ticks([0, 0.6, 0, 0, 0])
    with pytest.raises(JointLimitError, match="joint 4"):
        short.ticks([0, 0, 0, math.radians(121), 0])


@pytest.mark.parametrize(
    "q", [[0, 0, 0, 0], [0] * 6, [math.nan, 0, 0, 0, 0], [math.inf, 0, 0, 0, 0], np.zeros((2, 5)),
          "abcde", [None] * 5],
)  # fmt: skip
def test_bad_joints(q):
    """An input error comes when a joint vector is none."""
    with pytest.raises(InputError):
        mapping().ticks(q)


@pytest.mark.parametrize("opening", [-0.1, 1.1, math.nan])
def test_bad_opening(opening):
    """An input error comes when the gripper's opening is none."""
    with pytest.raises(InputError, match="opening"):
        mapping().ticks([0] * 5, opening)


def test_arms_that_do_not_fit():
    """The number of joints is named when an arm has more than the board drives."""
    with pytest.raises(InputError, match="'ur10e' has 6 joints; the board drives 5"):
        ServoMapping(at.load("ur10e"), ServoSettings())
    with pytest.raises(InputError, match="settings for 6 joints"):
        mapping(*[{}] * 6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no [servo] table"),
        ("[servo", "TOML"),
        ("[servo]\nwatch = 1", "servo.watch"),
        ("[servo]\nwatchdog = 0.01", "servo.watchdog"),
        ("[servo]\nwatchdog = nan", "servo.watchdog"),
        ("[servo]\nspeed = 0", "servo.speed"),
        ("[[servo.joints]]\npulse = [100, 2000]", "servo.joints.0.pulse.0"),
        ("[[servo.joints]]\nmiddle = 'left'", "servo.joints.0.middle"),
        ("[servo.gripper]\nhome = 2", "servo.gripper.home"),
        ("[servo.workspace]\nlow = [0, 0, 0]", "servo.workspace.high"),
        ("\xff", "TOML"),
    ],
)
def test_bad_settings_name_the_field(tmp_path, text, words):
    """The file and the field are named when settings are wrong."""
    path = tmp_path / "servo.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_settings(path)
    assert words in str(caught.value)
    assert "servo.toml" in str(caught.value)


def test_documented_settings(tmp_path):
    """The settings in the documentation are accepted for desktop5 when they are read."""
    page = (Path(__file__).parents[3] / "docs" / "servo_arm.md").read_text(encoding="utf-8")
    path = tmp_path / "servo.toml"
    path.write_text(page.split("```text\n[servo]")[1].split("```")[0].join(["[servo]", ""]))
    settings = read_settings(path)
    assert settings.joints[0].inverted
    assert ServoMapping(ARM, settings).config.watchdog_ms == 1000


@pytest.mark.parametrize(
    "joint", [{"home": "89 deg", "limits": ("-10 deg", "10 deg")}, {"pulse": (1500, 1500)},
              {"limits": ("50 deg", "-50 deg")}, {"speed": 1e-6}, {"middle": 3.0}],
)  # fmt: skip
def test_settings_that_leave_nothing(joint):
    """An input error comes when limits, travel or home contradict one another."""
    with pytest.raises(InputError):
        mapping(joint)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("servo status", "--port"),
        ("servo fly --port x", "'fly' is unknown"),
        ("servo status 1 --port x", "takes no numbers"),
        ("servo jog 1 --port x", "JOINT SPEED"),
        ("servo jog 1.5 3 --port x", "JOINT SPEED"),
        ("servo move --port x", "one angle per joint"),
        ("servo status --port no_such_port", "no_such_port"),
        ("servo status --port x --settings none.toml", "none.toml"),
        ("servo status --port x --arm ur10e", "drives 5"),
        ("servo move 0 0 0 0 0 --port x --simulated", "pseudo terminal"),
    ],
)
def test_bad_command_lines(capsys, line, words):
    """One line says what is wrong and the code is 2 when a command line is."""
    assert run(line.split()) == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1
