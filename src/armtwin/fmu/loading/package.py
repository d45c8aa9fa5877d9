"""An FMU file, opened and checked; its content is not trusted."""

from __future__ import annotations

import stat
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from armtwin.errors import CompileError, FmuError
from armtwin.fmu.build.platforms import WASM, PlatformTarget, host
from armtwin.fmu.loading.interface import Interface, read_interface

MAX_BYTES = 4 << 30
"""Unpacked size of an FMU that is accepted [bytes]; a small archive can claim any."""


class Package:
    """An FMU file: its interface and its entries, unpacked on demand."""

    def __init__(self, path: str | Path) -> None:
        """Open a file.

        Raises:
            FmuError: no such file, not a zip, damaged, entries that lead outside, no readable
                modelDescription.xml.
        """
        self.path = Path(path)
        if not self.path.is_file():
            raise FmuError(f"{self.path}: no such file")
        try:
            with zipfile.ZipFile(self.path) as file:
                self.entries = file.infolist()
                _refuse_unsafe(self.path, self.entries)
                text = file.read("modelDescription.xml")
        except KeyError:
            raise FmuError(f"{self.path}: no modelDescription.xml inside: not an FMU") from None
        except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError) as error:
            raise FmuError(f"{self.path}: not a whole zip file: {error}") from error
        except Exception as error:
            if type(error).__module__ == "zlib":
                raise FmuError(f"{self.path}: damaged: {error}") from error
            raise
        self.interface: Interface = read_interface(text, str(self.path))

    @property
    def names(self) -> list[str]:
        """The names of all entries."""
        return [entry.filename for entry in self.entries]

    def platforms(self) -> list[str]:
        """Return the folders under ``binaries``."""
        parts = (name.split("/") for name in self.names)
        return sorted({p[1] for p in parts if p[0] == "binaries" and len(p) > 2 and p[2]})

    def binaries(self) -> dict[str, bytes]:
        """Return libraries and WebAssembly components by their path in the archive."""
        with zipfile.ZipFile(self.path) as file:
            return {
                name: file.read(name)
                for name in self.names
                if name.startswith("binaries/")
                and name.endswith((".so", ".dll", ".dylib", ".wasm"))
            }

    def binary(self, identifier: str) -> str:
        """Return the archive path of the library for this platform.

        Raises:
            FmuError: the file has none; the platforms that it has are listed.
        """
        target = _host()
        for folder in _folders(target, self.interface.fmi):
            name = f"binaries/{folder}/{identifier}{target.ending}"
            if name in self.names:
                return name
        found = ", ".join(self.platforms()) or "none"
        raise FmuError(
            f"{self.path}: no binary for this platform ({target.name}); the file has: {found}; "
            "ask its maker for one, or run it on such a machine"
        )

    def component(self, place: Path, identifier: str) -> bytes:
        """Write the resources to a folder; return the WebAssembly component.

        Raises:
            FmuError: the file has none; the platforms that it has are listed.
        """
        name = f"binaries/{WASM}/{identifier}.wasm"
        if name not in self.names:
            found = ", ".join(self.platforms()) or "none"
            raise FmuError(
                f"{self.path}: no WebAssembly component ({name}); the file has: {found}; export "
                "it with platform 'wasm', or run its native library"
            )
        self._write(place, (name, "resources/"))
        return (place / name).read_bytes()

    def unpack(self, place: Path, identifier: str) -> Path:
        """Write this platform's binaries and the resources to a folder; return the library."""
        library = self.binary(identifier)
        self._write(place, (f"{PurePosixPath(library).parent}/", "resources/"))
        return place / library

    def _write(self, place: Path, wanted: tuple[str, ...]) -> None:
        """Write the entries whose names begin as wanted to a folder."""
        try:
            with zipfile.ZipFile(self.path) as file:
                for entry in self.entries:
                    if entry.filename.startswith(wanted) and not entry.is_dir():
                        target = place / entry.filename
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(file.read(entry))
        except (zipfile.BadZipFile, EOFError) as error:
            raise FmuError(f"{self.path}: damaged: {error}") from error


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder for an unpacked FMU."""
    return tempfile.TemporaryDirectory(prefix="armtwin-fmu-", ignore_cleanup_errors=True)


def _host() -> PlatformTarget:
    try:
        return host()
    except CompileError as error:
        raise FmuError(str(error)) from error


def _folders(target: PlatformTarget, fmi: int) -> list[str]:
    """Return possible folders of the library; FMI 2 defines no name for 64-bit ARM."""
    if fmi == 3:
        return [target.name]
    usual = {"linux": "linux64", "windows": "win64", "darwin": "darwin64"}
    system = target.name.split("-")[1]
    return list(dict.fromkeys([target.fmi2_folder, target.name, usual[system]]))


def _refuse_unsafe(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse paths outside the folder, links, and archive bombs."""
    for entry in entries:
        name = entry.filename
        parts = name.replace("\\", "/").split("/")
        leads_out = ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0]
        if leads_out or stat.S_ISLNK(entry.external_attr >> 16):
            raise FmuError(
                f"{path}: entry {name!r} leads outside the archive; such a file is not unpacked"
            )
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise FmuError(f"{path}: would unpack to more than {MAX_BYTES >> 30} GiB; refused")
