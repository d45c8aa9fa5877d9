"""Limits on what one URScript program may use."""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.errors import InputError
from armtwin.robots.ur_controller.script.errors import BudgetError

MAX_ELEMENTS = 10_000
"""Scalars in one list, matrix or struct."""
LONGEST_STRING = 1023
"""Bytes in a string, as UR documents for ``str_cat``."""


@dataclass(frozen=True)
class Budget:
    """Limits of a program; exceeding one ends that program with a runtime exception.

    Attributes:
        statements_per_cycle: statements that all threads together may execute in one control
            cycle. A thread that has used its share continues in the next cycle.
        busy_cycles: cycles in a row that a thread may use up its share without a statement that
            takes time (a motion, ``sleep``, ``sync``, a socket read). 1000 cycles are 2 s.
        threads: threads alive at the same time, the main thread included.
        calls: depth of nested function calls in a thread.
        source_length: characters in a program.
        functions: functions and threads that a program defines: each takes 3 us to load.
        queued_statements: statements waiting in interpreter mode; 500 is UR's own limit.
    """

    statements_per_cycle: int = 2000
    busy_cycles: int = 1000
    threads: int = 32
    calls: int = 100
    source_length: int = 1 << 20
    functions: int = 1000
    queued_statements: int = 500

    def __post_init__(self) -> None:
        """Raise InputError if a limit is not positive."""
        for name, value in vars(self).items():
            if value < 1:
                raise InputError(f"budget {name} is {value}; expected at least 1")


DEFAULT_BUDGET = Budget()


def check_elements(count: int) -> None:
    """Raise BudgetError if a value would hold more than ``MAX_ELEMENTS`` scalars."""
    if count > MAX_ELEMENTS:
        raise BudgetError(f"Out of memory: {count} elements, at most {MAX_ELEMENTS}")


def check_string(text: str) -> str:
    """Return ``text``, or raise BudgetError if it is longer than ``LONGEST_STRING`` bytes."""
    if len(text) > LONGEST_STRING or len(text.encode("utf-8", "replace")) > LONGEST_STRING:
        raise BudgetError(f"String too long, at most {LONGEST_STRING} bytes")
    return text
