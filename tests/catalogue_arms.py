"""A part of the catalogue that has every kind of arm, for tests that cost time for each arm.

``tests/repo/test_catalogue.py`` checks that no kind of arm is missing here.
"""

import armtwin as at
from armtwin.errors import MissingDataError

REPRESENTATIVE = (
    "desktop5",
    "desktop5-mdh",
    "gen3",
    "kr16",
    "panda",
    "so101",
    "ur10e",
    "ur10e-observer",
    "ur3e-screws",
    "ur5e-energy",
)


def has_masses(name):
    """Return whether a catalogue arm knows its masses."""
    try:
        at.load(name).require_masses()
    except MissingDataError:
        return False
    return True


def kinds(arm):
    """Return what a test may depend on: convention, size, kinds of rows and numbers."""
    found = {arm.convention, f"{arm.dof} joints"}
    if has_masses(arm.name):
        found.add("masses")
    if arm.tool != at.load("ur5e").tool:
        found.add("tool")
    for joint in arm.joints:
        found.add(joint.kind)
        for field in ("offset", "theta", "compliance"):
            if getattr(joint, field):
                found.add(field)
        if joint.direction != 1:
            found.add("direction")
        if joint.drive is not None and joint.drive.friction is not None:
            found.add(f"friction {joint.drive.friction.model}")
    return found
