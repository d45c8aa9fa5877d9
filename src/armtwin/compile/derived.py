"""Objects derived from an arm, kept outside of it so that an ``Arm`` stays a plain frozen value.

They are found by the arm's identity, which costs 30 ns; hashing its numbers would cost 20 us on
every call. An arm that is garbage collected takes its entry with it, before its identity can be
given to another object.
"""

from __future__ import annotations

import weakref
from typing import Any

from armtwin.model.arm import Arm

BY_ARM: dict[int, dict[Any, Any]] = {}
"""What was derived from each living arm, by the arm's ``id`` and an equation or a name."""


def derived(arm: Arm) -> dict[Any, Any]:
    """Return the mutable store of what was derived from an arm so far.

    What is kept here must not refer to the arm, or the arm would never be freed.
    """
    found = BY_ARM.get(id(arm))
    if found is None:
        weakref.finalize(arm, BY_ARM.pop, id(arm), None).atexit = False
        found = BY_ARM.setdefault(id(arm), {})
    return found
