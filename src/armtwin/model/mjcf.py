"""MJCF, the model format of MuJoCo, in and out."""

from armtwin.model.mjcf_read import read_mjcf
from armtwin.model.mjcf_write import write_mjcf

__all__ = ["read_mjcf", "write_mjcf"]
