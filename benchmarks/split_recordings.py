"""Coverage of friction's intervals on real recordings, split into two parts.

``python -m benchmarks.split_recordings FOLDER`` (of the shared recordings) identifies each part on
its own and counts how many friction parameters of one part lie within the interval of the
difference (same day: both parts' half widths, added in squares) and within the other part's
interval for any day (with the part's own half width). The parts were recorded within minutes: for
the same day 95 % are expected, for any day nearly all.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

import armtwin as at

LAW = "load-dependent"


def halves(path: Path, arm: str) -> tuple[list[at.Recording], list[at.Recording]]:
    """Return the parts of a file: every second run, or both halves of one."""
    runs = at.read_recordings(path, arm)
    if len(runs) > 1:
        return runs[::2], runs[1::2]
    run, time = runs[0], runs[0].time
    middle = float(time[len(time) // 2])
    return [run.slice(time[0], middle)], [run.slice(float(np.nextafter(middle, np.inf)), time[-1])]


def counted(
    arm: str, parts: tuple[list[at.Recording], list[at.Recording]], *, payload: bool
) -> tuple[int, int, int]:
    """Return how many parameters agree within the same day, within any day, and how many exist.

    Args:
        arm: its name.
        parts: the two parts.
        payload: whether an unknown tool is mounted.
    """
    first, second = (at.identify(arm, part, friction=LAW, payload=payload) for part in parts)
    same = wide = count = 0
    for name in first.any_day_intervals:
        a, b = first.estimate(name), second.estimate(name)
        if "data" not in (a.source, b.source) or a.any_day is None:
            continue
        halves_of = [e.high - e.value for e in (a, b)]  # lower ends may be cut at zero
        count += 1
        same += bool(abs(a.value - b.value) <= np.hypot(*halves_of))
        own = (a.any_day[1] - a.value, halves_of[1])
        wide += bool(abs(a.value - b.value) <= np.hypot(*own))
    return same, wide, count


def main() -> int:
    """Print the shares per recording and in all."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    files = {
        "ur10_ros2_bag/ur10_exciting_trajectory.db3": "ur10",
        "ur5_force/ur5_kkufieta_No9_NoDist.csv.gz": "ur5",
        "ur3e_quintic/ur3e_nimar13_quintic24_100hz.csv.gz": "ur3e",
        "ur3e_power/fig9.xlsx": "ur3e",
    }
    total = np.zeros(3)
    for name, arm in files.items():
        found = counted(arm, halves(folder / name, arm), payload=arm == "ur3e")
        total += found
        print(f"{name}: same day {found[0]}, any day {found[1]} of {found[2]}", flush=True)
    same, wide = 100 * total[:2] / total[2]
    print(f"in all: same day {same:.0f} %, any day {wide:.0f} % of {total[2]:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
