"""The WebAssembly component of an FMU, run by wasmtime behind the functions of a native library.

The runner calls FMI 3 functions by their addresses. Here they are callbacks of ctypes that pass
the call on to the component, so that lag, alignment, solver and events are those of every run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armtwin.compile.wasm.component import WasmComponent
from armtwin.errors import ArmTwinError, CompileError, FmuError
from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.wasm.fmi3_calls import fmi3_calls
from armtwin.fmu.wasm.wit import INTERFACES, PACKAGE, STATUSES

FATAL = STATUSES.index("fatal")
LOGGER = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p
)  # fmt: skip


class WasmLibrary(Library):
    """The component of an FMU; leaving its context frees it and removes the unpacked resources.

    Raises:
        FmuError: the FMU lacks the mode or a component, or it cannot be instantiated.
        MissingDataError: wasmtime is not installed.
    """

    chunk = 50
    """Rows between two reports of progress; each takes milliseconds."""

    def _load(self, place: Path) -> None:
        self._interrupt: BaseException | None = None
        self._instances: dict[int, Any] = {}
        self._logs: dict[int, Callable[[int, str, str], None]] = {}
        self._calling = self._made = 0
        wit = INTERFACES[self.mode]
        self._name, self._resource = PACKAGE.format(wit.name), wit.resource
        data = self.package.component(place, self.interface.identifiers[self.mode])
        try:
            self._component = WasmComponent(data, self._imports())
        except CompileError as error:
            raise FmuError(f"{self.package.path}: {error}") from error
        self._functions = {
            f"fmi3{name}": ctypes.CFUNCTYPE(result, *kinds)(self._guarded(action, result))
            for name, (result, kinds, action) in fmi3_calls(self).items()
        }

    def _imports(self) -> dict[str, dict[str, Callable[..., Any]]]:
        """Return what components may call: the log, resources, and callbacks that do nothing."""
        nothing = {name: lambda _: None for name in
                   ("clock-update", "lock-preemption", "unlock-preemption")}  # fmt: skip
        return {
            PACKAGE.format("callbacks"): {"log-message": self._log, **nothing},
            PACKAGE.format("intermediate-update-callbacks"): {
                "intermediate-update": lambda *_: (False, 0.0)
            },
            PACKAGE.format("resource-dir-callbacks"): {"read-file": self._read_file},
        }

    def _log(self, _: Any, name: str, status: str, category: str, message: str) -> None:
        if self._calling in self._logs:
            self._logs[self._calling](STATUSES.index(status), category, message)

    def _read_file(self, _: Any, path: str) -> bytes | str:
        """Return a file of the resources, or why there is none."""
        root = self.resources.resolve()
        file = (root / path).resolve()
        if not file.is_relative_to(root) or not file.is_file():
            return f"no file {path} in resources"
        return file.read_bytes()

    def close(self) -> None:
        """Free the component and its files; raise what interrupted a call."""
        self._functions = {}
        self._instances = {}
        self._folder.cleanup()
        if self._interrupt is not None:
            raise self._interrupt

    def function(self, name: str) -> Any:
        """Return a function of the FMU.

        Raises:
            FmuError: the component's interface does not have it.
        """
        if name not in self._functions:
            raise FmuError(f"{self.package.path}: components have no function {name}")
        return self._functions[name]

    def method(self, name: str, handle: int, *arguments: Any) -> Any:
        """Call a method of an instance; records and lists are Python values.

        Args:
            name: of the method, such as ``do-step``.
            handle: number of the instance.
            arguments: further arguments.
        """
        self._calling = handle
        label, own = f"[method]{self._resource}.{name}", self._instances[handle]
        return self._component.call(self._name, label, own, *arguments)

    def make(self, name: bytes, token: bytes, log: tuple[int, int], *flags: Any) -> int:
        """Make an instance; return its number, 0 if the FMU refuses.

        Args:
            name: of the instance.
            token: the FMU's identity.
            log: addresses of the logger and of its environment.
            flags: further arguments of the interface's own function.
        """
        self._made += 1
        handle = self._calling = self._made
        pass_on = LOGGER(log[0])
        self._logs[handle] = lambda status, category, message: pass_on(
            log[1], status, category.encode(), message.encode()
        )
        label = f"[static]{self._resource}.instantiate-{INTERFACES[self.mode].name}"
        words = name.decode(), token.decode()
        found = self._component.call(self._name, label, *words, *flags)
        if found is None:
            return 0
        self._instances[handle] = found
        return handle

    def free(self, handle: int) -> None:
        """Free an instance."""
        self._component.drop(self._instances.pop(handle))

    def _guarded(self, action: Callable[..., Any], result: Any) -> Callable[..., Any]:
        """Return a callback that keeps exceptions, which cannot pass through C, for later."""
        failed = FATAL if result is ctypes.c_int else 0

        def run(*arguments: Any) -> Any:
            try:
                return action(*arguments)
            except ArmTwinError as error:
                if self._calling in self._logs:
                    self._logs[self._calling](FATAL, "wasmtime", str(error))
            except BaseException as error:  # noqa: BLE001 - raised again by close()
                self._interrupt = self._interrupt or error
            return failed

        return run
