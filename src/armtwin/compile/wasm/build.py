"""C text compiled to a WebAssembly module with ziglang: no imports, one exported memory."""

from __future__ import annotations

import sys
from importlib import metadata

from armtwin.compile.native import cache, toolchain
from armtwin.compile.native.toolchain import Compiler
from armtwin.extras import require

FLAGS = (
    "-target", "wasm32-freestanding", "-msimd128", "-mbulk-memory", "-std=gnu11", "-O2",
    "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-nostdlib", "-w", "-s",
    "-Wl,--no-entry", "-Wl,--export=__heap_base", "-Wl,-z,stack-size=1048576",
)  # fmt: skip
"""Products are not fused, so that every engine rounds in the same way."""


def compiled(source: str, name: str) -> bytes:
    """Return the module of a C text, from the cache if possible.

    Args:
        source: the C text.
        name: prefix of the cached file's name.

    Raises:
        MissingDataError: ziglang is not installed.
        CompileError: the compiler fails.
    """
    require("compiling WebAssembly", "ziglang")
    zig = Compiler(
        (sys.executable, "-m", "ziglang", "cc"), f"ziglang {metadata.version('ziglang')}"
    )
    key = f"{name}-{cache.digest(source, zig.identity, ' '.join(FLAGS))}.wasm"
    known = cache.read_blob(key)
    if known is None:
        known = toolchain.compile_source(zig, FLAGS, source)
        cache.write_blob(key, known)
    return known
