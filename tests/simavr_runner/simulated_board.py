"""The true firmware in a simulated UNO, its serial line on a pseudo terminal."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BUILD_FIRMWARE = ROOT / "src/armtwin/robots/servo/firmware/build.sh"
RUNNER = Path(__file__).with_name("runner.c")
ARDUINO_CORE = Path("/usr/share/arduino/hardware/arduino/avr")
SIMAVR_HEADER = Path("/usr/include/simavr/sim_avr.h")
CLOCK = 16_000_000
BYTE = CLOCK // 960
"""Cycles of a byte at 9600 baud."""


def missing_tools():
    """Return what the simulated board lacks here."""
    programs = [name for name in ("gcc", "avr-gcc", "avr-g++") if shutil.which(name) is None]
    core = Path(os.environ.get("ARDUINO_AVR", ARDUINO_CORE))
    return programs + [str(path) for path in (core, SIMAVR_HEADER) if not path.exists()]


def build(folder):
    """Return the firmware and the runner, built into a folder; skip where tools are missing."""
    missing = missing_tools()
    if missing:
        reason = f"no simulated UNO: {', '.join(missing)} missing (see requirements/apt.txt)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    firmware, runner = folder / "firmware.elf", folder / "runner"
    subprocess.run([str(BUILD_FIRMWARE), str(firmware)], check=True, capture_output=True)
    gcc = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", str(RUNNER), "-lsimavr", "-lutil"]
    subprocess.run([*gcc, "-o", str(runner)], check=True, capture_output=True)
    return firmware, runner


class SimulatedBoard:
    """A board that runs from ``start`` to ``cut_power``; its EEPROM outlives that."""

    def __init__(self, built, folder, speed=8.0):
        self.firmware, self.runner = built
        self.folder = folder
        self.speed = speed
        self.port = str(folder / "terminal")
        self.log_file = folder / "events"
        self.process = None

    def start(self):
        """Switch the board on, and return once its line is there."""
        Path(self.port).unlink(missing_ok=True)
        words = [self.firmware, self.port, self.log_file, self.folder / "eeprom", self.speed]
        self.process = subprocess.Popen(
            [str(self.runner), *map(str, words)], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + 180
        while not Path(self.port).exists():
            assert time.monotonic() < until, "the simulated board did not start"
            assert self.process.poll() is None, "the simulated board crashed"
            time.sleep(0.01)
        return self

    def cut_power(self):
        """Switch the board off as it stands."""
        if self.process is not None:
            self.process.terminate()
            assert self.process.wait(180) == 0, "the simulated board crashed"
            self.process = None

    def pass_time(self, seconds):
        """Let some simulated time pass."""
        end = self.now + seconds
        until = time.monotonic() + 180
        while self.now < end:
            assert time.monotonic() < until, "the simulated board is stuck"
            time.sleep(0.005)

    def receive(self, parts, pause):
        """Let the board receive bytes at exact simulated times; return after the last pause.

        Args:
            parts: bytes that come one after the other.
            pause: simulated time after each of them [s].
        """
        lines, due = [], 0
        for part in parts:
            for byte in part:
                lines.append(f"{due} {byte}")
                due += BYTE
            due += round(pause * CLOCK)
        known = self.log_file.stat().st_size
        written = Path(self.port + ".new")
        written.write_text("\n".join([*lines, f"{due} -1"]), encoding="ascii")
        written.rename(self.port + ".plan")
        until = time.monotonic() + 180
        while not self._ended_plan(known):
            assert time.monotonic() < until, "the simulated board is stuck"
            time.sleep(0.005)

    def _ended_plan(self, known):
        """Return whether a plan has ended since the log was ``known`` bytes long."""
        with self.log_file.open("rb") as file:
            file.seek(known)
            return b" e\n" in file.read()

    @property
    def now(self):
        """Simulated seconds since the start, to 2 ms."""
        with self.log_file.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4000))
            ticks = re.findall(rb"(\d+) c\n", file.read())
        return int(ticks[-1]) / CLOCK if ticks else 0.0

    def log(self):
        """Return what has happened on its pins so far."""
        return Log(self.log_file.read_text(encoding="ascii"))


class Log:
    """Edges of the servo pulses and bytes of the line, in simulated seconds."""

    def __init__(self, text):
        whole = text[: text.rfind("\n") + 1]
        events = {kind: [] for kind in "prtce"}
        for line in whole.splitlines():
            cycle, kind, *values = line.split()
            events[kind].append((int(cycle), *map(int, values)))
        self.edges = events["p"]
        self.received = [(cycle / CLOCK, byte) for cycle, byte in events["r"]]
        self.sent = [(cycle / CLOCK, byte) for cycle, byte in events["t"]]
        self.now = events["c"][-1][0] / CLOCK if events["c"] else 0.0

    def pulses(self, axis):
        """Return the pulses of an axis as (n, 2): when they start [s], how wide they are [us]."""
        found, start = [], None
        for cycle, number, level in self.edges:
            if number != axis:
                continue
            if level:
                start = cycle
            elif start is not None:
                found.append((start / CLOCK, (cycle - start) / 16))
                start = None
        return np.array(found).reshape(-1, 2)

    def widths(self, axis, since=0.0):
        """Return the pulse widths of an axis [us], of those that start after some time [s]."""
        pulses = self.pulses(axis)
        return pulses[pulses[:, 0] > since, 1]

    def frames(self, since=0.0):
        """Return the widths (n, 6) [us] of the frames after some time that have six pulses."""
        starts = self.pulses(0)[:, 0]
        table = np.full((len(starts), 6), np.nan)
        for axis in range(6):
            pulses = self.pulses(axis)
            row = np.searchsorted(starts, pulses[:, 0] + 1e-6) - 1
            table[row[row >= 0], axis] = pulses[row >= 0, 1]
        return table[np.isfinite(table).all(axis=1) & (starts > since)]

    def last_change(self, axis, by=1.0):
        """Return when the last pulse started that differs from the one before by ``by`` us."""
        pulses = self.pulses(axis)
        changed = np.flatnonzero(np.abs(np.diff(pulses[:, 1])) > by)
        return pulses[changed[-1] + 1, 0] if len(changed) else 0.0
