"""Inspection of an FMU's libraries: format, machine, functions, dependencies."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

PLATFORMS = {
    "linux64": ("ELF x86_64",), "x86_64-linux": ("ELF x86_64",),
    "aarch64-linux": ("ELF aarch64",), "win64": ("PE x86_64",), "x86_64-windows": ("PE x86_64",),
    "darwin64": ("Mach-O x86_64", "Mach-O aarch64"), "x86_64-darwin": ("Mach-O x86_64",),
    "aarch64-darwin": ("Mach-O aarch64",), "win32": ("PE x86",), "linux32": ("ELF x86",),
    "wasm32-wasip2": ("WebAssembly component",),
}  # fmt: skip
MACHINES = {
    ("ELF", 62): "x86_64", ("ELF", 183): "aarch64", ("ELF", 3): "x86",
    ("PE", 0x8664): "x86_64", ("PE", 0x14C): "x86", ("PE", 0xAA64): "aarch64",
    ("Mach-O", 0x01000007): "x86_64", ("Mach-O", 0x0100000C): "aarch64",
}  # fmt: skip


@dataclass(frozen=True)
class FmuLibraryFile:
    """A library: its path, format per architecture, exported functions, dependencies.

    ``functions`` and ``needs`` are None where no tool here can read them.
    """

    place: str
    kinds: tuple[str, ...]
    functions: tuple[str, ...] | None
    needs: tuple[str, ...] | None

    @property
    def platform(self) -> str:
        """The platform folder."""
        return self.place.split("/")[1]

    @property
    def is_as_named(self) -> bool:
        """Whether format and machine match the platform folder."""
        wanted = PLATFORMS.get(self.platform)
        return wanted is None or bool(self.kinds) and set(self.kinds) <= set(wanted)


def inspect_binary(place: str, data: bytes) -> FmuLibraryFile:
    """Return the properties of a library file."""
    functions, needs = _symbols(data)
    return FmuLibraryFile(place, tuple(_kinds(data)), functions, needs)


def _kinds(data: bytes) -> list[str]:
    if data[:4] == b"\x7fELF" and len(data) > 20:
        return [_kind("ELF", struct.unpack_from("<H", data, 18)[0])]
    if data[:2] == b"MZ" and len(data) > 64:
        at = struct.unpack_from("<I", data, 60)[0]
        if data[at : at + 4] == b"PE\0\0":
            return [_kind("PE", struct.unpack_from("<H", data, at + 4)[0])]
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return [_kind("Mach-O", struct.unpack_from("<I", data, 4)[0])]
    if data[:4] == b"\0asm":
        return ["WebAssembly component" if data[6:8] == b"\1\0" else "WebAssembly module"]
    if data[:4] == b"\xca\xfe\xba\xbe":
        count = struct.unpack_from(">I", data, 4)[0]
        starts = [struct.unpack_from(">I", data, 8 + 20 * i)[0] for i in range(min(count, 8))]
        return [_kind("Mach-O", kind) for kind in starts]
    return []


def _kind(form: str, number: int) -> str:
    return f"{form} {MACHINES.get((form, number), hex(number))}"


def _symbols(data: bytes) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Return exported functions and needed libraries, read with ``lief`` where it is installed."""
    try:
        import lief
    except ImportError:
        return None, None
    read: Any = lief
    lief.logging.disable()
    if data[:4] in (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"):
        fat = read.MachO.parse(list(data))
        parts = list(fat) if fat is not None else []
        exported = [{_bare(f.name) for f in part.exported_functions} for part in parts]
        names = set.intersection(*exported) if exported else set()
        needs = {library.name for part in parts for library in part.libraries}
        own = {part[read.MachO.LoadCommand.TYPE.ID_DYLIB].name for part in parts}
        return tuple(sorted(names)), tuple(sorted(needs - own))
    library = read.parse(list(data))
    if library is None:
        return None, None
    names = {_bare(str(f.name)) for f in library.exported_functions}
    return tuple(sorted(names)), tuple(sorted(str(name) for name in library.libraries))


def _bare(name: str) -> str:
    return name[1:] if name.startswith("_fmi") else name
