"""A small URDF that branches, and archives of it with a mesh, as somebody would send them."""

import io
import zipfile

import numpy as np

from armtwin.model.formats.meshes.mjcf_assets import stl_bytes

CORNERS = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.4]], float)
MESH = stl_bytes(CORNERS, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
LINKS = ("world", "pedestal", "upper_arm", "forearm", "tool0", "camera")
JOINTS = (
    ("stand", "fixed", "world", "pedestal", "0 0 0"),
    ("shoulder", "revolute", "pedestal", "upper_arm", "0 0 0.2"),
    ("elbow", "revolute", "upper_arm", "forearm", "0 0 0.4"),
    ("flange", "fixed", "forearm", "tool0", "0 0 0.3"),
    ("pan", "revolute", "pedestal", "camera", "0.1 0 0"),
)


def urdf(mesh="package://two_links/meshes/arm.stl", name="two_links"):
    """Return a URDF whose upper arm has a mesh; it ends in ``tool0`` and in ``camera``."""
    visual = f"<visual><geometry><mesh filename={mesh!r}/></geometry></visual>"
    lines = [f'<robot name="{name}">']
    for link in LINKS:
        lines.append(f'<link name="{link}">{visual if link == "upper_arm" else ""}</link>')
    for joint, kind, parent, child, xyz in JOINTS:
        limit = '<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="9" velocity="1"/>'
        lines.append(
            f'<joint name="{joint}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}"/>{limit if kind != "fixed" else ""}</joint>'
        )
    return "\n".join([*lines, "</robot>"])


def archive(files):
    """Return a ZIP archive of texts and bytes by their paths."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in files.items():
            packed.writestr(path, content)
    return data.getvalue()


def package(**changed):
    """Return an archive of a ROS package with the URDF and its mesh."""
    files = {"two_links/urdf/arm.urdf": urdf(**changed), "two_links/meshes/arm.stl": MESH}
    return archive(files)
