"""TODO."""

from armtwin.model.arm import Arm
from armtwin.model.geometry import LinkShape


def description_shapes(arm: Arm) -> tuple[LinkShape, ...]:
    """TODO."""
    return ()
