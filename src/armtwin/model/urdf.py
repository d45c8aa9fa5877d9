"""URDF, in and out."""

from armtwin.model.urdf_read import read_urdf
from armtwin.model.urdf_write import write_urdf

__all__ = ["read_urdf", "write_urdf"]
