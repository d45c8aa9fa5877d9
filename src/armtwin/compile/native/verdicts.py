"""Verdicts on compiled libraries, kept beside them, and the one warning about wrong code."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from armtwin.compile.native import cache, toolchain
from armtwin.errors import CompileWarning

PROOF = "5"
"""Version of the checks; verdicts of another version are ignored."""
CAREFUL = ("-O1", "-fno-gcse")
"""Flags to retry with when a check rejects the code of the default ones."""
NUMPY_SERVES = "running the slower NumPy target instead of compiled code"
CODE_IS_WRONG = "the C compiler's code computes wrong numbers and is not used; running slower code"

_WARNED: list[str] = []


def kept_verdict(
    library: Path, what: tuple[str, ...], check: Callable[[], str | None]
) -> str | None:
    """Return what is wrong with a library, or None; the verdict is cached beside it.

    It holds for the library's content, for ``what`` and for this processor.

    Args:
        library: the file, named by the hash of its content.
        what: everything else that the check depends on.
        check: compares the library's results; called where there is no verdict yet.
    """
    key = cache.digest(PROOF, library.stem, *what, toolchain.processor())
    name = f"{library.stem[:32]}-{key}.proof"
    verdict = cache.read_text(name)
    if verdict is not None and verdict.startswith(("right", "wrong")):
        return None if verdict.startswith("right") else verdict.removeprefix("wrong: ")
    fault = check()
    cache.write_text(name, "right" if fault is None else f"wrong: {fault}")
    return fault


def warn_once(what: str, reason: str) -> None:
    """Warn once in a process; later kernels have the same problem."""
    if what not in _WARNED:
        _WARNED.append(what)
        warnings.warn(f"{what}: {reason}", CompileWarning, stacklevel=5)
