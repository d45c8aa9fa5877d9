"""Programs that come with the wheel: an arm of the catalogue needs no CasADi."""

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import armtwin as at
from armtwin.compile import kernel, shipped
from armtwin.compile.kernel import program_file, program_for
from armtwin.equations.drives import drive
from armtwin.equations.kinematics import tool_pose
from armtwin.equations.symbolic import ca
from armtwin.errors import MissingDataError

sys.path.insert(0, str(Path(__file__).parents[3] / "requirements"))
import build_programs

Q = np.array([0.3, -1.1, 0.7, -0.2, 0.9, 0.4])


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Return an archive with the forward kinematics of one arm, as the build writes it."""
    folder = tmp_path_factory.mktemp("programs")
    with pytest.MonkeyPatch.context() as patch:
        chosen = {"tool_pose": tool_pose.tool_pose, "friction": drive.friction}
        patch.setattr(build_programs, "equations", lambda takes_arm: chosen if takes_arm else {})
        build_programs.build(["ur5e"], folder / "programs.zip")
    return folder / "programs.zip"


@pytest.fixture
def without_casadi(archive, tmp_path, monkeypatch):
    """Use the archive and an empty cache in a process without CasADi."""
    monkeypatch.setattr(shipped, "ARCHIVE", archive)
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("armtwin.extras._installed", lambda name: name != "casadi")
    for name in list(vars(ca)):  # what was used of CasADi before
        monkeypatch.delattr(ca, name)
    kernel._RECENT.clear()
    return archive


def test_catalogue_arm_runs_from_the_archive(without_casadi):
    """Poses are those of the derived program when only the archive has it."""
    arm = at.load("ur5e").with_()
    T = at.fk(arm, Q)
    np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-14)
    assert program_for(arm, tool_pose.tool_pose).to_json() == shipped.shipped_text(
        program_file(arm, tool_pose.tool_pose)
    )


def test_archive_holds_what_is_derived(archive, monkeypatch):
    """The shipped program equals the derived one when CasADi derives it here."""
    arm = at.load("ur5e")
    monkeypatch.setattr(shipped, "ARCHIVE", archive)
    text = shipped.shipped_text(program_file(arm, tool_pose.tool_pose))
    listing = tool_pose.tool_pose(arm).listing()
    assert text == kernel.Program.from_listing(listing).to_json()


def test_other_arm_names_the_extra(without_casadi):
    """The error names the extra when an arm's numbers are not the catalogue's."""
    arm = at.load("ur5e")
    longer = arm.with_(tool=np.diag([1.0, 1, 1, 1]) + np.eye(4, k=3) * 0.01)
    with pytest.raises(MissingDataError, match=r"casadi.*pip install 'armtwin\[derive\]'"):
        at.fk(longer, Q)


def test_missing_numbers_are_named_before_missing_packages(without_casadi):
    """The arm's own lack is reported when it has no drives, with CasADi and without."""
    with pytest.raises(MissingDataError, match="lacks any drive"):
        program_for(at.load("ur5e").with_(), drive.friction)


@pytest.mark.parametrize("damage", ["missing", "cut", "other text"])
def test_damaged_archive_is_passed_over(damage, archive, tmp_path, monkeypatch):
    """The program is derived when the archive is missing, cut or holds nonsense."""
    arm, broken = at.load("ur5e").with_(), tmp_path / "programs.zip"
    name = program_file(arm, tool_pose.tool_pose)
    if damage == "cut":
        broken.write_bytes(archive.read_bytes()[:100])
    elif damage == "other text":
        with zipfile.ZipFile(broken, "w") as file:
            file.writestr(name, json.dumps([1, 2]))
    monkeypatch.setattr(shipped, "ARCHIVE", broken)
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / "cache"))
    assert program_for(arm, tool_pose.tool_pose).name == "tool_pose"


def test_equal_programs_are_kept_and_give_equal_bytes(archive, tmp_path, monkeypatch):
    """The archive stays as it is when nothing changed since it was written."""
    before = archive.read_bytes()
    chosen = {"tool_pose": tool_pose.tool_pose, "friction": drive.friction}
    monkeypatch.setattr(build_programs, "equations", lambda takes_arm: chosen if takes_arm else {})
    build_programs.build(["ur5e"], archive)
    assert archive.read_bytes() == before
    build_programs.build(["ur5e"], tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == before
