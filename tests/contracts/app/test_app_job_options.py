"""The options of a job are the options object of its verb, as JSON and nothing else."""

import dataclasses
import json
import typing

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

import armtwin as at
from armtwin.app.jobs.job_options import ClientOptions
from armtwin.app.jobs.job_parameters import JobParameters, files_of
from armtwin.app.jobs.work import detect, energy, excite, optimize
from armtwin.app.jobs.work.context import JobContext
from armtwin.report.result import Result

READ = TypeAdapter(JobParameters).validate_json
POINTS = [[0.0, -1.5, 1.0, -0.5, 1.0, 0.0], [0.2, -1.5, 1.0, -0.5, 1.0, 0.0]]
ONLY_PYTHON = {"optimize": {"inputs"}}
"""Fields that clients cannot set: names of the server's files."""
GIVEN = {
    "validate": ({"recording": "a"}, {"fit_tool": True, "limits": ["position=1mm"]}),
    "calibrate": ({"recordings": ["a"]}, {"parameters": "geometry", "hold_out": 0.5}),
    "identify": ({"recordings": ["a"]}, {"method": ["links", "rotors"], "split": 0.5}),
    "energy": ({"recording": "a"}, {"rule": "brake", "idle": 25.0, "measured": True}),
    "detect": ({"recording": "a", "clean": ["b"]}, {"per_hour": 0.1, "adaptation": None}),
    "optimize": (
        {"points": POINTS},
        {
            "slower": 1.25, "limits": {"speed": [1.0] * 6, "acceleration": 6.0},
            "around": {"obstacles": [{"start": [1, 0, 0], "end": [1, 0, 1], "radius": 0.1}]},
            "trapezoid": {"vmax": 2.0},
        },
    ),
    "excite": ({}, {"kind": "waypoints", "box": [[-1, -1, 0], [1, 1, 1]], "limits": {"speed": 2}}),
}  # fmt: skip
"""Per verb: files or points of a job, and some options."""
REFUSED = {
    "energy": [{"rule": "none"}, {"idle": -1}, {"idle": "nan"}, {"run": 1}],
    "detect": [{"per_hour": 0}, {"adaptation": -1.0}, {"clean": "/etc/passwd"}],
    "optimize": [
        {"seconds": 2.0, "slower": 1.5}, {"seconds": 1e9}, {"slower": 0}, {"idle": -1},
        {"inputs": ["/etc/passwd"]}, {"limits": {"speed": "/etc/passwd"}}, {"around": "cell.txt"},
        {"limits": {"speed": [1.0] * 65}}, {"rule": {"name": "x"}},
    ],
    "excite": [
        {"kind": "dance"}, {"period": 1e9}, {"harmonics": 1000}, {"points": 1}, {"rate": 1e9},
        {"seed": -1}, {"box": [[0, 0, 0]]}, {"obstacles": "cell.txt"},
    ],
}  # fmt: skip


def verb_jobs():
    """Return every class of jobs that has options, by verb."""
    kinds = typing.get_args(typing.get_args(JobParameters)[0])
    found = [kind for kind in kinds if "options" in kind.model_fields]
    return {typing.get_args(kind.model_fields["kind"].annotation)[0]: kind for kind in found}


def parsed(verb, options):
    """Return a job's parameters as the API reads them."""
    return READ(json.dumps({"kind": verb, **GIVEN[verb][0], "options": options}))


@pytest.mark.parametrize("verb", sorted(GIVEN))
def test_api_has_the_fields_of_the_options_object(verb):
    """Fields and defaults are those of the library's object when the schema is read."""
    job = verb_jobs()[verb]
    kind = getattr(at, f"{verb.capitalize()}Options")
    assert job.model_fields["options"].annotation is kind
    fields = {field.name: field for field in dataclasses.fields(kind)}
    described = job.model_json_schema()["$defs"][kind.__name__]["properties"]
    assert set(described) == set(fields) - ONLY_PYTHON.get(verb, set())
    (client,) = (m for m in job.model_fields["options"].metadata if isinstance(m, ClientOptions))
    defaults = json.loads(json.dumps(client.write(kind())))
    assert {name: one["default"] for name, one in described.items()} == defaults


def test_every_job_with_options_is_covered():
    """No verb is left out when a job takes options."""
    assert set(verb_jobs()) == set(GIVEN)


@pytest.mark.parametrize("verb", sorted(GIVEN))
def test_options_survive_the_way_to_the_process(verb):
    """The same values arrive when a job's parameters are sent to its process as JSON."""
    first = parsed(verb, GIVEN[verb][1])
    again = READ(first.model_dump_json())
    assert again.model_dump() == first.model_dump()
    assert type(again.options) is type(first.options)
    assert dataclasses.asdict(again.options) == dataclasses.asdict(first.options)


@pytest.mark.parametrize(
    ("verb", "options"), [(verb, one) for verb, many in REFUSED.items() for one in many]
)
def test_bad_options_are_refused(verb, options):
    """The job is not started when an option is unknown, out of range, or names a file."""
    with pytest.raises(ValidationError):
        parsed(verb, options)


def test_clean_runs_are_uploads():
    """Clean runs are looked up among the uploads when a detection names them."""
    assert files_of(parsed("detect", {})) == ["a", "b"]


@pytest.mark.parametrize(
    ("verb", "module", "name"),
    [
        ("energy", energy, "recorded_energy"), ("detect", detect, "detect"),
        ("excite", excite, "excite"), ("optimize", optimize, "optimize"),
    ],
)  # fmt: skip
def test_job_passes_its_options_on(verb, module, name, tmp_path, monkeypatch):
    """The library function gets the options and a callback when the job runs."""
    seen = {}

    class StoppedError(Exception):
        """Ends the job once the library function is called."""

    def library(*_, **given):
        seen.update(given)
        raise StoppedError

    monkeypatch.setattr(module, name, library)
    if verb == "detect":
        monkeypatch.setattr(module, "read_recording", lambda path, *_, **__: path.name)
    parameters = parsed(verb, GIVEN[verb][1])
    files = {key: tmp_path / key for key in "ab"}
    nothing = lambda *_: None  # noqa: E731
    job = JobContext(parameters, "ur5e-energy", files, tmp_path, nothing, nothing)
    with pytest.raises(StoppedError):
        module.work(job)
    assert seen["options"] is parameters.options
    assert callable(seen["on_progress"])
    assert verb != "detect" or seen["clean"] == ["b"]


@pytest.mark.parametrize(("verb", "module"), [("detect", detect), ("excite", excite)])
def test_job_runs(verb, module, tmp_path, monkeypatch):
    """The outcome has the result's facts and reports when the job is done."""

    def report(result, path, *, force=False):
        path.write_bytes(b"")
        return path

    monkeypatch.setattr(Result, "report", report)
    time = 0.008 * np.arange(1500)
    q = np.array([0.0, -1.5, 1.2, -1.0, -1.5, 0.3]) + 0.3 * np.sin(time[:, None] * np.arange(1, 7))
    qd = np.gradient(q, time, axis=0)
    tau = at.inverse_dynamics("ur5e-energy", q, qd, np.gradient(qd, time, axis=0))
    tau += np.random.default_rng(1).normal(0, 0.1, tau.shape)
    run = at.Recording.of(time, {"q": q, "qd": qd, "tau": tau}, arm="ur5e-energy")
    files = {key: run.save(tmp_path / f"{key}.parquet") for key in "ab"}
    nothing = lambda *_: None  # noqa: E731
    parameters = parsed(verb, {"period": 4.0} if verb == "excite" else {})
    job = JobContext(parameters, "ur5e-energy", files, tmp_path, nothing, nothing)
    outcome = module.work(job)
    assert "report.html" in [file.name for file in outcome.files]
    assert (tmp_path / "motion.csv").exists() == (verb == "excite")
