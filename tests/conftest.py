"""Order of the tests, failures at once, and skips.

With CI=true nothing may be missing but real recordings, and packages without a wheel for a Python.
"""

import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest
from data_folder import RecordingAbsent

HERE = Path(__file__).parent
LONGEST = [
    HERE / line
    for line in (HERE / "longest_first.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
FIRST = ("e2e", "repo", "published", "cross", "recordings", "truth", "laws", "contracts")
"""Folders of the other files in the order of their longest test."""
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Limits of the BLAS libraries. Their threads wait for each other in busy loops: beside a second
test process, five times the processor time for the same products of small matrices."""

WIDE_LANES = ("cross", "laws", "contracts/compile", "contracts/dynamics")
"""Folders whose tests run the SIMD code that users get. The others compile one lane, in half of the
processor time: each new arm is a new C library."""
LANES = "ARMTWIN_LANES"

# Before NumPy is loaded; processes that tests start inherit it.
for _name in (*ONE_THREAD, LANES):
    os.environ.setdefault(_name, "1")

# A shell starts background jobs with Ctrl-C ignored, and so would be all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class FailuresAtOnce:
    """Prints why a test failed when it fails, not at the end of the run."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        """Print a failed report below pytest's own line about the test."""
        if report.failed:
            parts = [report.longreprtext, *(text for _, text in report.sections)]
            sys.stdout.write("\n" + "\n".join(parts) + "\n")


def pytest_addoption(parser):
    """Add the option that ``under_load.py`` gives."""
    parser.addoption("--failures-at-once", action="store_true", help=FailuresAtOnce.__doc__)


def pytest_configure(config):
    """Print failures at once where asked for: in the process that the others report to."""
    if config.getoption("failures_at_once") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailuresAtOnce())


def pytest_collection_modifyitems(items):
    """Run long files first; files and their tests stay together and in order."""
    files = {path: number for number, path in enumerate(LONGEST)}
    folders = {name: number for number, name in enumerate(FIRST, len(files))}

    def rank(item):
        inside = item.path.is_relative_to(HERE)
        folder = item.path.relative_to(HERE).parts[0] if inside else ""
        return files.get(item.path, folders.get(folder, len(files) + len(folders)))

    items.sort(key=rank)


@pytest.fixture(scope="module", autouse=True)
def lanes_of_users(request):
    """Compile SIMD code as for users in the folders where tests compare it."""
    inside = request.path.is_relative_to(HERE)
    folder = request.path.parent.relative_to(HERE).as_posix() if inside else ""
    if folder not in WIDE_LANES:
        yield
        return
    from armtwin.compile import kernel

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(LANES, raising=False)
        patch.setattr(kernel, "_WITHOUT_ARM", {})
        _forget(kernel.BY_ARM)  # an arm that an earlier file used has kernels of one lane
        yield
        _forget(kernel.BY_ARM)


@pytest.fixture(scope="module")
def numpy_target():
    """Let NumPy compute the equations, for laws over many arms: no compiler is waited for.

    That compiled code agrees with NumPy is shown elsewhere: for every equation, target and number
    of lanes in ``cross/test_random_arms.py`` and ``contracts/compile``, and by each library itself
    before it is used.
    """
    from armtwin.compile import kernel

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMTWIN_TARGET", "numpy")
        patch.setattr(kernel, "_WITHOUT_ARM", {})
        _forget(kernel.BY_ARM)
        yield
        _forget(kernel.BY_ARM)


def _forget(by_arm):
    """Drop the kernels of all arms, so that the next use makes them anew."""
    for kept in by_arm.values():
        kept.clear()


class NoWheel(pytest.skip.Exception):
    """A test is skipped because a pinned package has no wheel for this Python."""


@pytest.fixture(scope="session")
def ur_rtde():
    """Skip tests of ur_rtde where it is not installed; it has wheels up to Python 3.12."""
    if importlib.util.find_spec("rtde_control") is not None:
        return
    if sys.version_info >= (3, 13):
        raise NoWheel("ur_rtde has no wheel for Python 3.13 and newer")
    pytest.skip("ur_rtde is not installed; requirements/test.txt pins it")


def _forbidden(report, error):
    """Return whether a report is a skip that CI=true does not allow."""
    strict = os.environ.get("CI") == "true"
    allowed = hasattr(report, "wasxfail") or isinstance(error, RecordingAbsent | NoWheel)
    return strict and report.skipped and not allowed


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a test's skip into a failure where every component must be there."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if _forbidden(report, error):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but CI=true allows no skip: {error}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Turn the skip of a whole module into an error where every component must be there."""
    report = yield
    call = getattr(report, "call", None)
    error = call.excinfo.value if call is not None and call.excinfo else None
    if _forbidden(report, error):
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped, but CI=true allows no skip: {error}"
    return report
