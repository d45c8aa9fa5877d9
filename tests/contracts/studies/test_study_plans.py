"""Study files: what they may hold, and the rows that they give."""

import dataclasses
import re
import textwrap
from pathlib import Path

import pytest
from study_recordings import recording, study_of, write_recordings

import armtwin as at
from armtwin.errors import InputError
from armtwin.studies.planning.study_plan import make_plan
from armtwin.studies.runs.verbs import VERBS, parameters

DETECT = {
    "verb": "detect",
    "seed": 7,
    "repeats": 3,
    "fixed": {"arm": "ur10e", "simulate": {"push": {"joint": 2, "start": 1.0}}},
    "sweep": {"simulate": {"push": {"torque": [5, 10]}}},
    "random": {"simulate": {"plant": {"payload": {"uniform": [0.0, 2.0]}}}},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a folder of three recordings."""
    return write_recordings(tmp_path_factory.mktemp("runs"), 3)


def test_every_combination_is_a_row():
    """Values, repeats, seeds and draws make rows of their own when a study is read."""
    plan = make_plan(DETECT)
    torques = [row.inputs["simulate.push.torque"] for row in plan.rows]
    assert torques == [5, 5, 5, 10, 10, 10]
    payloads = [row.inputs["simulate.plant.payload"] for row in plan.rows]
    assert len({row.seed for row in plan.rows}) == len(set(payloads)) == 6
    assert all(0 <= payload <= 2 for payload in payloads)
    assert len({row.key for row in plan.rows}) == 6


def test_seeds_and_draws_depend_on_the_row_alone():
    """Rows are the same when a study is read again, and others when its seed is another."""
    first, again, other = (make_plan(DETECT | more) for more in ({}, {}, {"seed": 8}))
    assert [row.key for row in first.rows] == [row.key for row in again.rows]
    assert not {row.key for row in first.rows} & {row.key for row in other.rows}


def test_a_new_recording_leaves_the_keys_of_others(tmp_path):
    """Only the new recording is a new row when one is added in front of the others."""
    folder = write_recordings(tmp_path, 2)
    before = {row.key for row in make_plan(study_of(folder)).rows}
    recording(9).save(folder / "a_new_one.parquet")
    after = {row.key for row in make_plan(study_of(folder)).rows}
    assert before < after
    assert len(after) == 3


def test_a_changed_arm_file_changes_the_keys(tmp_path, runs):
    """Rows are to be run again when the arm file that they name has changed."""
    file = tmp_path / "my_arm.toml"
    at.export(at.load("ur5e"), file)
    fixed = {"arm": str(file)}
    before = {row.key for row in make_plan(study_of(runs, fixed=fixed)).rows}
    at.export(at.load("ur5e").with_(name="changed"), file, force=True)
    assert not before & {row.key for row in make_plan(study_of(runs, fixed=fixed)).rows}


@pytest.mark.parametrize("verb", ["validate", "identify", "optimize"])
def test_parameters_are_the_fields_of_the_options(verb):
    """Every plain field of a verb's options object is a parameter when the verb is studied."""
    known, options = parameters(verb), VERBS[verb].options
    for field in dataclasses.fields(options):
        nested = [name for name in known if name.startswith(f"{verb}.{field.name}.")]
        left_out = field.name in VERBS[verb].leave_out
        assert left_out or nested or known[f"{verb}.{field.name}"].default == field.default


def test_folders_are_listed_as_objects_are(runs):
    """The same recordings are found when a folder is named by its path or by a URI."""
    by_path, by_uri = make_plan(study_of(runs)), make_plan(study_of(f"file://{runs}"))
    names = [[row.recording.name for row in plan.rows] for plan in (by_path, by_uri)]
    assert names[0] == names[1] == ["run00.parquet", "run01.parquet", "run02.parquet"]
    assert by_uri.rows[0].recording.place.startswith("file://")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fixed": {"arm": "ur5e", "validate": {"fit_toll": True}}},
         "unknown parameter 'validate.fit_toll'; did you mean 'validate.fit_tool'.*"
         r"validate.fit_tool = False.*validate.remove_lag = False"),
        ({"fixed": {"arm": "ur5e", "simulate": {"seed": 1}}},
         r"unknown parameter 'simulate.seed'; known: arm, .*validate.efforts = True"),
        ({"fixed": {"arm": "ur5e", "validate": {"fit_tool": "yes"}}}, "must be bool"),
        ({"fixed": {}}, "give arm in"),
        ({"sweep": {"validate": {"fit_tool": True}}}, "give a list of values"),
        ({"sweep": {"arm": ["ur5e", "ur10e"]}}, "arm is given twice"),
        ({"random": {"validate": {"run": {"gauss": [0, 1]}}}}, "no distribution; .*normal"),
        ({"random": {"validate": {"run": {"uniform": [2, 1]}}}}, r"expected \[low, high\]"),
        ({"random": {"validate": {"run": 3}}}, "no distribution"),
        ({"repeats": 0}, "repeats: .*greater than or equal to 1"),
        ({"sweeps": {}}, "sweeps: unknown field; did you mean 'sweep'"),
        ({"verb": "validated"}, "verb: got 'validated'; did you mean 'validate'"),
        ({"recordings": {"folder": "nowhere"}}, "cannot be listed"),
        ({"verb": "optimize"}, "optimize is not run on recordings"),
    ],
)  # fmt: skip
def test_a_faulty_study_is_refused(runs, change, words):
    """The message names the fault, what is known and its default when a study has a fault."""
    with pytest.raises(InputError, match=words):
        make_plan(study_of(runs) | change)


def test_the_line_of_a_fault_is_named(tmp_path):
    """The line is in the message when a field of a study file is wrong or it is no TOML."""
    file = tmp_path / "s.toml"
    file.write_text('verb = "simulate"\n\nrepeats = "3"\n')
    with pytest.raises(InputError, match="line 3: repeats"):
        make_plan(file)
    file.write_text("verb = simulate\n")
    with pytest.raises(InputError, match="cannot be read as a study file.*line 1"):
        make_plan(file)
    with pytest.raises(InputError, match="no such file: .*missing.toml"):
        make_plan(tmp_path / "missing.toml")


def test_studies_of_the_documentation_are_studies(tmp_path, runs):
    """Every study on the page can be planned when its recordings are there."""
    text = (Path(__file__).parents[3] / "docs" / "studies.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^( *)```text\n(\s*verb = .*?)```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for _, block in blocks:
        file = tmp_path / "page.toml"
        file.write_text(textwrap.dedent(block).replace("s3://plant-7/runs", str(runs)))
        assert make_plan(file).rows
