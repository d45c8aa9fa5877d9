"""Platforms that a model can be compiled for, the host, and universal macOS libraries."""

from __future__ import annotations

import platform
import struct
import sys
from dataclasses import dataclass

from armtwin.errors import CompileError, InputError

WASM = "wasm32-wasip2"
"""Folder of a WebAssembly component, as the draft layered standard fmi-ls-wasm names it."""
PLATFORMS = ("host", "all", "wasm", "host,wasm", "all,wasm")
"""Platforms of a model: this one, all of them, WebAssembly."""
MAGIC, ALIGNMENT = 0xCAFEBABE, 14
"""First bytes of a universal macOS library, and the power of two at which its parts start."""


@dataclass(frozen=True)
class PlatformTarget:
    """A platform by its FMI 3 name, its FMI 2 folder, the file ending and zig's name for it."""

    name: str
    fmi2_folder: str
    ending: str
    triple: str

    def folder(self, fmi: int) -> str:
        """Return the folder under ``binaries`` that an FMI version expects."""
        return self.fmi2_folder if fmi == 2 else self.name

    def flags(self, identifier: str) -> tuple[str, ...]:
        """Return the flags for the platform's linker."""
        if "macos" in self.triple:
            name = f"-Wl,-install_name,@rpath/{identifier}.dylib"
            return ("-fPIC", name, "-Wl,-undefined,dynamic_lookup")
        return ("-lkernel32",) if "windows" in self.triple else ("-fPIC",)


TARGETS = (
    PlatformTarget("x86_64-linux", "linux64", ".so", "x86_64-linux-gnu.2.17"),
    PlatformTarget("aarch64-linux", "aarch64-linux", ".so", "aarch64-linux-gnu.2.17"),
    PlatformTarget("x86_64-windows", "win64", ".dll", "x86_64-windows-gnu"),
    PlatformTarget("x86_64-darwin", "darwin64", ".dylib", "x86_64-macos.10.13"),
    PlatformTarget("aarch64-darwin", "darwin64", ".dylib", "aarch64-macos.11.0"),
)


def split_platform(platform: str, fmi: int) -> tuple[str | None, bool]:
    """Return ``host``, ``all`` or None for native libraries, and whether WebAssembly is wanted.

    Raises:
        InputError: an unknown name, or WebAssembly with FMI 2.
    """
    words = platform.replace(" ", "")
    if words not in PLATFORMS:
        raise InputError(f"platform {platform!r}; give one of: {'  '.join(PLATFORMS)}")
    if "wasm" in words and fmi == 2:
        raise InputError(
            "FMI 2 has no WebAssembly binaries: the layered standard fmi-ls-wasm is for FMI 3; "
            "give FMI version 3 or '3-arrays'"
        )
    native = words.partition(",")[0]
    return None if native == "wasm" else native, "wasm" in words


def host() -> PlatformTarget:
    """Return the platform that this process runs on.

    Raises:
        CompileError: a platform for which FMI has no name here.
    """
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    system = {"linux": "linux", "win32": "windows", "darwin": "darwin"}.get(sys.platform, "")
    for target in TARGETS:
        if target.name == f"{machine}-{system}":
            return target
    known = ", ".join(target.name for target in TARGETS)
    raise CompileError(f"this platform ({machine}-{sys.platform}) is none of {known}")


def universal(parts: list[bytes]) -> bytes:
    """Return one file that holds 64-bit Mach-O libraries of different architectures.

    The header is big-endian: magic, count, then per part CPU type and subtype (as in the part's
    own little-endian header), offset, size and alignment (a power of two).
    """
    step = 1 << ALIGNMENT
    offset, heads, body = step, [], b""
    for part in parts:
        kind, subtype = struct.unpack_from("<II", part, 4)
        heads.append(struct.pack(">IIIII", kind, subtype, offset, len(part), ALIGNMENT))
        padded = part + bytes(-len(part) % step)
        body += padded
        offset += len(padded)
    head = struct.pack(">II", MAGIC, len(parts)) + b"".join(heads)
    last = len(parts[-1]) + -len(parts[-1]) % step - len(parts[-1])
    data = head + bytes(step - len(head)) + body
    return data[: len(data) - last] if last else data
