"""The cache: programs and compiled code in the user's cache folder, by content hash."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import re
import tempfile
import time
from pathlib import Path

from armtwin.files import cache_folder, replace_file

MAX_BYTES = 500_000_000
"""Above this size the cache is cut to half, least recently used files first."""
DAY = 24 * 3600.0
"""Time between two checks of the cache's size [s]."""
_HASH = re.compile("[0-9a-f]{64}")


def digest(*parts: str) -> str:
    """Return a hash of texts, each with its length, so that no two lists collide."""
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
    """Return a hash of the source that programs are derived from, so that no stale one is used."""
    package = Path(__file__).resolve().parents[2]
    files = [package / "spatial.py", package / "compile" / "program.py"]
    files += sorted((package / "model").glob("*.py"))
    files += sorted((package / "equations").rglob("*.py"))
    return digest(*[path.read_text(encoding="utf-8") for path in files])


@functools.cache
def package_digest(*packages: str) -> str:
    """Return a hash of all source of packages of armtwin, C text included."""
    root = Path(__file__).resolve().parents[2]
    files = [path for name in packages for path in sorted((root / name).rglob("*.*"))]
    texts = [p.read_text(encoding="utf-8") for p in files if p.suffix in (".py", ".c", ".h")]
    return digest(*texts)


def read_text(name: str) -> str | None:
    """Return a cached text, or None if it is missing or unreadable."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return (cache_folder() / name).read_text(encoding="utf-8")
    return None


def check_writable() -> None:
    """Raise OSError if the cache folder cannot be created or written."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=cache_folder()):
        pass


def write_text(name: str, text: str) -> None:
    """Store a text; do nothing if the cache cannot be written."""
    with contextlib.suppress(OSError):
        replace_file(cache_folder() / name, text.encode())
        _prune_daily()


def read_blob(name: str) -> bytes | None:
    """Return cached bytes, or None if they are missing or damaged; their hash follows them."""
    try:
        data = (cache_folder() / name).read_bytes()
    except OSError:
        return None
    body, mark = data[:-64], data[-64:]
    return body if content_digest(body).encode() == mark else None


def write_blob(name: str, data: bytes) -> None:
    """Store bytes with their hash; do nothing if the cache cannot be written."""
    with contextlib.suppress(OSError):
        replace_file(cache_folder() / name, data + content_digest(data).encode())
        _prune_daily()


def damaged() -> list[Path]:
    """Return cached files that are not what was written: cut JSON, code that is not its hash's."""
    folder = cache_folder()
    found = [path for path in folder.glob("*.json") if not _is_json(path)]
    for path in folder.glob("*"):
        if _HASH.fullmatch(path.stem) and path.suffix in (".so", ".dylib", ".dll"):
            with contextlib.suppress(OSError):
                found += [path] if content_digest(path.read_bytes()) != path.stem else []
    return sorted(found)


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


def _prune_daily() -> None:
    stamp = cache_folder() / "pruned"
    if not stamp.exists() or time.time() - stamp.stat().st_mtime > DAY:
        replace_file(stamp, b"")
        prune()


def prune(most: int = MAX_BYTES) -> int:
    """Cut a cache of more than ``most`` bytes to half; return how many files were removed."""
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
