"""The component around a model's WebAssembly module, in the text format of WebAssembly.

The module's functions take and return what the canonical ABI of the Component Model defines. Two
things are circular: the module calls functions that need its memory (``log``), and it makes
resources whose destructor (``drop``) is its own. A small module in between (``$relay``) calls
through a table, which a third one (``$fill``) fills when the model's module exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from armtwin.fmu.wasm.wit import (
    INTERFACES,
    LOG_MESSAGE,
    PACKAGE,
    TYPES,
    USED,
    Signature,
    WitInterface,
    signature,
    split_types,
)

PLAIN = {
    "bool", "string", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64",
}  # fmt: skip

RELAY = """
(core module $relay
  (type $drop (func (param i32)))
  (type $log (func (param i32 i32 i32 i32 i32 i32 i32)))
  (table (export "table") 2 2 funcref)
  (func (export "drop") (type $drop)
    (call_indirect (type $drop) (local.get 0) (i32.const 0)))
  (func (export "log") (type $log)
    (call_indirect (type $log) (local.get 0) (local.get 1) (local.get 2) (local.get 3)
      (local.get 4) (local.get 5) (local.get 6) (i32.const 1))))
(core module $fill
  (import "" "table" (table 2 2 funcref))
  (import "" "drop" (func $drop (param i32)))
  (import "" "log" (func $log (param i32 i32 i32 i32 i32 i32 i32)))
  (elem (i32.const 0) func $drop $log))
(core instance $relay (instantiate $relay))
(alias core export $relay "drop" (core func $drop))
(alias core export $relay "log" (core func $log))
"""


def component_text(modes: Sequence[str]) -> str:
    """Return a component with an empty first core module, the place of the model's own.

    Args:
        modes: ``cs`` and ``me``, as far as the model has them.
    """
    faces = [INTERFACES[mode] for mode in modes]
    lines = ["(component", "(core module $model)", *_imports(), RELAY]
    made = []
    for face in faces:
        lines.append(f"(type ${face.resource} (resource (rep i32) (dtor (core func $drop))))")
        lines.append(f"(core func $new-{face.name} (canon resource.new ${face.resource}))")
        made.append(f'(export "new-{face.name}" (func $new-{face.name}))')
    host = f'(with "host" (instance {" ".join(made)} (export "log" (func $log))))'
    lines += [
        f"(core instance $main (instantiate $model {host}))",
        *(f'(alias core export $main "{name}" (core {kind} ${kind}-{name}))'
          for name, kind in (("memory", "memory"), ("allocate", "func"), ("done", "func"),
                             ("drop", "func"), ("get-version", "func"))),
        '(core func $lowered (canon lower (func $log-message) (memory $memory-memory)))',
        '(core instance (instantiate $fill (with "" (instance '
        '(export "table" (table $relay "table")) (export "drop" (func $func-drop)) '
        '(export "log" (func $lowered))))))',
        f"(func $get-version (result string) {_lift('get-version')})",
        '(instance $common (export "get-version" (func $get-version)))',
        f'(export "{PACKAGE.format("common")}" (instance $common))',
    ]  # fmt: skip
    for face in faces:
        lines += [*_lifted(face), *_face(face)]
    return "\n".join([*lines, ")"])


def _imports() -> Iterator[str]:
    """Yield the imported types, and the log."""
    yield f'(import "{PACKAGE.format("types")}" (instance $types'
    for name, text in TYPES.items():
        yield f'(type $own-{name} {_type(text)}) (export "{name}" (type ${name} (eq $own-{name})))'
    yield "))"
    for name in TYPES:
        yield f'(alias export $types "{name}" (type ${name}))'
    log = signature(LOG_MESSAGE)
    yield f'(import "{PACKAGE.format("callbacks")}" (instance $callbacks'
    yield "(alias outer 1 $status (type $given))"
    yield '(export "status" (type $status (eq $given)))'
    yield f'(export "{log.name}" (func {_shape(log)}))))'
    yield f'(alias export $callbacks "{log.name}" (func $log-message))'


def _lifted(face: WitInterface) -> Iterator[str]:
    """Yield the component's functions of one interface, each made of a function of the module."""
    name, text = face.record
    yield f"(type ${name} {_type(text)})"
    for function in _functions(face):
        core = f"$core-{face.name}-{function.name}"
        yield f'(alias core export $main "{function.name}" (core func {core}))'
        yield f"(func ${face.name}-{function.name} {_shape(function)} {_lift(core)})"


def _lift(core: str) -> str:
    """Return how a function of the module becomes one of the component."""
    name = core if core.startswith("$") else f"$func-{core}"
    room = "(memory $memory-memory) (realloc $func-allocate) (post-return $func-done)"
    return f"(canon lift (core func {name}) {room})"


def _face(face: WitInterface) -> Iterator[str]:
    """Yield a component that gives types and functions their public names, and its instance.

    Types of exported functions have to be exported themselves, which takes a component of its own.
    """
    name, text = face.record
    known = {key: TYPES[key] for key in TYPES} | {name: text}
    exported = (*USED, name, face.resource)
    yield f"(component $face-{face.name}"
    for key, value in known.items():
        yield f"(type $own-{key} {_type(value)})"
        yield f'(import "type-{key}" (type ${key} (eq $own-{key})))'
    yield f'(import "type-{face.resource}" (type ${face.resource} (sub resource)))'
    for function in _functions(face):
        inside = f"(func ${function.name} {_shape(function)})"
        yield f'(import "func-{function.name}" {inside})'
    for key in exported:
        yield f'(export $public-{key} "{key}" (type ${key}))'
    for function in _functions(face):
        kind = "static" if function.name.startswith("instantiate") else "method"
        shape = _shape(function, public=exported)
        label = f"[{kind}]{face.resource}.{function.name}"
        yield f'(export "{label}" (func ${function.name}) (func {shape}))'
    yield ")"
    yield f"(instance ${face.name} (instantiate $face-{face.name}"
    for key in (*known, face.resource):
        yield f'(with "type-{key}" (type ${key}))'
    for function in _functions(face):
        yield f'(with "func-{function.name}" (func ${face.name}-{function.name}))'
    yield "))"
    yield f'(export "{PACKAGE.format(face.name)}" (instance ${face.name}))'


def _functions(face: WitInterface) -> list[Signature]:
    """Return the functions of an interface, methods with ``self``."""
    own = ("self", f"borrow<{face.resource}>")
    made = signature(face.make)
    owned = Signature(made.name, made.parameters, f"option<own<{face.resource}>>")
    methods = [signature(text) for text in face.methods]
    return [owned, *(Signature(s.name, (own, *s.parameters), s.result) for s in methods)]


def _shape(function: Signature, public: Sequence[str] = ()) -> str:
    """Return parameters and result of a function; types of ``public`` by their public names."""
    parts = [f'(param "{name}" {_type(kind, public)})' for name, kind in function.parameters]
    if function.result:
        parts.append(f"(result {_type(function.result, public)})")
    return " ".join(parts)


def _type(text: str, public: Sequence[str] = ()) -> str:
    """Return a WIT type in the text format."""
    if text in PLAIN:
        return text
    if text.startswith("enum "):
        return "(enum " + " ".join(f'"{name}"' for name in text.split()[1:]) + ")"
    if text.startswith("record "):
        fields = (field.split(":") for field in text.split()[1:])
        return "(record " + " ".join(f'(field "{a}" {_type(b)})' for a, b in fields) + ")"
    head, _, inside = text.partition("<")
    if not inside:
        return f"$public-{text}" if text in public else f"${text}"
    parts = [_type(part, public) for part in split_types(inside[:-1])]
    if head == "result":
        parts[1] = f"(error {parts[1]})"
    return f"({head} {' '.join(parts)})"
