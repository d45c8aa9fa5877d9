"""Processes that armtwin starts do not import what lies in the user's folder."""

import subprocess

import pytest
from table_files import motion, write_xlsx

import armtwin as at
from armtwin.processes import module_command


@pytest.fixture
def shadowed(tmp_path, monkeypatch):
    """Work in a folder with a module that has the name of one of the standard library."""
    (tmp_path / "json.py").write_text("raise SystemExit('imported from the current folder')")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_module_of_the_folder_is_not_imported(shadowed):
    """The standard library's module runs when the current folder has one of its name."""
    usual = [word for word in module_command("json.tool") if word != "-P"]
    assert subprocess.run(usual, input=b"{}", capture_output=True).returncode != 0
    assert subprocess.run(module_command("json.tool"), input=b"{}").returncode == 0


def test_spreadsheet_is_read_beside_a_shadowing_module(shadowed):
    """A spreadsheet is read when its folder has a module of the standard library's name."""
    time, q, _ = motion()
    write_xlsx(shadowed / "run.xlsx", ["time", *[f"q{k}" for k in range(1, 7)]], [time, *q.T])
    assert len(at.read_recording("run.xlsx").time) == len(time)
