"""``armtwin mirror``: the live twin of a running robot."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import Force, Json, Serial
from armtwin.cli.output import known, say, say_json, say_table
from armtwin.cli.screen import (
    Screen,
    for_seconds,
    joint_table,
    network_line,
    network_summary,
)

if TYPE_CHECKING:
    from armtwin.detection.detect import DetectorCalibration
    from armtwin.history.live_rows import LiveRows
    from armtwin.model.arm import Arm
    from armtwin.robots.ur.live_twin import Twin
    from armtwin.robots.ur.monitor import MonitorCheck
    from armtwin.robots.ur.protocol.stream import Stream
    from armtwin.robots.ur.recorder import Recorder
    from armtwin.robots.ur.statistics import Latency

EXAMPLES = """
armtwin mirror 192.168.0.10 --arm ur5e
armtwin mirror 127.0.0.2 --arm ur5e --seconds 30 --record run.parquet
armtwin mirror 192.168.0.10 --arm my_ur5e.toml --clean undisturbed.parquet
armtwin mirror 192.168.0.10 --arm ur5e --history fleet
"""

Share = Annotated[
    float,
    typer.Option(min=0.0, max=1.0, help="Required share of the samples due by the wall clock."),
]
HistoryFolder = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="Add a row to this history every hour.")
]
Every = Annotated[float, typer.Option(min=0.1, help="Time between rows of the history [s].")]


def command(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The robot's address.")],
    arm: Annotated[
        str, typer.Option(help="Model of the robot: catalogue name or arm file.")
    ] = "ur5e",
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Duration; until Ctrl-C if not given.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Also record to this file.")
    ] = None,
    clean: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Recording without contact, to calibrate the detector."),
    ] = None,
    contact: Annotated[
        float, typer.Option(help="Contact threshold without --clean, share of the largest torque.")
    ] = 0.12,
    position: Annotated[
        float, typer.Option(help="Allowed distance of the model's tool from the robot's [m].")
    ] = 5e-3,
    share: Share = 0.998,
    history: HistoryFolder = None,
    every: Every = 3600.0,
    serial: Serial = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare a running robot with its twin: poses, torques, contacts, energy, network.

    It only reads. Exits with 1 if a check does not pass.
    """
    from armtwin.model.catalogue.catalogue import load
    from armtwin.robots.ur.live_twin import Twin
    from armtwin.robots.ur.monitor import Monitor, Tolerances
    from armtwin.robots.ur.recorder import Recorder
    from armtwin.robots.ur.statistics import Latency

    model = load(arm)
    monitor = Monitor(model, Tolerances(contact=contact, position=position, share=share))
    twin, latency = Twin(model, monitor, _calibration(model, clean)), Latency()
    rows = None if history is None else _live_rows(history, twin, host, serial, every)
    with contextlib.ExitStack() as stack:
        recorder = None
        if record is not None:
            made = Recorder(
                record, origin=f"RTDE {host}", arm=model.name, serial=serial, force=force
            )
            recorder = stack.enter_context(made)
        stream = _stream(host, recorded=record is not None)
        users = [user for user in (recorder, rows) if user is not None]
        asyncio.run(_mirror(stream, twin, latency, users, seconds, shown=not json))
        if recorder is not None:
            recorder.finish(*stream.events)
    if rows is not None:
        rows.finish()
    checks = monitor.verdict(stream.statistics)
    (_say_json if json else _say)(stream, twin, latency, checks, rows)
    if not all(check.passed for check in checks):
        raise typer.Exit(1)


def _stream(host: str, *, recorded: bool) -> Stream:
    """Return the samples of the fields that the twin, and a recording where made, need."""
    from armtwin.robots.ur import live_twin, recorder
    from armtwin.robots.ur.protocol.stream import Stream

    users = (recorder, live_twin) if recorded else (live_twin,)
    fields = dict.fromkeys(name for user in users for name in user.FIELDS)
    optional = dict.fromkeys(name for user in users for name in user.OPTIONAL)
    return Stream(host, tuple(fields), optional=tuple(optional))


def _live_rows(folder: str, twin: Twin, host: str, serial: str | None, every: float) -> LiveRows:
    """Return the recorder of one row an hour; the dashboard gives the serial number.

    Args:
        folder: the history.
        twin: the twin.
        host: the robot's address.
        serial: its serial number, if given.
        every: time between rows [s].
    """
    from armtwin.history.history import History
    from armtwin.history.live_rows import LiveRows
    from armtwin.robots.ur.remote import Remote

    book = History(folder)
    number = serial or asyncio.run(Remote(host).dashboard_command("get serial number"))
    return LiveRows(book, twin, serial=number, origin=f"RTDE {host}", interval=every)


def _calibration(model: Arm, clean: Path | None) -> DetectorCalibration | None:
    """Return a detector's calibration from a recording without contact."""
    if clean is None:
        return None
    from armtwin.detection.detect import calibrate_detector
    from armtwin.recording.read import read_recording

    return calibrate_detector(model, read_recording(clean, arm=model))


async def _mirror(
    stream: Stream,
    twin: Twin,
    latency: Latency,
    users: list[Recorder | LiveRows],
    seconds: float | None,
    *,
    shown: bool,
) -> None:
    """Process every sample until the time is over or Ctrl-C."""
    with Screen(shown=shown) as screen:
        async for batch in for_seconds(stream, seconds):
            twin.add(batch.rows)
            for user in users:
                user.add(batch)
            stamps = batch.rows["timestamp"].astype(float)
            latency.add(stamps, batch.arrivals, time.monotonic())
            if screen.due:
                screen.show(_picture(stream, twin, latency))


def _picture(stream: Stream, twin: Twin, latency: Latency) -> Any:
    from rich.console import Group
    from rich.text import Text

    if not twin.recent:
        return "waiting for samples"
    s = twin.recent[-1]
    heads = ("q rad", "qd rad/s", "tau Nm", "expected", "contact", "A", "degC")
    rows = [
        [f"{s.q[k]:8.4f}", f"{s.qd[k]:8.4f}", f"{s.tau[k]:8.2f}", f"{s.expected_tau[k]:8.2f}",
         f"{s.residual[k]:7.2f}", f"{s.current[k]:7.3f}", f"{s.temperature[k]:5.1f}"]
        for k in range(6)
    ]  # fmt: skip
    version = ".".join(map(str, stream.version[:3]))
    title = f"{stream.host}, controller {version}, model {twin.arm.name}, {s.time:.1f} s"
    alarms = [
        Text(f"{alarm.time:9.2f} s  {alarm.kind}: {alarm.text}", style="bold red")
        for alarm in list(twin.monitor.alarms)[-5:]
    ]
    return Group(
        joint_table(title, heads, rows),
        f"tool {1e3 * s.pose_error[0]:.3f} mm, {s.power:.0f} W, {twin.energy:.0f} J from supply, "
        f"latency {1e3 * latency.at(0.5):.1f} ms",
        network_line(stream.statistics),
        *alarms,
    )


def _say(
    stream: Stream,
    twin: Twin,
    latency: Latency,
    checks: list[MonitorCheck],
    history: LiveRows | None,
) -> None:
    """Print the verdict."""
    from armtwin.report.numbers import counted

    rows = [(check.name, "ok" if check.passed else "NO", check.text) for check in checks]
    say_table(("check", "", "what"), rows)
    say(f"\n{network_line(stream.statistics)}")
    say(
        f"latency: median {1e3 * latency.at(0.5):.1f} ms, 99 % within "
        f"{1e3 * latency.at(0.99):.1f} ms (above the fastest sample)"
    )
    expected = twin.expected_energy
    motors = f", {expected:.1f} J expected of the motors" if expected == expected else ""
    say(f"energy: {twin.energy:.1f} J from the supply{motors}; torque from {twin.torque_source}")
    for alarm in twin.monitor.alarms:
        say(f"{alarm.time:10.3f} s  {alarm.kind}: {alarm.text}")
    for event in stream.events:
        say(f"note: {event}")
    if history is not None:
        say(f"history: {counted(history.added, 'row')} added for {history.serial}")
        for problem in history.problems:
            say(f"note: {problem}")
    failed = ", ".join(check.name for check in checks if not check.passed)
    answer = f"the twin does not agree with the robot: {failed}" if failed else ""
    say(f"\nverdict: {answer or 'the twin agrees with the robot'}")


def _say_json(
    stream: Stream,
    twin: Twin,
    latency: Latency,
    checks: list[MonitorCheck],
    history: LiveRows | None,
) -> None:
    """Print the verdict as JSON."""
    from armtwin.robots.ur.monitor import as_plain

    rms = twin.monitor.torque_rms()
    say_json(
        {
            "passed": all(check.passed for check in checks),
            "checks": {c.name: {"passed": c.passed, "text": c.text} for c in checks},
            "network": network_summary(stream.statistics),
            "latency": {"median": latency.at(0.5), "p99": latency.at(0.99)},
            "pose_error": twin.monitor.pose_error,
            "torque_rms": rms,
            "torque_source": twin.torque_source,
            "energy": twin.energy,
            "expected_energy": known(twin.expected_energy),
            "alarms": [as_plain(alarm) for alarm in twin.monitor.alarms],
            "events": list(stream.events),
            "history": history
            and {"rows": history.added, "serial": history.serial, "problems": history.problems},
        }
    )
