"""The verb identify and its report."""

import json

import pytest
from benchmarks.planted import planted, true_arm, without_drives

import armtwin as at
from armtwin.cli.main import run

TRUTH = true_arm()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with an arm file and two recordings."""
    place = tmp_path_factory.mktemp("identify")
    at.export(without_drives(TRUTH), place / "arm.toml")
    for name, seed in (("train", 31), ("test", 32)):
        planted(TRUTH, seed, seconds=12.0, rate=100.0).save(place / f"{name}.parquet")
    return place


def test_verb_prints_and_writes(folder, capsys):
    """Tables on the screen, an arm file and a report when everything is asked for."""
    out, report = str(folder / "found.toml"), str(folder / "found.html")
    words = ["identify", str(folder / "arm.toml"), str(folder / "train.parquet"), "--test",
             str(folder / "test.parquet"), "--out", out, "--report", report, "--method", "staged",
             "--friction", "power-flow"]  # fmt: skip
    assert run(words) == 0
    text = capsys.readouterr().out
    assert "torque_constant6" in text and "raw R²" in text and "note: samples slower" in text
    assert "PASSED: R2 of the current on the test data" in text and f"written: {out}" in text
    assert "Base parameters of links" not in text
    assert "coulomb_scale" in text
    assert at.load(str(folder / "found.toml")).joints[0].drive.torque_constant > 0
    html = (folder / "found.html").read_text(encoding="utf-8")
    assert "Motor current" in html and "Parameters and their priors" in html
    assert "sha256:" in html
    assert run(words) == 2
    assert "exists" in capsys.readouterr().err


def test_verb_speaks_json(folder, capsys):
    """Estimates, accuracy and gaps as data when --json is given with --split."""
    words = ["identify", str(folder / "arm.toml"), str(folder / "train.parquet"), "--split", "0.7",
             "--method", "staged", "--friction", "power-flow", "--json"]  # fmt: skip
    assert run(words) == 0
    found = json.loads(capsys.readouterr().out)
    names = [row["name"] for row in found["estimates"]]
    assert names[0] == "torque_constant1" and len(names) == 30
    assert {row["part"] for row in found["accuracy"]} == {"train", "test"}
    assert found["friction_laws"][0]["law"] == "power-flow"
    scales = found["torque_scales"]
    assert all(0 <= v <= 0.9 and 0 <= c <= 0.8 for v, c in zip(*scales.values(), strict=True))
    assert max(scales["viscous"]) > 0.5


def test_bad_words_are_refused(folder, capsys):
    """Exit code 2 and one line when test data repeat the training data, or --split meets --test."""
    arm, train = str(folder / "arm.toml"), str(folder / "train.parquet")
    assert run(["identify", arm, train, "--test", train]) == 2
    assert "proves nothing" in capsys.readouterr().err
    assert run(["identify", arm, train, "--test", train, "--split", "0.5"]) == 2
    assert "a split divides" in capsys.readouterr().err


def test_files_and_split_in_python(folder):
    """Files are on the page, and each step is reported, when identify reads them itself."""
    steps = []
    fit = at.identify(
        folder / "arm.toml", folder / "train.parquet", split=0.7, method="staged",
        friction="power-flow", on_progress=lambda progress: steps.append(progress.step),
    )  # fmt: skip
    assert fit.inputs == (folder / "train.parquet",)
    assert [row[0] for row in fit.page().inputs] == ["train.parquet"]
    assert fit.judgement.passed and len(fit.r2("test")) == 6
    assert steps[0] == "reading the recordings" and "choosing friction laws" in steps


def test_page_has_every_part():
    """Tables, overlays and boxes for both parts of the data when there are both."""
    runs = [planted(TRUTH, seed, seconds=8.0, rate=100.0) for seed in (33, 34)]
    fit = at.identify(without_drives(TRUTH), runs[0], test=runs[1], method="staged",
                      friction="power-flow")  # fmt: skip
    found = fit.page()
    titles = [section.title for section in found.sections]
    assert titles[:3] == ["Result", "Target torque", "Motor current"]
    assert titles[-1] == "Friction laws"
    charts = [part.title for part in found.sections[2].parts]
    assert len(charts) == 4 and "errors, test" in charts[3]
    assert dict(found.settings)["rest_speed"] == "0.02"
