"""What ``armtwin simulate`` found, for programs and for people."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.cli.output import say, say_table

if TYPE_CHECKING:
    from armtwin.detection.detect import Detection
    from armtwin.model.arm import Arm
    from armtwin.recording.recording import Recording


def result_of(
    arm: Arm, run: Recording, speed: float, found: Detection | None, files: list[Path]
) -> dict[str, Any]:
    """Return rows, tracking, speed and alarms as data."""
    import numpy as np

    from armtwin.detection.page import tracking

    off = tracking(arm, run)
    result: dict[str, Any] = {
        "arm": arm.name, "rows": len(run), "duration": run.duration,
        "tracking_rms": float(np.sqrt(np.mean(off**2))), "tracking_max": float(off.max()),
        "times_real_time": speed, "account": list(run.account), "files": files,
    }  # fmt: skip
    if found is not None:
        result["verdict"], result["reason"] = found.verdict, found.doubt
        result["alarms"] = plain_alarms(found)
        result["notes"] = list(found.notes)
    return result


def print_all(result: dict[str, Any], run: Recording) -> None:
    """Print what was simulated, how well it was followed, what was felt."""
    for line in run.account:
        say(line)
    say(
        f"\n{result['rows']} rows, {result['duration']:.6g} s, {result['times_real_time']:.0f} x "
        f"real time; tool off by {result['tracking_rms'] * 1e3:.3g} mm RMS, "
        f"{result['tracking_max'] * 1e3:.3g} mm at most"
    )
    if "alarms" in result:
        say_alarms(result["alarms"], result["reason"])
    if result["files"]:
        say("\nwritten")
        for file in result["files"]:
            say(f"  {file}")


def plain_alarms(found: Detection) -> list[dict[str, Any]]:
    """Return the alarms for other programs: time, joint, torque, end, link, torques."""
    return [asdict(alarm) for alarm in found.alarms]


def say_alarms(alarms: list[dict[str, Any]], doubt: str = "") -> None:
    """Print alarms as a table, or that there are none; or why nothing can be said."""
    if doubt:
        say(f"\nnot judged: {doubt}")
    elif not alarms:
        say("\nno contact")
    if not alarms:
        return
    rows = [
        (f"{a['time']:.3f}", a["joint"], f"{a['torque']:.2f}", f"{a['end']:.3f}", a["link"])
        for a in alarms
    ]
    say("")
    say_table(("alarm [s]", "joint", "torque [Nm]", "end [s]", "outermost link"), rows)
