"""The compilers that turn a model's C code into libraries."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from armtwin.compile.native import cache, toolchain
from armtwin.errors import CompileError
from armtwin.extras import require
from armtwin.fmu.build.platforms import TARGETS, PlatformTarget
from armtwin.processes import module_command

FLAGS = (
    "-std=c11", "-w", "-shared", "-s", "-fvisibility=hidden", "-fno-math-errno",
    "-fno-trapping-math", "-ffp-contract=off", "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables", "-fno-ident",
)  # fmt: skip
ALONE = ("-DFREESTANDING", "-ffreestanding", "-nostdlib", "-fno-vectorize", "-fno-slp-vectorize")
WASM = (
    "-target", "wasm32-freestanding", "-mbulk-memory", "-Wl,--no-entry",
    "-Wl,-z,stack-size=1048576",
)  # fmt: skip
SECONDS = 300
"""Time limit of one compilation."""


def compile_host(
    sources: Mapping[str, str], main: str, identifier: str, level: str = "-Os"
) -> bytes:
    """Return the library for this platform, built by the system's compiler or ziglang.

    Args:
        sources: C texts by file name.
        main: the file to compile.
        identifier: the model's identifier, name of the library.
        level: optimization, as compilers name it.
    """
    compiler = toolchain.find_compiler()
    if compiler is None:
        raise CompileError("no C compiler: install gcc or clang, or `pip install ziglang`")
    flags = [level, *FLAGS, *_host_flags(identifier)]
    return _compiled([*compiler.command, *flags], compiler.identity, sources, main)


def _host_flags(identifier: str) -> list[str]:
    if sys.platform == "darwin":
        return ["-fPIC", f"-Wl,-install_name,@rpath/{identifier}.dylib"]
    if sys.platform == "win32":
        return []
    alone = ["-DFREESTANDING", "-ffreestanding", "-nostdlib", "-fno-stack-protector"]
    return ["-fPIC", "-Wl,--build-id=none", *alone]


def compile_all(
    sources: Mapping[str, str], main: str, identifier: str, level: str = "-Os"
) -> dict[PlatformTarget, bytes]:
    """Return the libraries for every platform, built by ziglang without any C library.

    Args:
        sources: C texts by file name.
        main: the file to compile.
        identifier: the model's identifier, name of the library.
        level: optimization, as compilers name it.
    """
    if importlib.util.find_spec("ziglang") is None:
        raise CompileError(
            "building for all platforms needs ziglang: pip install ziglang; "
            "or build for this platform alone (platform 'host')"
        )

    def one(target: PlatformTarget) -> bytes:
        flags = ("-target", target.triple, level, *FLAGS, *target.flags(identifier))
        return _compiled_alone(flags, sources, main)

    with ThreadPoolExecutor(len(TARGETS)) as pool:
        return dict(zip(TARGETS, pool.map(one, TARGETS), strict=True))


def compile_wasm(sources: Mapping[str, str], main: str, level: str = "-Os") -> bytes:
    """Return the WebAssembly module, built by ziglang without any C library.

    Args:
        sources: C texts by file name.
        main: the file to compile.
        level: optimization, as compilers name it.

    Raises:
        MissingDataError: ziglang is not installed.
    """
    require("compiling WebAssembly", "ziglang")
    flags = (*WASM, level, *(flag for flag in FLAGS if flag != "-shared"))
    return _compiled_alone(flags, sources, main)


def _compiled_alone(flags: Sequence[str], sources: Mapping[str, str], main: str) -> bytes:
    """Return what ziglang compiles without any C library, from the cache if possible."""
    version = importlib.metadata.version("ziglang")
    command = module_command("ziglang", "cc", *flags, *ALONE, "-Ifreestanding")
    files = {**sources, "freestanding/stdlib.h": "#include <stddef.h>\n"}
    return _compiled(command, f"ziglang {version}", files, main)


def _compiled(command: list[str], identity: str, sources: Mapping[str, str], main: str) -> bytes:
    """Return the compiled library, from the cache if possible."""
    texts = [text for pair in sorted(sources.items()) for text in pair]
    name = f"fmu-{cache.digest(identity, *command[1:], main, *texts)}.bin"
    known = cache.read_blob(name)
    if known is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="armtwin-") as place:
        for path, text in sources.items():
            file = Path(place, path)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        data = _run([*command, "-o", "library.out", main], place)
    cache.write_blob(name, data)
    return data


def _run(command: list[str], place: str) -> bytes:
    try:
        done = subprocess.run(
            command, cwd=place, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(f"{command[0]} could not run: {error}") from error
    output = Path(place, "library.out")
    if done.returncode or not output.is_file():
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise CompileError(f"{' '.join(command[:4])} ... failed:\n{tail}")
    return output.read_bytes()
