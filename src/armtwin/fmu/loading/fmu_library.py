"""The shared library of an FMU, loaded into this process."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

from armtwin.errors import FmuError
from armtwin.fmu.loading.package import Package, temporary_folder

P = ctypes.c_void_p


class Library:
    """A loaded FMU; leaving its context unloads it and removes the unpacked files.

    ``chunk`` rows are run between two reports of progress: about 1 ms of the compiled loop.
    """

    chunk = 5_000

    def __init__(self, package: Package, mode: str) -> None:
        """Load the library of a mode (``cs`` or ``me``).

        Raises:
            FmuError: the FMU lacks the mode or the platform, or its library does not load.
        """
        self.package, self.mode, self.interface = package, mode, package.interface
        if mode not in self.interface.identifiers:
            has = ", ".join(self.interface.identifiers)
            raise FmuError(f"{package.path}: offers no mode {mode!r}; it has: {has}")
        self._folder = temporary_folder()
        try:
            self._load(Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise

    def _load(self, place: Path) -> None:
        """Unpack what belongs to this platform to a folder, and load it."""
        path = self.package.unpack(place, self.interface.identifiers[self.mode])
        try:
            path.chmod(0o755)
            self.library = ctypes.CDLL(str(path))
        except OSError as error:
            raise FmuError(f"{self.package.path}: its library does not load: {error}") from error

    def __enter__(self) -> Library:
        """Return the library."""
        return self

    def __exit__(self, *error: object) -> None:
        """Unload the library and remove its files."""
        self.close()

    def close(self) -> None:
        """Unload the library and remove its files; instances must have been freed."""
        import _ctypes

        handle = self.library._handle
        getattr(_ctypes, "FreeLibrary" if sys.platform == "win32" else "dlclose")(handle)
        self._folder.cleanup()

    @property
    def resources(self) -> Path:
        """Folder of the FMU's resources."""
        return Path(self._folder.name, "resources")

    def function(self, name: str) -> Any:
        """Return a function of the FMU.

        Raises:
            FmuError: the library does not have it.
        """
        for symbol in (name, f"{self.interface.identifiers[self.mode]}_{name}"):
            try:
                return getattr(self.library, symbol)
            except AttributeError:
                continue
        raise FmuError(f"{self.package.path}: its library has no function {name}")

    def address(self, name: str) -> int:
        """Return a function's address, 0 where the library does not have it."""
        try:
            return ctypes.cast(self.function(name), P).value or 0
        except FmuError:
            return 0
