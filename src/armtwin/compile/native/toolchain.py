"""C compilers: discovery, processor features, shared libraries from source."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from armtwin.compile.native import cache
from armtwin.errors import CompileError
from armtwin.files import cache_folder, replace_file
from armtwin.processes import module_command

FLAGS = ("-O2", "-std=gnu11", "-fno-math-errno", "-fno-trapping-math", "-shared", "-w", "-s")
SECONDS = 120
"""Limit of one compiler run."""


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C, and what distinguishes its version."""

    command: tuple[str, ...]
    identity: str


def find_compiler() -> Compiler | None:
    """Return ``ARMTWIN_CC``, the system's cc, gcc or clang, or the ziglang wheel; else None."""
    chosen = os.environ.get("ARMTWIN_CC")
    if chosen:
        parts = chosen.split()
        found = shutil.which(parts[0])
        return _system(found, parts[1:]) if found else None
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found and sys.platform != "win32":
            return _system(found, [])
    if importlib.util.find_spec("ziglang"):
        from importlib import metadata  # slow to import, and seldom needed

        version = metadata.version("ziglang")
        return Compiler(tuple(module_command("ziglang", "cc")), f"ziglang {version}")
    return None


def _system(path: str, arguments: list[str]) -> Compiler:
    real = Path(path).resolve()
    stat = real.stat()
    return Compiler((path, *arguments), f"{real} {stat.st_size} {stat.st_mtime_ns} {arguments}")


def numpy_requested() -> bool:
    """Return whether the environment selects the NumPy target."""
    return os.environ.get("ARMTWIN_TARGET", "c") == "numpy"


@functools.cache
def processor() -> str:
    """Return the processor's architecture and features, as far as the system reports them."""
    flags = ""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith(("flags", "Features")):
                flags = " ".join(sorted(line.split(":", 1)[1].split()))
                break
    return f"{platform.machine()} {flags}"


def lanes() -> int:
    """Return the SIMD width in doubles (``ARMTWIN_LANES`` overrides)."""
    chosen = os.environ.get("ARMTWIN_LANES")
    if chosen in ("1", "2", "4", "8"):
        return int(chosen)
    features = processor().split()
    if "avx512f" in features:
        return 8
    return 4 if "avx2" in features else 2


def machine_flags() -> tuple[str, ...]:
    """Return the compiler flags of this processor."""
    if os.environ.get("ARMTWIN_LANES") == "4" and "avx2" in processor():
        return ("-march=x86-64-v3",)
    return ("-mcpu=native",) if platform.machine() in ("arm64", "aarch64") else ("-march=native",)


def shared_library(source: str, *, name: str, extra: tuple[str, ...] = ()) -> Path:
    """Return the path of a shared library built from C source, from the cache if possible.

    The cache holds, per source, compiler and processor, a small file with the library's hash, and
    the library under that hash: a damaged file is detected and rebuilt, and concurrent processes
    replace complete files by equal ones.

    Args:
        source: the C text.
        name: prefix of the name of the file with the hash.
        extra: flags after the default ones, which they override.

    Returns:
        The library, named by the hash of its content.

    Raises:
        CompileError: no compiler, a compiler that fails (its last lines), or no writable cache.
    """
    compiler = find_compiler()
    if compiler is None:
        chosen = os.environ.get("ARMTWIN_CC")
        what = f"ARMTWIN_CC names {chosen!r}, which is not found" if chosen else "no C compiler"
        raise CompileError(f"{what}; install gcc or clang, or `pip install ziglang`")
    flags = (*FLAGS, *machine_flags(), *_platform_flags(), *extra)
    key = cache.digest(source, compiler.identity, " ".join(flags), processor())
    known = _known(f"{name}-{key}")
    if known is not None:
        return known
    with _writing_to_cache():
        cache.check_writable()
    data = compile_source(compiler, flags, source)
    digest = cache.content_digest(data)
    path = cache_folder() / f"{digest}{_ending()}"
    with _writing_to_cache():
        replace_file(path, data)
        replace_file(cache_folder() / f"{name}-{key}.sha", digest.encode())
    return path


@contextlib.contextmanager
def _writing_to_cache() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CompileError(
            f"the cache folder {cache_folder()} cannot be written ({error.strerror or error}); "
            "set ARMTWIN_CACHE to a folder that can"
        ) from error


def _known(key: str) -> Path | None:
    digest = cache.read_text(f"{key}.sha")
    if not digest:
        return None
    path = cache_folder() / f"{digest.strip()}{_ending()}"
    try:
        whole = cache.content_digest(path.read_bytes()) == digest.strip()
    except OSError:
        return None
    return path if whole else None


def compile_source(compiler: Compiler, flags: tuple[str, ...], source: str) -> bytes:
    """Return what a compiler makes of one C text.

    Args:
        compiler: the compiler.
        flags: its flags.
        source: the C text.

    Raises:
        CompileError: the compiler cannot run or fails; the message has its last lines.
    """
    with tempfile.TemporaryDirectory(prefix="armtwin-") as place:
        text, output = Path(place, "kernel.c"), Path(place, "kernel.out")
        text.write_text(source, encoding="utf-8")
        command = [*compiler.command, *flags, "-o", str(output), str(text)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompileError(f"{compiler.command[0]} could not run: {error}") from error
        if done.returncode or not output.is_file():
            tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
            raise CompileError(f"{' '.join(compiler.command)} failed:\n{tail}")
        return output.read_bytes()


def _platform_flags() -> tuple[str, ...]:
    if sys.platform == "darwin":
        return ("-fPIC", "-undefined", "dynamic_lookup")
    return () if sys.platform == "win32" else ("-fPIC",)


def _ending() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
