"""Calls every public method of ur_rtde and writes the table of docs/virtual_robot.md.

``python tests/ur_rtde_methods.py`` prints the table, ``--write`` puts it into the page.
"""

import argparse
import contextlib
import importlib
import re
import sys
import tempfile
import time
from pathlib import Path

import pytest
from ur_rtde_calls import CLASSES, CONTROL, PRELUDE
from virtual_robots import Worker, running

ARM, BODIES, PROGRAM = "ur5e-energy", ("kinematic", "dynamic"), "wait.script"
VERSION = "5.26.0"
"""The first version for which ur_rtde's control script has all functions (direct torque)."""
TOLERANCES = {"kinematic": 1e-6, "dynamic": 5e-3}
"""How near to its goal an arm at rest is [rad, m]."""
PAGE = Path(__file__).parents[1] / "docs" / "virtual_robot.md"
BEGIN, END = "<!-- ur_rtde: begin -->\n", "<!-- ur_rtde: end -->\n"
ATTEMPTS = 30
"""How often ur_rtde is connected anew: it waits 1 s for the first sample, too short when busy."""
PATIENCE = 180.0
"""How long an effect is waited for [s]; a busy machine takes long."""
WORKS, REFUSED, FAULT = "works", "by design not", "ur_rtde's fault"
HANGS = "hangs"


def methods(name):
    """Return the public methods of a class of ur_rtde, all but its constants and nested types."""
    owner = getattr(importlib.import_module(CLASSES[name][0]), name)
    found = {key: getattr(owner, key) for key in dir(owner) if not key.startswith("_")}
    return {key for key, value in found.items() if callable(value) and not isinstance(value, type)}


class Session:
    """A process with ur_rtde, which is started anew when it has crashed or hangs."""

    def __init__(self, host, body):
        self._host, self._run = host, None
        self._head = f"ARM, TOL, PROGRAM = {ARM!r}, {TOLERANCES[body]}, {PROGRAM!r}\n"

    def __call__(self, code):
        """Run code and return its value."""
        if self._run is None:
            self._start()
        return self._run(code)

    def _start(self):
        """Start the process; connect again while the machine is too busy for ur_rtde."""
        failures = []
        while len(failures) < ATTEMPTS:
            self._run = Worker(self._host)
            try:
                return self._run(self._head + PRELUDE)
            except RuntimeError as error:
                failures.append(str(error))
                self.close()
        raise RuntimeError(f"ur_rtde did not connect in {ATTEMPTS} attempts: {failures[-1]}")

    def close(self):
        """End the process."""
        if self._run is not None:
            self._run.close()
            self._run = None

    def _complains(self, words):
        """Return whether ur_rtde has printed these words."""
        return bool(words) and words in self._run.complaints()

    def verdict(self, call):
        """Call a method and return what became of it, in a word or with the error."""
        if call.fresh:
            self.close()
        try:
            self(f"value = None\n{call.do}")
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                if self(f"bool({call.works})"):
                    return WORKS
                if self(f"bool({call.refused})") or self._complains(call.complaint):
                    return FAULT if call.fault else REFUSED
                time.sleep(0.02)
            return f"no effect, value {self('repr(value)')}, {self('situation()')}"
        except RuntimeError as error:
            return f"error: {error}"
        except pytest.fail.Exception as error:
            self.close()
            crashed = call.fault and "process with ur_rtde ended" in str(error)
            return FAULT if crashed else f"{HANGS}: {error}"


def verdicts(body, only=None):
    """Return what became of every call on a robot with that body, by class and method.

    A call that hangs is the last: those after it would hang as well, three minutes each.
    """
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, PROGRAM).write_text("def wait():\n sleep(60)\nend\n", encoding="utf-8")
        with (
            running(ARM, body=body, unlock_after=0.1, programs=folder, version=VERSION) as station,
            contextlib.closing(Session(station.robots[0].host, body)) as session,
        ):
            for name, (_, calls) in CLASSES.items():
                for call in calls:
                    if only is None or f"{name}.{call.method}" in only:
                        found[name, call.method] = session.verdict(call)
                        if found[name, call.method].startswith(HANGS):
                            return found
                if calls is CONTROL:  # ends without its connection and with another script
                    session.close()
    return found


def table(found):
    """Return the table: one row for what works on both bodies, one for each other method."""
    lines = ["| | kinematic | dynamic | |", "|---|---|---|---|"]
    for name, (_, calls) in CLASSES.items():
        rows = [(call, [found[body][name, call.method] for body in BODIES]) for call in calls]
        working = sorted(call.method for call, got in rows if got == [WORKS, WORKS])
        lines.append(f"| {name}: {', '.join(working)} | {WORKS} | {WORKS} | |")
        for call, got in rows:
            if got != [WORKS, WORKS]:
                lines.append(f"| {name}: {call.method} | {got[0]} | {got[1]} | {call.note} |")
    return "\n".join(lines) + "\n"


def documented():
    """Return the table that stands in the page."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def main():
    """Print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put it into docs/virtual_robot.md")
    parser.add_argument("--body", choices=BODIES, help="print what became of the calls on a body")
    given = parser.parse_args()
    if given.body:
        for (name, method), got in verdicts(given.body).items():
            if got != WORKS:
                sys.stdout.write(f"{name}.{method}: {got}\n")
        return
    made = table({body: verdicts(body) for body in BODIES})
    sys.stdout.write(made)
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            re.sub(f"{BEGIN}.*{END}", lambda _: BEGIN + made + END, page, flags=re.DOTALL),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
