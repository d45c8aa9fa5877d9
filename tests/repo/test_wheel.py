"""The wheel holds everything: installed away from the sources, it runs the demo.

With its base dependencies alone it computes with the catalogue's arms, and says which extra else
is needed.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest
from packaging.metadata import Metadata

import armtwin as at

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "requirements"))
from freeze import closure  # noqa: E402

ARM = "ur5e"
"""The arm whose programs go into the wheel of this test; the real one has all of the catalogue."""


def run(*command, variables=None, **options):
    """Run a command and return its output; fail with what it printed.

    ``PYTHONPATH`` is left out: it could lead to the sources instead of the wheel.
    """
    words = [str(part) for part in command]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= variables or {}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the folder of an environment with the wheel; other packages come from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    sources.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources / name)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", sources / "src", ignore=ignored)
    archive = sources / "src" / "armtwin" / "compile" / "programs.zip"
    archive.unlink(missing_ok=True)
    run(
        sys.executable, ROOT / "requirements" / "build_programs.py", "--arms", ARM, "--out", archive
    )
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sources)
    (wheel,) = folder.glob("armtwin-*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env")
    python = folder / "env" / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    # A path in a .pth file is added as it is: the editable install beside the packages is not read.
    (site / "packages.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return folder


def test_installed_package_is_the_wheels(installed):
    """The package comes from the wheel when the environment imports it away from the sources."""
    code = "import armtwin; print(armtwin.__file__)"
    place = run(installed / "env/bin/python", "-c", code, cwd=installed).strip()
    assert Path(place).is_relative_to(installed / "env")


def test_demo_runs_from_the_wheel(installed):
    """The demo names and writes its files, with circle and push, when only the wheel is there."""
    python = installed / "env/bin/python"
    text = run(python, "-W", "error", "-m", "armtwin.cli", "demo", cwd=installed)
    assert "FAILED" not in text
    listed = text.split("Written\n")[1].split("\n\n")[0].split("\n")
    named = [Path(line.strip()) for line in listed]
    names = {"demo.html", "demo.pdf", "demo.parquet", "demo.png", "demo_view.html", "UR10e_FK.fmu"}
    assert {path.name for path in named} == names
    assert all((installed / path).stat().st_size > 1000 for path in named)
    assert str(installed / "reports" / "demo.html") in text
    assert {path.name for path in (installed / "reports").iterdir()} == names
    check_circle_and_push(at.read_recording(installed / "reports" / "demo.parquet"))


def check_circle_and_push(recording):
    """Check that the tool goes round a circle of 0.2 m and that joint 2 is pushed at 6 s."""
    wanted = recording.group("target_position")
    turned = wanted[recording.time >= 4]
    centre = (turned.max(axis=0) + turned.min(axis=0)) / 2
    np.testing.assert_allclose(np.linalg.norm(wanted - centre, axis=1), 0.2, atol=1e-4)
    pushed = recording.time[np.abs(recording["tau_ext2"]) > 1]
    assert (pushed.min(), pushed.max()) == pytest.approx((6.002, 6.5))


def test_command_is_installed(installed):
    """The command prints its version when it is started from the wheel's environment."""
    assert run(installed / "env/bin/armtwin", "--version", cwd=installed).startswith("armtwin ")


@pytest.fixture(scope="module")
def base(installed):
    """Return the Python of an environment with the wheel and its base dependencies alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = installed / "base"
    packages.mkdir()
    for name in closure(project["dependencies"]):
        package = distribution(name)
        tops = {file.parts[0] for file in package.files or [] if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            (packages / top).symlink_to(Path(str(package.locate_file(top))))
    run(sys.executable, "-m", "venv", "--without-pip", installed / "base_env")
    (site,) = (installed / "base_env" / "lib").glob("python*/site-packages")
    (wheel,) = installed.glob("armtwin-*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    (site / "packages.pth").write_text(f"{packages}\n", encoding="utf-8")
    return installed / "base_env" / "bin" / "python"


BASE = """
import contextlib, importlib.util, io, json
import numpy as np
import armtwin as at
from armtwin.cli.main import run

assert not any(map(importlib.util.find_spec, ("casadi", "pyarrow", "matplotlib", "mujoco")))
q = np.array([0.3, -1.2, 0.9, -0.4, 1.1, 0.2])
T = at.fk("ur5e", q)
tau = at.inverse_dynamics("ur5e", q, 0.5 * q, -q)
near = np.abs(at.ik("ur5e", T, seed=q).q[0] - q).max()
t = np.arange(60) / 10
swing = q + 0.4 * np.sin(np.outer(t, [1.0, 1.3, 1.7, 2.0, 2.3, 2.6]))
position, torque = at.fk("ur5e", swing)[:, :3, 3], at.gravity("ur5e", swing)
at.Recording.of(t, {"q": swing, "position": position, "tau": torque}).save("run.csv")
same = bool((at.read_recording("run.csv").group("q") == swing).all())
poses = np.random.default_rng(0).uniform(-2, 2, (40, 6))
seen = at.fk("ur5e", poses + 1e-3 * np.sin(poses[0]))[:, :3, 3]
at.Recording.of(np.arange(40.0), {"q": poses, "position": seen}).save("poses.csv")
with open("some.parquet", "wb") as file:
    file.write(b"not looked at")
with open("study.toml", "w") as file:
    file.write("verb = 'simulate'\\n[fixed]\\narm = 'ur5e'\\n[sweep]\\nsimulate.seed = [0, 1]\\n")
answers = {}
for words in COMMANDS:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words.split())
    answers[words] = (code, err.getvalue())
print(json.dumps([T.tolist(), tau.tolist(), near, same, answers]))
"""
COMMANDS = {
    "arms": "",
    "show ur5e": "",
    "fk ur5e 0 -1 1 0 1 0": "",
    "ik ur5e --xyz -0.4 0.2 0.3 --rpy 3.1 0 0": "",
    "dynamics ur5e 0 -1 1 0 1 0": "",
    "validate ur5e run.csv": "",
    "calibrate ur5e run.csv --no-curves": "",
    "compensate run.csv --arm ur5e --out corrected.csv": "",
    "new my_arm.toml": "",
    "schema": "",
    "prepare run.csv --out ready.csv": "",
    "export ur5e --out ur5e.urdf": "",
    "doctor": "",
    "reach ur5e --poses 2e4 --cell 0.2": "",
    "uncertainty ur5e poses.csv --parameters offsets --draws 100 --poses 5": "",
    "study --parameters detect": "",
    "replay run.csv --as-robot --arm ur5e --host 127.61.0.1 --fast": "",
    "fk ur10e 0 -1 1 0 1 0": "derive",
    "prepare run.csv --out ready.parquet": "recordings",
    "validate ur5e run.csv --report check.html": "report",
    "view ur5e --out view.html": "derive",
    "excite ur5e --out excitation.csv": "derive",
    "export ur5e --equations fk --out c_code": "derive",
    "fmu export ur5e --out arm.fmu": "derive",
    "reproduce fk-report": "derive",
    "demo": "derive",
    "history show fleet": "history",
    "record 127.0.0.1 --out live.parquet": "recordings",
    "mirror 127.0.0.1 --record live.parquet": "recordings",
    "replay some.parquet --as-robot": "recordings",
    "servo status --port nowhere": "servo",
    "study study.toml": "study",
    "robot ur5e --body dynamic": "simulate",
    "simulate ur5e": "simulate",
    "identify ur5e run.csv": "identify",
    "app ur5e": "app",
}
"""Commands, and the extra that each asks for without any; ur10e is not in this test's wheel."""


def test_base_install_needs_neither_casadi_nor_pyarrow(base, tmp_path):
    """Kinematics, dynamics and CSV files work, and other verbs name their extra, without extras."""
    code = BASE.replace("COMMANDS", repr(list(COMMANDS)))
    variables = {"ARMTWIN_CACHE": str(tmp_path / "cache")}
    text = run(base, "-W", "error", "-c", code, cwd=tmp_path, variables=variables)
    T, tau, near, same, answers = json.loads(text.splitlines()[-1])
    q = np.array([0.3, -1.2, 0.9, -0.4, 1.1, 0.2])
    np.testing.assert_allclose(T, at.fk("ur5e", q), atol=1e-14)
    np.testing.assert_allclose(tau, at.inverse_dynamics("ur5e", q, 0.5 * q, -q), atol=1e-11)
    assert near < 1e-9
    assert same
    for words, extra in COMMANDS.items():
        status, told = answers[words]
        assert status == (2 if extra else 0), (words, told)
        assert not extra or f"pip install 'armtwin[{extra}]'" in told, (words, told)


def test_wheel_and_sdist_pass_twine(installed):
    """Twine finds nothing to correct when the wheel and the sdist are checked strictly."""
    make = "import setuptools.build_meta as backend; backend.build_sdist('..')"
    run(sys.executable, "-c", make, cwd=installed / "sources")
    files = [*installed.glob("armtwin-*.whl"), *installed.glob("armtwin-*.tar.gz")]
    assert len(files) == 2
    told = run(sys.executable, "-m", "twine", "check", "--strict", *files)
    assert told.count("PASSED") == 2, told


def test_metadata_are_complete_and_valid(installed):
    """Metadata follow the standard, with an SPDX licence, when the wheel's are read."""
    (wheel,) = installed.glob("armtwin-*.whl")
    with zipfile.ZipFile(wheel) as file:
        (name,) = [entry for entry in file.namelist() if entry.endswith("dist-info/METADATA")]
        found = Metadata.from_email(file.read(name), validate=True)
    assert found.name == "armtwin"
    assert found.license_expression == "Apache-2.0"
    assert found.description_content_type == "text/markdown"
    assert found.author == "armtwin contributors"
    minors = [text.rpartition(".")[2] for text in found.classifiers or [] if ":: 3." in text]
    assert minors == ["11", "12", "13"]
    assert set(found.provides_extra or ()) >= {"app", "derive", "recordings", "report"}
