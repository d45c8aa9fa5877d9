"""The functions on FMUs take arms and recordings in any form and return results with a page."""

import json

import numpy as np
import pytest
from fmu_files import fmu

import armtwin as at
from armtwin.errors import InputError
from armtwin.fmu.check.check import Finding, FmuCheck
from armtwin.fmu.check.masters import SystemCheck
from armtwin.fmu.export.circle import circle
from armtwin.fmu.export.system import START, System
from armtwin.report.renderers.text import text
from armtwin.report.result import Result

TIME = 0.002 * np.arange(20)
JOINTS = {f"q{k}": np.sin(TIME + k) for k in range(1, 7)}


class CancelledError(Exception):
    """Raised by a test's callback."""


def cancel(progress):
    """Cancel at the first report."""
    raise CancelledError(progress.step)


def closed_loop(tmp_path):
    """Return a system as export_system returns it, without building its FMUs."""
    arm = at.load("ur10e")
    return System(tmp_path / "loop.ssp", arm, circle(arm, np.array(START), 0.1), 4.0, 1e-3, 2000)


@pytest.fixture
def results(tmp_path):
    """Return one result of every function."""
    file = fmu()
    findings = (Finding("variables", "passed", "10"), Finding("FMPy", "not run", "missing"))
    loop = closed_loop(tmp_path)
    return [
        at.export_fmu("ur10e", tmp_path / "fk.fmu"),
        at.run_fmu(file, at.Signals(TIME, JOINTS)),
        FmuCheck(file, findings),
        FmuCheck(file, (*findings, Finding("run (cs)", "failed", "error"))),
        loop,
        SystemCheck(loop, "FMPy 1", 4500, 1.2e-4, (0.0,) * 6, alarm=False),
    ]


def test_results_keep_the_protocol(results):
    """Page, JSON, one-line repr and notebook view exist when any of the functions returns."""
    for result in results:
        assert isinstance(result, Result)
        assert json.loads(json.dumps(result.to_dict())) == result.to_dict()
        assert repr(result).startswith(f"<{type(result).__name__} ")
        assert "\n" not in repr(result)
        assert result.page().title in text(result.page())
        assert "<" in result._repr_html_()
        with pytest.raises(AttributeError):
            result.path = None


def test_verdict_names_what_failed(results):
    """The verdict counts the checks and names the failed one when a check fails."""
    passed, failed = results[2], results[3]
    assert repr(passed).endswith("PASSED: 1 check passed; 1 not run>")
    assert failed.verdict == "1 check passed, 1 failed: run (cs); 1 not run"
    assert failed.judgement.passed is False


def test_inputs_in_any_form_give_the_same(tmp_path):
    """The outputs are the same when inputs come as signals, as a recording or from its file."""
    given = at.Signals(TIME, JOINTS)
    recording = at.Recording(TIME, JOINTS, {}, "ur10e", "test")
    recording.save(tmp_path / "q.csv")
    runs = [at.run_fmu(fmu(), x).values for x in (given, recording, str(tmp_path / "q.csv"))]
    assert np.array_equal(runs[0], runs[1])
    assert np.array_equal(runs[0], runs[2])
    with pytest.raises(InputError, match="got ndarray"):
        at.run_fmu(fmu(), np.zeros((3, 6)))


def test_cancelled_export_leaves_no_file(tmp_path):
    """No file is written when the callback raises."""
    out = tmp_path / "fk.fmu"
    with pytest.raises(CancelledError):
        at.export_fmu("ur10e", out, on_progress=cancel)
    with pytest.raises(CancelledError):
        at.export_system("ur10e", tmp_path / "loop.ssp", on_progress=cancel)
    with pytest.raises(CancelledError):
        at.check_fmu(fmu(), on_progress=cancel)
    assert list(tmp_path.iterdir()) == []
