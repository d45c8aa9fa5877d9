"""With CI=true nothing but real recordings may be missing: every other skip is a failure."""

import os

import pytest
from data_folder import RecordingAbsent


def _forbidden(report, error):
    """Return whether a report is a skip that CI=true does not allow."""
    strict = os.environ.get("CI") == "true"
    allowed = hasattr(report, "wasxfail") or isinstance(error, RecordingAbsent)
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
