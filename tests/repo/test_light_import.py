"""``import armtwin`` and ``armtwin --help`` stay light."""

import subprocess
import sys

import pytest

HEAVY = ["numpy", "scipy", "casadi", "pydantic", "typer", "rich", "matplotlib", "pyarrow", "mujoco"]


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("armtwin", HEAVY),
        ("armtwin.cli.main", [name for name in HEAVY if name not in ("typer", "rich", "pydantic")]),
    ],
)
def test_import_leaves_heavy_libraries_out(module, heavy):
    """No heavy library is loaded when the package or the command line is imported."""
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(heavy) & set(run.stdout.split())


def test_help_needs_no_numpy():
    """The help page is printed without NumPy when all verbs are listed."""
    code = (
        "import sys; from armtwin.cli.main import run; code = run(['--help']); "
        "sys.exit(code or 'numpy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "reproduce" in run.stdout
