"""Objects derived from an arm, stored outside of it so that an ``Arm`` stays a frozen value.

They are found by the arm's identity, which costs 30 ns; hashing its numbers would cost 20 us on
every call. The entry of an arm is removed when the arm is garbage collected, before its
identity can be reused.
"""

from __future__ import annotations

import weakref
from typing import Any

from armtwin.model.arm import Arm

BY_ARM: dict[int, dict[Any, Any]] = {}
"""Derived objects by the ``id`` of a living arm, then by an equation or a name."""


def derived(arm: Arm) -> dict[Any, Any]:
    """Return the mutable store of the objects derived from an arm.

    They must not refer to the arm, or the arm would never be freed.
    """
    found = BY_ARM.get(id(arm))
    if found is None:
        weakref.finalize(arm, BY_ARM.pop, id(arm), None).atexit = False
        found = BY_ARM.setdefault(id(arm), {})
    return found
