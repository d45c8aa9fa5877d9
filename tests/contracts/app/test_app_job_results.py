"""A job calls the library function of its verb with its options, and shows the result's page."""

import json

import numpy as np
import pytest

import armtwin as at
from armtwin.app.jobs.job_parameters import (
    CalibrateJob,
    EnergyJob,
    IdentifyJob,
    ValidateJob,
)
from armtwin.app.jobs.outcome import outcome_of
from armtwin.app.jobs.work import calibrate, energy, identify, validate
from armtwin.app.jobs.work.context import JobContext
from armtwin.energy.recorded import recorded_energy
from armtwin.report.page import Facts, Page, Section, Table, Text, Verdict
from armtwin.report.result import Result

PAGE = Page(
    title="A result",
    verdict=Verdict(True, "every limit is kept"),
    facts=(("Arm", "ur5e"),),
    sections=(
        Section("Shown", (Table(("a", "b"), ((1, 2.0),), "figures"), Facts((("c", "d"),)))),
        Section("Notes", (Text("a note"),)),
        Section("Detail", (Text("not shown"),), detail=True),
    ),
)


class FakeResult(Result):
    """A result with the page above; it writes empty reports and arms."""

    passed, arm, motion = True, None, None

    def page(self):
        """Return the page."""
        return PAGE

    def to_dict(self):
        """Return nothing."""
        return {}

    def report(self, path, *, force=False):
        """Write an empty report."""
        path.write_bytes(b"")
        return path

    save = report


def context(parameters, folder, files):
    """Return what a job's process gets."""
    nothing = lambda *_: None  # noqa: E731
    return JobContext(parameters, "ur5e-energy", files, folder, report_step=nothing, show=nothing)


OWN_OPTIONS = {
    ValidateJob: {"fit_tool": True, "limits": ["position=1mm"]},
    CalibrateJob: {"parameters": "geometry", "hold_out": 0.5},
    IdentifyJob: {"mounting": True, "payload": True, "friction": "power-flow"},
}


@pytest.mark.parametrize(
    ("kind", "module"),
    [(ValidateJob, validate), (CalibrateJob, calibrate), (IdentifyJob, identify)],
)
def test_job_passes_the_options_of_its_verb(kind, module, tmp_path, monkeypatch):
    """The library function gets the options, mapping and files when a job gives them."""
    seen = {}

    def library(arm, recordings, *rest, **given):
        seen.update(given, recordings=recordings)
        return FakeResult()

    verb = kind.__name__.removesuffix("Job").lower()
    monkeypatch.setattr(module, verb, library)
    monkeypatch.setattr(calibrate, "export", lambda *_: None)
    files = {"one": tmp_path / "one.csv"}
    own = {"recording": "one"} if kind is ValidateJob else {"recordings": ["one"]}
    given = {"kind": verb, "mapping": "rtde", "options": OWN_OPTIONS[kind], **own}
    parameters = kind.model_validate_json(json.dumps(given))
    assert parameters == kind.model_validate(json.loads(json.dumps(given)))
    outcome = module.work(context(parameters, tmp_path, files))
    assert seen["mapping"] == "rtde"
    for name, value in OWN_OPTIONS[kind].items():
        assert getattr(seen["options"], name) == (tuple(value) if name == "limits" else value)
    assert outcome.model_copy(update={"files": ()}) == outcome_of(PAGE)
    assert outcome.verdict == "every limit is kept" and outcome.notes == ("a note",)
    assert [file.name for file in outcome.files][-2:] == ["report.html", "report.pdf"]


def test_files_of_a_group_share_a_placement(tmp_path, monkeypatch):
    """One base and tool serve two recordings and a test when the parameters group them."""
    seen = {}

    def library(arm, recordings, *, test, **given):
        seen.update(recordings=recordings, test=test)
        return FakeResult()

    monkeypatch.setattr(calibrate, "calibrate", library)
    monkeypatch.setattr(calibrate, "export", lambda *_: None)
    files = {name: tmp_path / f"{name}.csv" for name in "abc"}
    parameters = CalibrateJob(
        kind="calibrate", recordings=["a", "b"], test=["c"], groups=[["a", "b", "c"]]
    )
    calibrate.work(context(parameters, tmp_path, files))
    assert seen == {
        "recordings": {"1": [files["a"], files["b"]]},
        "test": {"1": [files["c"]]},
    }


def test_energy_job_shows_the_ledger_of_the_loaded_arm(tmp_path, monkeypatch):
    """The outcome is the library's page when a recording is balanced with a payload."""
    monkeypatch.setattr(Result, "report", FakeResult.report)
    arm = at.load("ur5e-energy")
    time = np.arange(0, 1, 0.01)
    q = np.array([0.0, -1.5, 1.2, -1.0, -1.5, 0.3]) + 0.3 * np.sin(time[:, None] * np.arange(1, 7))
    path = at.Recording.of(time, {"q": q}, arm=arm.name).save(tmp_path / "run.parquet")
    parameters = EnergyJob(kind="energy", recording="run", payload=3.0, com=[0.0, 0.0, 0.05])
    outcome = energy.work(context(parameters, tmp_path, {"run": path}))
    loaded = at.with_payload(arm, 3.0, com=(0, 0, 0.05))
    page = recorded_energy(loaded, path).page()
    assert outcome.model_copy(update={"files": ()}) == outcome_of(page)
    assert outcome.facts != outcome_of(recorded_energy(arm, path).page()).facts
