"""Components of the WebAssembly Component Model: assembled from text, and run by wasmtime."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from armtwin.errors import CompileError
from armtwin.extras import require

CUSTOM, CORE_MODULE, COMPONENT = 0, 1, 4
"""Numbers of a component's sections: names and other remarks, a core module, a component."""
HEAD = 8
"""Bytes of a component before its first section."""

Functions = Mapping[str, Callable[..., Any]]
"""Functions of an imported interface by name; they take a store's context first."""


def component_bytes(text: str, module: bytes) -> bytes:
    """Return a component: its text, with a module in place of the first core module.

    Args:
        text: WebAssembly text of a component whose first core module is empty.
        module: the binary module.

    Raises:
        MissingDataError: wasmtime, which reads the text, is not installed.
        CompileError: the text cannot be read, or the component is not valid.
    """
    require("building a WebAssembly component", "wasmtime")
    import wasmtime
    from wasmtime import component

    try:
        frame = bytes(wasmtime.wat2wasm(text))
        sections = list(_sections(frame))
        place = next(k for k, (kind, _) in enumerate(sections) if kind == CORE_MODULE)
        sections[place] = CORE_MODULE, module
        whole = _joined(frame[:HEAD], sections)
        quick = wasmtime.Config()
        quick.cranelift_opt_level = "none"
        component.Component(wasmtime.Engine(quick), whole)
    except wasmtime.WasmtimeError as error:
        raise CompileError(f"the WebAssembly component is not valid: {error}") from error
    return whole


def _sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of a component's sections."""
    at = HEAD
    while at < len(data):
        kind, at, size, shift = data[at], at + 1, 0, 0
        while True:
            size |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 0x80:
                break
        yield kind, data[at : at + size]
        at += size


def _joined(head: bytes, sections: Iterable[tuple[int, bytes]]) -> bytes:
    """Return a component of sections, without the names that the text gave to its parts."""
    found = head
    for kind, content in sections:
        if kind == COMPONENT:
            content = _joined(content[:HEAD], _sections(content))
        if kind != CUSTOM:
            found += bytes([kind]) + _number(len(content)) + content
    return found


def _number(value: int) -> bytes:
    """Return a whole number as LEB128."""
    found = b""
    while value >= 0x80:
        found, value = found + bytes([value & 0x7F | 0x80]), value >> 7
    return found + bytes([value])


class WasmComponent:
    """A component, instantiated by wasmtime.

    Args:
        data: the component.
        imports: functions that it may call, by interface and name; WASI is offered without any
            files, arguments or environment. Functions that are not offered trap when called.

    Raises:
        MissingDataError: wasmtime is not installed.
        CompileError: no component, or one that cannot be instantiated.
    """

    def __init__(self, data: bytes, imports: Mapping[str, Functions]) -> None:
        require("running a WebAssembly component", "wasmtime")
        import wasmtime
        from wasmtime import component

        engine = wasmtime.Engine()
        self._store: Any = wasmtime.Store(engine)
        self._store.set_wasi(wasmtime.WasiConfig())
        self._found: dict[tuple[str, str], Any] = {}
        try:
            made = component.Component(engine, data)
            linker = component.Linker(engine)
            linker.add_wasip2()
            with linker.root() as root:
                for interface, functions in imports.items():
                    with root.add_instance(interface) as place:
                        for name, function in functions.items():
                            place.add_func(name, function)
            self._instance: Any = linker.instantiate(self._store, made)
        except wasmtime.WasmtimeError as error:
            raise CompileError(f"the component cannot be instantiated: {error}") from error

    def has(self, interface: str, name: str) -> bool:
        """Return whether the component exports a function."""
        return self._function(interface, name) is not None

    def call(self, interface: str, name: str, *arguments: Any) -> Any:
        """Call an exported function; records, lists and enums are Python values.

        Args:
            interface: name of the exported interface.
            name: of the function in it.
            arguments: its arguments; an instance of a resource as it was returned.

        Raises:
            CompileError: no such function, or it traps.
        """
        import wasmtime

        function = self._function(interface, name)
        if function is None:
            raise CompileError(f"the component exports no {interface}#{name}")
        try:
            return function(self._store, *arguments)
        except wasmtime.WasmtimeError as error:
            raise CompileError(f"{interface}#{name} traps: {error}") from error

    def drop(self, resource: Any) -> None:
        """Run the destructor of a resource."""
        resource.drop(self._store)
        resource.close()

    def _function(self, interface: str, name: str) -> Any:
        key = interface, name
        if key not in self._found:
            outer = self._instance.get_export_index(self._store, interface)
            inner = outer and self._instance.get_export_index(self._store, name, outer)
            self._found[key] = inner and self._instance.get_func(self._store, inner)
        return self._found[key]
