"""Data of a page: arrays, rows that are kept, the document's policy, sliders, meshes."""

import base64
import dataclasses
import hashlib
import html
import json
import re
import zlib

import numpy as np
import pytest
from viewed_run import ARM, recorded

import armtwin as at
from armtwin.errors import InputError, NotBuiltError
from armtwin.model.geometry import LinkShape, Mesh
from armtwin.viewer import bundle
from armtwin.viewer.arrays import packed_arrays
from armtwin.viewer.comparison import comparison, figures, kept_rows
from armtwin.viewer.description import describe_arm
from armtwin.viewer.document import FRONT_END, LARGEST, content_bytes, document, json_text
from armtwin.viewer.kernels import page_functions
from armtwin.viewer.meshes import compact_glb
from armtwin.viewer.view import View, _arm_content, _fitting

HOSTILE = "</script><script>alert(1)</script><!-- \u202e & \"'"


def unpacked(packed):
    """Return the arrays of a block as the page reads them."""
    data, at_byte, found = zlib.decompress(base64.b64decode(packed["data"])), 0, {}
    for entry in packed["arrays"]:
        count = entry["rows"] * entry["columns"]
        grouped = np.frombuffer(data, np.uint8, 8 * count, at_byte).reshape(8, count)
        columns = np.ascontiguousarray(grouped.T).view("<f8").reshape(entry["columns"], -1)
        found[entry["name"]], at_byte = columns.T, at_byte + 8 * count
    return found


@pytest.fixture(scope="module")
def check():
    """Return the comparison of the catalogue's arm with a longer one."""
    return at.validate(ARM, recorded())


def test_arrays_keep_all_bits():
    """Every number comes back with all its bits when arrays are packed, NaN included."""
    rng = np.random.default_rng(0)
    given = {"time": np.arange(5.0), "q": rng.normal(size=(5, 3))}
    given["q"][2, 1] = np.nan
    found = unpacked(packed_arrays(given))
    np.testing.assert_array_equal(found["q"], given["q"])
    np.testing.assert_array_equal(found["time"][:, 0], given["time"])


def test_figures_are_those_of_the_check_when_all_rows_are_kept(check):
    """Figures equal those of validate when no row is left out."""
    assert figures(check, kept_rows(check, 1)) == list(check.table)


def test_largest_errors_survive_when_rows_are_left_out(check):
    """The largest error of every signal is kept when only a few rows are."""
    thin = figures(check, kept_rows(check, 97))
    assert [row.max for row in thin] == [row.max for row in check.table]
    assert thin[0].count < 0.1 * check.table[0].count


def test_recording_keeps_to_its_size(check):
    """Rows are left out, and that is said, when a recording is larger than the page allows."""
    small = comparison(check, 60_000)
    assert len(small["packed"]["data"]) <= 60_000
    assert small["kept"] < small["rows"] == 700
    assert small["stride"] > 1
    assert comparison(check)["kept"] == 700


def test_any_size_is_kept(check):
    """The search for rows ends when every row is a little too much and every second too little."""
    whole = len(comparison(check)["packed"]["data"])
    for share in (0.99, 0.9, 0.8, 0.6, 0.4, 0.2):
        assert len(comparison(check, int(share * whole))["packed"]["data"]) <= share * whole


def test_policy_allows_only_the_pages_own_code():
    """Hashes of the policy are those of script and style when a page is written."""
    text = document(HOSTILE, {"name": HOSTILE}, HOSTILE).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert policy.startswith("default-src 'none'")
    assert "unsafe-inline" not in policy
    assert "http" not in policy
    for pattern in (r"<style>(.*?)</style>", r"<script>(.*?)</script>"):
        (code,) = re.findall(pattern, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_names_cannot_leave_their_place():
    """Names stay text when they look like markup."""
    text = document(HOSTILE, {"name": HOSTILE}, HOSTILE).decode()
    assert "alert(1)</script" not in text
    assert html.escape(HOSTILE) in text
    assert json.loads(json_text({"name": HOSTILE}))["name"] == HOSTILE


@pytest.mark.parametrize("name", ["ur10e", "desktop5", "gen3", "ur3e-screws"])
def test_arms_are_described(name):
    """Joints, frames and solids are plain finite numbers when an arm is described."""
    arm = at.load(name)
    found = describe_arm(arm)
    json.dumps(found, allow_nan=False)
    assert len(found["joints"]) == arm.dof
    assert all(joint["lower"] < joint["upper"] for joint in found["joints"])
    assert {part["role"] for part in found["parts"]} >= {"housing", "foot"}
    assert all(0 <= part["link"] <= found["rows"] for part in found["parts"])


def test_power_needs_resistances():
    """Currents are computed in the page, power is not, when drives have no resistances."""
    arm = at.load(ARM)
    drives = [
        dataclasses.replace(j.drive, motor_constant=None, resistance=None) for j in arm.driven
    ]
    bare = [dataclasses.replace(j, drive=d) for j, d in zip(arm.driven, drives, strict=True)]
    assert page_functions(arm)[-2:] == ["current", "power"]
    assert page_functions(arm.with_(joints=tuple(bare)))[-1] == "current"


def test_meshes_keep_to_a_size():
    """A fine mesh gets coarser until it keeps to a size when it is packed."""
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.1)
    mesh = Mesh("ball.stl", data=ball.export(file_type="stl"))
    data = compact_glb([LinkShape(1, mesh)], 1, 1.0, 60_000)
    assert len(zlib.compress(data, 6)) <= 60_000
    back = trimesh.load(trimesh.util.wrap_as_stream(data), file_type="glb", force="mesh")
    np.testing.assert_allclose(back.extents, 0.2, atol=0.01)


def test_page_with_meshes_keeps_to_its_size():
    """1.5 MB hold all but meshes, and these have at most 1 MB, of the arm with the largest ones."""
    content = _arm_content(at.load("xarm7"))
    meshes, page = len(content["meshes"]), len(document("xarm7", content, "armtwin"))
    assert 400_000 < meshes <= 1_000_000
    assert page - meshes - content_bytes(content) <= FRONT_END


@pytest.mark.parametrize("size", [100, 350_000])
def test_recording_gets_the_room_that_is_left(check, size):
    """Rows are left out until the page keeps to 1.5 MB when a result's own page is large."""
    content = {"meshes": None, "result": "x" * size}
    content["recording"] = _fitting(check, content, {})
    assert len(document("x", content, "armtwin")) <= LARGEST
    assert (content["recording"]["kept"] == 700) == (size == 100)


def test_page_that_is_too_large_is_refused():
    """Its size and the limit are said, and nothing is written, when a result does not fit."""
    with pytest.raises(InputError, match=r"0\.60 MB.*at most 0\.54 MB.*report"):
        document("x", {"result": "x" * 600_000}, "armtwin")


def test_other_endings_are_refused(check, tmp_path):
    """A name without .html is refused when a page is saved."""
    view = View(check.arm, check, {"recording": {"name": "x"}})
    with pytest.raises(InputError, match=r"\.html"):
        view.save(tmp_path / "twin.pdf")
    assert list(tmp_path.iterdir()) == []


def test_missing_front_end_is_explained(check, monkeypatch, tmp_path):
    """What to run is said when the front end is not built."""
    monkeypatch.setattr(bundle, "DIST", tmp_path)
    view = View(check.arm, None, {})
    with pytest.raises(NotBuiltError, match=r"build_web\.py"):
        view.save(tmp_path / "twin.html")


def test_wrong_number_of_joints_is_refused():
    """Both numbers of joints are named when a recording is of another arm."""
    run = recorded(60)
    other = dataclasses.replace(at.load("gen3"))
    with pytest.raises(InputError, match="6 joints"):
        at.view(other, run)
