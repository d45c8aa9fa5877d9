"""The user's cache folder: programs and compiled code, kept by content hash."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import tempfile
import time
from pathlib import Path

from armtwin.files import cache_folder, replace_file

MOST_BYTES = 500_000_000
"""Beyond this size the cache is cut to half, what was not used for the longest time first."""
DAY = 24 * 3600.0


def digest(*parts: str) -> str:
    """Return a hash over texts, each with its length, so that no two lists collide."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode()
        state.update(f"{len(data)}:".encode() + data)
    return state.hexdigest()[:32]


def content_digest(data: bytes) -> str:
    """Return the hash of a file's content."""
    return hashlib.sha256(data).hexdigest()


@functools.cache
def source_digest() -> str:
    """Return a hash of the source that programs are made from, so that no stale one is used."""
    package = Path(__file__).resolve().parents[2]
    files = [package / "spatial.py", package / "compile" / "program.py"]
    files += sorted((package / "model").glob("*.py"))
    files += sorted((package / "equations").rglob("*.py"))
    return digest(*[path.read_text(encoding="utf-8") for path in files])


def read_text(name: str) -> str | None:
    """Return a cached text, or None where there is none that can be read."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return (cache_folder() / name).read_text(encoding="utf-8")
    return None


def check_writable() -> None:
    """Raise OSError where the cache folder cannot be made or written."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=cache_folder()):
        pass


def write_text(name: str, text: str) -> None:
    """Keep a text; a cache that cannot be written is left as it is."""
    with contextlib.suppress(OSError):
        replace_file(cache_folder() / name, text.encode())
        _prune_daily()


def _prune_daily() -> None:
    stamp = cache_folder() / "pruned"
    if not stamp.exists() or time.time() - stamp.stat().st_mtime > DAY:
        replace_file(stamp, b"")
        prune()


def prune(most: int = MOST_BYTES) -> int:
    """Cut a cache of more than ``most`` bytes to half of that; return how many files went."""
    files = [path for path in cache_folder().rglob("*") if path.is_file()]
    facts = {path: path.stat() for path in files}
    size = sum(fact.st_size for fact in facts.values())
    if size <= most:
        return 0
    gone = 0
    for path in sorted(files, key=lambda p: max(facts[p].st_atime, facts[p].st_mtime)):
        if size <= most / 2:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            size -= facts[path].st_size
            gone += 1
    return gone
