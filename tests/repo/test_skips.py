"""With CI=true whatever is missing fails, but for recordings and packages without a wheel."""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MODULES = {
    "absent_folder": "from data_folder import recordings_folder\n"
    "def test_it():\n    recordings_folder()\n",
    "absent_file": "from data_folder import recording_file\n"
    "def test_it(monkeypatch, tmp_path):\n"
    "    monkeypatch.setenv('ARMTWIN_DATA', str(tmp_path))\n    recording_file('run.csv')\n",
    "absent_in_a_fixture": "import pytest\nfrom data_folder import recordings_folder\n"
    "@pytest.fixture(scope='module')\ndef run():\n    return recordings_folder()\n"
    "def test_it(run):\n    pass\n",
    "test": "import pytest\ndef test_it():\n    pytest.skip('no real recordings')\n",
    "mark": "import pytest\n@pytest.mark.skip\ndef test_it():\n    pass\n",
    "module": "import pytest\npytest.importorskip('no_such_package', reason='not installed')\n",
    "no_wheel": "import importlib.util, sys\ndef test_it(monkeypatch, request):\n"
    "    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)\n"
    "    monkeypatch.setattr(sys, 'version_info', (3, 13))\n"
    "    request.getfixturevalue('ur_rtde')\n",
    "expected_failure": "import pytest\n@pytest.mark.xfail\ndef test_it():\n    assert False\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with small tests that are skipped for one reason each."""
    made = tmp_path_factory.mktemp("tests")
    for name in ("conftest.py", "data_folder.py", "longest_first.txt"):
        shutil.copy(TESTS / name, made)
    for name, text in MODULES.items():
        (made / f"test_{name}.py").write_text(text)
    return made


def outcomes(folder, ci):
    """Run the small tests without any recordings; return outcome and words by module."""
    nothing = {"ARMTWIN_DATA": str(folder / "nowhere"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    report = folder / f"report{ci}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-o", "pythonpath=.", "--junitxml", report,
               "--continue-on-collection-errors", "--import-mode=importlib"]  # fmt: skip
    subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "CI": ci, **nothing},
        capture_output=True,
        check=False,
    )
    found = {}
    for case in ET.parse(report).iter("testcase"):
        name = (case.get("classname") or case.get("name")).removeprefix("test_")
        result = next(iter(case), None)
        words = "" if result is None else f"{result.get('message')} {result.text}"
        found[name] = ("passed" if result is None else result.tag, words)
    return found


@pytest.fixture(scope="module")
def strict(folder):
    """What the small tests come to with CI=true."""
    return outcomes(folder, "true")


@pytest.mark.parametrize("name", ["absent_folder", "absent_file", "absent_in_a_fixture"])
def test_absent_recordings_are_skipped(strict, name):
    """The test is skipped and says what is missing when a real recording is not there."""
    outcome, words = strict[name]
    assert outcome == "skipped"
    assert "no real recording" in words


@pytest.mark.parametrize("name", ["test", "mark", "module"])
def test_other_skips_fail(strict, name):
    """The run fails with CI=true when anything else is skipped, whatever its reason says."""
    outcome, words = strict[name]
    assert outcome in ("failure", "error")
    assert "CI=true allows no skip" in words


def test_packages_without_a_wheel_are_skipped(strict):
    """The test is skipped and names the package when it has no wheel for this Python."""
    outcome, words = strict["no_wheel"]
    assert outcome == "skipped"
    assert "ur_rtde has no wheel" in words


def test_expected_failures_are_no_skips(strict):
    """The run is not failed with CI=true when a test fails as expected."""
    assert strict["expected_failure"][0] == "skipped"  # as the report's format calls it


def test_skips_are_allowed_elsewhere(folder):
    """Nothing fails when a component is missing and CI is not set."""
    assert {outcome for outcome, _ in outcomes(folder, "").values()} == {"skipped"}
