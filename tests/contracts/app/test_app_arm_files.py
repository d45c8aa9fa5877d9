"""Arm files that are sent to the app: read, checked, shown; and what is refused."""

import pytest
from sent_arms import MESH, archive, package, urdf
from served_app import served

from armtwin.app.backend.sent_arm import links_of, read_sent_arm
from armtwin.errors import ArmFileError, InputError, RecordingError
from armtwin.recording.files.archive import MAX_UNPACKED

ME, OTHER = "client-one", "client-two"


def kept(tmp_path, data, name="arm.zip"):
    """Return the path of a file with this content."""
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def read(tmp_path, data, name="arm.zip", **chain):
    """Return the arm of a file, and its notes."""
    options = {"tip": None, "base": None} | chain
    (tmp_path / "out").mkdir(exist_ok=True)
    return read_sent_arm(kept(tmp_path, data, name), tmp_path / "out", **options)


def test_links_of_a_urdf_are_listed(tmp_path):
    """Bases are the links that carry others, and tool0 comes first, when a URDF branches."""
    for data, name in ((urdf(), "arm.urdf"), (package(), "arm.zip")):
        found = links_of(kept(tmp_path, data, name), None)
        assert (found["name"], found["base"]) == ("two_links", "world")
        assert found["bases"] == ["world", "pedestal", "upper_arm", "forearm"]
        assert found["tips"][0] == {"name": "tool0", "joints": 2}
        assert {"name": "camera", "joints": 1} in found["tips"]
    again = links_of(kept(tmp_path, package()), "upper_arm")
    assert again["tips"] == [{"name": "tool0", "joints": 1}]
    with pytest.raises(ArmFileError, match="no_such"):
        links_of(kept(tmp_path, package()), "no_such")


@pytest.mark.parametrize(
    "mesh",
    [
        "package://two_links/meshes/arm.stl",
        "package://other_name/meshes/arm.stl",
        "../meshes/arm.stl",
        "model://two_links/meshes/arm.stl",
    ],
)
def test_meshes_are_found_in_the_archive(tmp_path, mesh):
    """The mesh is read from the archive when a reference names it in any usual form."""
    arm, notes = read(tmp_path, package(mesh=mesh), tip="tool0")
    [shape] = arm.shapes
    assert shape.solid.file.read_bytes() == MESH
    assert [note for note in notes if "stl" in note] == []
    assert arm.dof == 2


def test_missing_mesh_is_noted(tmp_path):
    """The arm is loaded with a note when the archive lacks a mesh."""
    arm, notes = read(tmp_path, archive({"arm.urdf": urdf()}), tip="tool0")
    assert arm.dof == 2
    assert "arm.stl" in " ".join(notes)
    assert str(tmp_path) not in " ".join(notes)


def test_broken_mesh_is_noted(tmp_path):
    """The arm is loaded without the shape, and a note says why, when a mesh is no mesh."""
    files = {"arm.urdf": urdf(mesh="a.stl"), "a.stl": b"root:x:0:0"}
    arm, notes = read(tmp_path, archive(files), tip="tool0")
    assert arm.dof == 2
    assert "a shape is not drawn" in " ".join(notes)


def test_no_file_outside_of_the_archive_is_read(tmp_path):
    """A mesh of the machine is not read when a URDF names its path."""
    secret = kept(tmp_path, MESH, "secret.stl")
    with pytest.raises(ArmFileError, match="outside"):
        read(tmp_path, archive({"a/arm.urdf": urdf(mesh="../../secret.stl")}), tip="tool0")
    with pytest.raises(ArmFileError, match="outside"):
        read(tmp_path, archive({"arm.urdf": urdf(mesh=f"file://{secret}")}), tip="tool0")


def forged(data, claimed):
    """Return an archive whose list of entries claims another unpacked size for the last entry."""
    at_entry = data.rfind(b"PK\1\2")
    return data[: at_entry + 24] + claimed.to_bytes(4, "little") + data[at_entry + 28 :]


REFUSED = {
    "no URDF": (archive({"a.stl": MESH}), InputError, "0 URDF files"),
    "two URDFs": (archive({"a.urdf": urdf(), "b.urdf": urdf()}), InputError, "2 URDF files"),
    "leaves its folder": (
        archive({"arm.urdf": urdf(), "../a.stl": MESH}),
        InputError,
        "leaves its folder",
    ),
    "cut off": (package()[:-30], RecordingError, "damaged"),
    "claims gigabytes": (forged(package(), MAX_UNPACKED + 1), RecordingError, "unpacked"),
    "claims too much for an arm": (forged(package(), 400_000_000), InputError, "simplify"),
    "claims less than it has": (forged(package(), 60), InputError, "damaged"),
    "URDF with entities": (
        archive({"arm.urdf": '<!DOCTYPE r [<!ENTITY a "b">]>' + urdf()}),
        ArmFileError,
        "document type|entit|DTD|DOCTYPE",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_archive_is_refused(tmp_path, case):
    """The reason is given, and nothing stays unpacked, when an archive is no good."""
    data, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        read(tmp_path, data, tip="tool0")
    assert list((tmp_path / "out").iterdir()) == []


def test_sent_arm_is_shown():
    """The app shows the arm with its mesh when an archive is sent and a tip chosen; others wait."""

    async def act(web, session):
        params = {"name": "two links.zip", "kind": "arm"}
        sent = (await web.post("/api/uploads", params=params, content=package())).json()
        order = {"client": ME, "upload": sent["id"]}
        links = (await web.post("/api/live/arm/links", json=order)).json()
        chosen = order | {"base": links["base"], "tip": links["tips"][0]["name"]}
        await web.post("/api/lease/take", json={"client": OTHER, "name": "somebody"})
        assert (await web.post("/api/live/arm", json=chosen)).status_code == 403
        await web.post("/api/lease/release", json={"client": OTHER})
        shown = await web.post("/api/live/arm", json=chosen)
        assert shown.json()["name"] == "two_links"
        [note] = shown.json()["notes"]  # the joint of the camera is held
        assert "pan" in note
        assert "/tmp" not in note
        assert (session.robot.kind, session.robot.arm.dof) == ("simulated", 2)
        described = (await web.get("/api/arms/shown/description")).json()
        assert described["meshes"]
        glb = await web.get("/api/arms/shown/shapes.glb")
        assert glb.content.startswith(b"glTF")
        none = await web.post("/api/live/arm", json=order | {"upload": "0" * 32})
        assert (none.status_code, "send the file" in none.json()["error"]) == (422, True)
        path = await web.post("/api/live/arm", json=order | {"upload": "../../etc/passwd"})
        assert path.status_code == 422
        job = {"kind": "fmu", "arm": sent["id"]}
        refused = await web.post("/api/jobs", json=job)
        assert "archive" in refused.json()["error"]

    served(act)


def test_solutions_have_names_and_links():
    """Every solution has a name, and link poses if asked for, when the API solves a pose."""

    async def act(web, session):
        q = [0.3, -1.2, 1.4, -1.5, 1.2, 0.4]
        pose = (await web.post("/api/fk", json={"q": q})).json()
        wanted = {"position": pose["position"], "quaternion": pose["quaternion"], "seed": q}
        plain = (await web.post("/api/ik", json=wanted)).json()
        assert plain["links"] == []
        found = (await web.post("/api/ik", json=wanted | {"links": True})).json()
        assert len(found["names"]) == len(found["solutions"]) == len(found["links"]) == 8
        assert len(set(found["names"])) == 8
        assert len(found["links"][0]) == 6

    served(act)
