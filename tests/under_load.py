"""Run tests again and again on a busy machine, to find those that depend on timing.

``python tests/under_load.py [--runs 5] [--busy 4] [--cores 2] [--processes 4] PATH...
[-- PYTEST OPTIONS]``

Busy processes and the test processes share the given cores. Progress is printed every minute, a
failure and its reason when it comes.
Exit code 0: every run passed; 1: one did not. The tests that failed are named with the number of
runs in which they did.
"""

import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.busy_processes import busy_processes  # noqa: E402

FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
TEST = re.compile(r"^(?:\[gw\d+\]|tests/).*\b(?:PASSED|SKIPPED|XFAIL|FAILED|ERROR)\b")
"""Lines of ``pytest -v`` for tests that have ended, from one process or from several."""
FAILING = re.compile(r"\b(?:FAILED|ERROR)\b")
PROGRESS = 60.0
"""Time between two lines of progress [s]."""


def restrict(cores):
    """Let this process and those it starts use some cores only, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))[:cores]
        os.sched_setaffinity(0, allowed)


def run_once(paths, options):
    """Run the tests, printing each failure as it comes; return exit code, output and seconds."""
    start = shown = time.monotonic()
    command = [sys.executable, "-u", "-m", "pytest", "-v", "--failures-at-once", *paths, *options]
    lines, failing = [], False
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        try:
            for line in run.stdout:
                lines.append(line)
                now, test = time.monotonic(), TEST.match(line)
                if test:
                    failing = FAILING.search(line) is not None
                if failing or (test and now > shown + PROGRESS):
                    say(f"  {now - start:.0f} s: {line.rstrip()}")
                    shown = now
        except BaseException:  # Ctrl-C or SIGTERM: leave no tests running
            run.send_signal(signal.SIGINT)
            raise
    return run.returncode, "".join(lines), time.monotonic() - start


def ending(said):
    """Return what pytest printed about failures and at its end, without its line for each test."""
    place = re.search(r"^=+ (?:FAILURES|ERRORS|short test summary)", said, re.MULTILINE)
    return said[place.start() :] if place else said[-5000:]


def say(text):
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def arguments():
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="how often")
    parser.add_argument("--busy", type=int, default=4, help="busy processes beside the tests")
    parser.add_argument("--cores", type=int, default=2, help="cores for all of them")
    parser.add_argument("--processes", type=int, default=4, help="test processes; 1: in order")
    parser.add_argument("paths", nargs="*", default=["tests/e2e", "tests/contracts"])
    words = sys.argv[1:]
    place = words.index("--") if "--" in words else len(words)
    return parser.parse_args(words[:place]), words[place + 1 :]


def main():
    """Run the tests as often as asked for and print what failed."""
    given, options = arguments()
    restrict(given.cores)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as ./test does
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the busy processes as well
    if given.processes > 1:
        whole_files = ["--dist", "loadfile", "--no-loadscope-reorder"]  # as ./test does
        options = ["-n", str(given.processes), *whole_files, *options]
    failures, passed = collections.Counter(), 0
    with busy_processes(given.busy):
        for number in range(1, given.runs + 1):
            code, said, seconds = run_once(given.paths, options)
            passed += code == 0
            failures.update(set(FAILED.findall(said)))
            load = os.getloadavg()[0]
            last = said.strip().splitlines()[-1:] or ["no output"]
            say(f"run {number}: {last[0]} (load {load:.1f}, {seconds:.0f} s)")
            if code:
                say(ending(said))
    say(f"{passed} of {given.runs} runs passed")
    for name, count in failures.most_common():
        say(f"{count} x {name}")
    return 0 if passed == given.runs else 1


if __name__ == "__main__":
    sys.exit(main())
