"""FMUs through the command line, from export to report."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fmu_files import fmu

import armtwin
from armtwin.cli.main import run as command_line
from armtwin.fmu.check.truth import expected
from armtwin.fmu.run.signals import Signals, read_signals, write_signals

JOINTS = [f"q{k}" for k in range(1, 7)]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a table of joints in an empty folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    time = 0.002 * np.arange(300)
    inputs = Signals(time, {name: np.sin(2 * time + k) for k, name in enumerate(JOINTS)})
    write_signals(tmp_path / "in.csv", inputs)
    return inputs


def poses(inputs):
    """Return the Python model's poses."""
    return expected(armtwin.load("ur10e"), "fk", inputs)


def test_export_run_check(table, capsys):
    """A model is written, run and checked when the verbs follow each other."""
    assert command_line(["fmu", "export", "ur10e", "--out", "fk.fmu"]) == 0
    assert command_line(["fmu", "run", "fk.fmu", "--input", "in.csv", "--out", "out.csv"]) == 0
    assert "one-row lag undone for x, y, z" in capsys.readouterr().out
    found = read_signals(Path("out.csv"))
    for name, truth in poses(table).items():
        assert np.abs(found.columns[name] - truth).max() < 1e-12
    assert command_line(["fmu", "check", "fk.fmu", "--rows", "50"]) == 0
    said = capsys.readouterr().out
    assert "Python model against the FMU (cs)" in said
    assert "loaded and run below" in said


@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
@pytest.mark.parametrize("runner", ["armtwin", "fmpy"])
def test_run_as_json(table, out, runner, capsys):
    """The summary of a run is JSON when it is asked for, by either runner and file kind."""
    if runner == "fmpy":
        pytest.importorskip("fmpy", reason="FMPy is not installed")
    words = [
        "fmu",
        "run",
        str(fmu()),
        "--input",
        "in.csv",
        "--out",
        out,
        "--with",
        runner,
        "--json",
    ]
    assert command_line(words) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["rows"] == 300
    assert reported["lag_rows"] == 1
    assert reported["runner"] == runner
    found = read_signals(Path(out))
    assert np.abs(found.columns["x"] - poses(table)["x"]).max() < 1e-12


def test_quick_start_gives_the_same_file(table):
    """The installed command writes the bytes of the full command line when the form is plain."""
    words = ["fmu", "run", str(fmu()), "--input", "in.csv", "--step", "0.002", "--out"]
    done = subprocess.run(
        [sys.executable, "-m", "armtwin.cli", *words, "quick.csv"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "one-row lag undone" in done.stdout
    assert command_line([*words, "full.csv", "--json"]) == 0
    assert Path("quick.csv").read_bytes() == Path("full.csv").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ["nothing.fmu", "--input", "in.csv", "--out", "out.csv"],
        ["{fmu}", "--input", "in.csv", "--out", "in.csv"],
        ["{fmu}", "--input", "short.csv", "--out", "out.csv"],
        ["{fmu}", "--input", "in.csv", "--out", "nowhere/out.csv"],
        ["{fmu}", "--input", "text.csv", "--out", "out.csv"],
    ],
)
def test_quick_start_says_what_the_full_one_says(words, table, capsys):
    """The message is that of the full command line when the quick one meets bad input."""
    Path("short.csv").write_text("time,q1\n0,0\n1,1\n", encoding="utf-8")
    Path("text.csv").write_text("time,q1\n0,zero\n", encoding="utf-8")
    filled = ["fmu", "run", *[word.format(fmu=fmu()) for word in words]]
    done = subprocess.run(
        [sys.executable, "-m", "armtwin.cli", *filled], capture_output=True, text=True
    )
    assert command_line(filled) == done.returncode == 2
    assert done.stderr == capsys.readouterr().err


def test_step_and_no_align(table, capsys):
    """Rows are resampled and left as read when a step and no alignment are asked for."""
    words = ["fmu", "run", str(fmu()), "--input", "in.csv", "--out", "out.csv"]
    assert command_line([*words, "--step", "0.001", "--no-align"]) == 0
    assert "one row late" in capsys.readouterr().out
    assert read_signals(Path("out.csv")).time.size == 599


def test_system_runs(table, capsys):
    """The summary names the master when a system is written and run."""
    pytest.importorskip("fmpy", reason="FMPy is not installed")
    words = ["fmu", "system", "ur10e", "--out", "loop.ssp", "--duration", "1.0", "--run", "fmpy"]
    assert command_line([*words, "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["master"].startswith("FMPy")
    assert reported["deviation_mm"] < 5
    assert reported["alarm"] is False


def test_whole_report(table, capsys):
    """Every file of the FMU report is written when it is reproduced in one command."""
    assert command_line(["reproduce", "fmu-report", "--out", "report", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["passed"]
    assert len(reported["figures"]) == 110
    sizes = {path.name: path.stat().st_size for path in Path("report").iterdir()}
    assert {"UR10e_FK.fmu", "report.html", "report.pdf", "ur10e_outs.csv"} <= set(sizes)
    assert read_signals(Path("report/ur10e_outs.csv")).time.size == 29_051
    assert command_line(["reproduce", "fmu-report", "--out", "report"]) == 2


def test_report_of_a_given_recording(table, capsys):
    """The report is of the recording when one is given."""
    arm = armtwin.load("ur10e-report")
    where = armtwin.tool_coordinates(arm, np.column_stack(list(table.columns.values())))
    columns = dict(table.columns) | dict(zip("xyz", where.position.T, strict=True))
    columns |= dict(zip(("qx", "qy", "qz", "qw"), where.quaternion.T, strict=True))
    write_signals(Path("log.csv"), Signals(table.time, columns))
    words = ["reproduce", "fmu-report", "--recording", "log.csv", "--out", "mine", "--json"]
    assert command_line(words) == 0
    reported = {r["name"]: r["value"] for r in json.loads(capsys.readouterr().out)["results"]}
    assert reported["Table 5, position max"] < 1e-9
