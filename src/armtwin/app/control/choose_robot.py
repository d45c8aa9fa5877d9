"""Chooses the robot by the options of the command line."""

from __future__ import annotations

from pathlib import Path

from armtwin.errors import InputError
from armtwin.model.catalogue.catalogue import load
from armtwin.robots.robot import Robot

ROBOT_ARM, SERVO_ARM = "ur5e", "desktop5"
"""Arms that are shown if none is named."""


def choose_robot(
    arm: str | None,
    *,
    robot: str | None = None,
    serial: str | None = None,
    recording: Path | None = None,
    servo_settings: Path | None = None,
    i_mean_it: bool = False,
) -> Robot:
    """Return the robot to show.

    Args:
        arm: catalogue name or arm file; the recording's own, or a default, if not given.
        robot: address of a UR controller.
        serial: serial port of a servo arm.
        recording: a file to replay.
        servo_settings: TOML file with a ``[servo]`` table, for a serial port.
        i_mean_it: hardware may move.

    Raises:
        InputError: more than one of robot, serial and recording, or a recording of no known arm.
        ArmTwinError: the arm or the recording cannot be read.
    """
    given = {"--robot": robot, "--serial": serial, "--recording": recording}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise InputError(f"the app shows one arm: give one of {' and '.join(chosen)}")
    if servo_settings is not None and serial is None:
        raise InputError("--servo-settings belongs to --serial PORT")
    if robot is not None:
        from armtwin.robots.ur.ur_robot import UrRobot

        return UrRobot(load(arm or ROBOT_ARM), robot, i_mean_it=i_mean_it)
    if serial is not None:
        return _servo(arm or SERVO_ARM, serial, servo_settings, i_mean_it)
    if recording is not None:
        return _recorded(arm, recording)
    from armtwin.robots.simulated_arm import SimulatedArm

    return SimulatedArm(load(arm or ROBOT_ARM))


def _servo(arm: str, port: str, settings: Path | None, i_mean_it: bool) -> Robot:
    from armtwin.robots.servo.servo_robot import ServoRobot
    from armtwin.robots.servo.servo_settings import read_settings

    table = None if settings is None else read_settings(settings)
    return ServoRobot(load(arm), port, table, i_mean_it=i_mean_it)


def _recorded(arm: str | None, path: Path) -> Robot:
    from armtwin.recording.read import read_recording
    from armtwin.robots.replay import ReplayedRobot

    run = read_recording(path, arm=arm)
    name = arm or run.arm
    if name is None:
        raise InputError(f"{path.name} does not name its arm; give it: armtwin app ARM --recording")
    return ReplayedRobot(load(name), run)
