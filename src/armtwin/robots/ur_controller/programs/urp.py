"""PolyScope programs (``.urp``): gzipped XML, translated to URScript as far as it can be read."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element, ParseError, fromstring

from armtwin.errors import InputError
from armtwin.robots.ur_controller.programs import external_control
from armtwin.robots.ur_controller.programs.urp_expressions import (
    READERS,
    WRITERS,
    References,
    check_parts,
    expression,
    number,
    pin_of,
    variable_name,
)
from armtwin.robots.ur_controller.programs.urp_moves import move_lines

LARGEST = 16 << 20
"""Longest document after unpacking [B]; larger ones are refused, not unpacked."""
DEEPEST = 50
"""Nested nodes of a program."""
COMPARISONS = {"0": "<", "1": ">"}
"""Of a wait for an analogue input, by its number in the document."""


def urp_script(data: bytes, name: str) -> str:
    """Return the URScript of a ``.urp`` file.

    Args:
        data: the file's bytes.
        name: name of the program, used for its ``def``.

    Raises:
        InputError: the file is no PolyScope program, or a node cannot be read; says which.
    """
    root = _document(data)
    return _Translation(References(root)).program(root, name)


def _document(data: bytes) -> Element:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"not gzipped: {error}") from error
    if len(text) > LARGEST:
        raise InputError(f"more than {LARGEST >> 20} MiB when unpacked")
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise InputError("a document type is not allowed in a program")
    try:
        root = fromstring(text)
    except ParseError as error:
        raise InputError(f"no XML: {error}") from error
    if root.tag != "URProgram":
        raise InputError(f"the root is {root.tag!r} instead of 'URProgram'")
    return root


class _Translation:
    """Translates the nodes of one program, line by line."""

    def __init__(self, references: References) -> None:
        self._references, self._depth = references, 0
        self._functions: dict[str, list[str]] = {}
        self._nodes: dict[str, Callable[[Element], Iterator[str]]] = {
            "Assignment": self._assignment,
            "CallSubProgram": self._call,
            "Comment": self._comment,
            "Folder": lambda node: self.lines(node.find("children")),
            "Halt": lambda node: iter(["halt"]),
            "Loop": self._loop,
            "Move": self._move,
            "Popup": self._popup,
            "Script": self._script,
            "Set": self._set,
            "SpecialSequence": lambda node: self.lines(node.find("children")),
            "Wait": self._wait,
        }

    def program(self, root: Element, name: str) -> str:
        """Return the whole program."""
        children = root.find("children")
        nodes = [] if children is None else list(children)
        main = [node for node in nodes if node.tag == "MainProgram"]
        if len(main) != 1:
            raise InputError("a program has one 'MainProgram'")
        before = [
            n for n in nodes if n.tag not in ("MainProgram", "InitVariablesNode", "SubProgram")
        ]
        body = [line for node in before for line in self._node(node)]
        once = main[0].get("runOnlyOnce") == "true"
        steps = list(self.lines(main[0].find("children")))
        body += steps if once else ["while True:", *indented(steps), "  sync()", "end"]
        functions = [
            line
            for called, lines in self._functions.items()
            for line in (f"def {called}():", *indented(lines), "end")
        ]
        return "\n".join([f"def {safe_name(name)}():", *indented(functions + body), "end"]) + "\n"

    def lines(self, children: Element | None) -> Iterator[str]:
        """Yield the lines of the nodes in a ``children`` element."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise InputError(f"more than {DEEPEST} nested nodes")
        open_if = False
        for node in children if children is not None else ():
            kind = node.get("type", "If") if node.tag == "If" else node.tag
            joins = kind in ("ElseIf", "Else")
            if joins and not open_if:
                raise InputError(f"{kind!r} without an 'If' before it")
            if open_if and not joins:
                yield "end"
            open_if = kind in ("If", "ElseIf")
            yield from self._branch(node, kind) if joins or kind == "If" else self._node(node)
            if kind == "Else":
                yield "end"
        if open_if:
            yield "end"
        self._depth -= 1

    def _node(self, node: Element) -> Iterator[str]:
        if node.tag not in self._nodes:
            yield from _contributed(node)
            return
        try:
            yield from self._nodes[node.tag](node)
        except InputError as error:
            text = str(error)
            raise InputError(text if "node" in text else f"the node {node.tag!r}: {text}") from None

    def _branch(self, node: Element, kind: str) -> Iterator[str]:
        check_parts(node, ("expression", "children"))
        if kind == "Else":
            yield "else:"
        else:
            test = expression(node.find("expression"), self._references)
            yield f"{'if' if kind == 'If' else 'elif'} {test}:"
        yield from indented(list(self.lines(node.find("children"))))

    def _loop(self, node: Element) -> Iterator[str]:
        check_parts(node, ("expression", "children", "variable", "count"))
        kind, steps = node.get("type"), list(self.lines(node.find("children")))
        inside = [*indented(steps), "  sync()"]
        if kind == "Always":
            yield from ("while True:", *inside, "end")
        elif kind == "Expression":
            test = expression(node.find("expression"), self._references)
            yield from (f"while {test}:", *inside, "end")
        elif kind == "Counting":
            counter = variable_name(node.find("variable"), self._references)
            count = int(number(node.get("count") or node.findtext("count"), "the count"))
            yield f"global {counter} = 0"
            yield from (
                f"while {counter} < {count}:",
                *inside,
                f"  {counter} = {counter} + 1",
                "end",
            )
        else:
            raise InputError(f"the loop {kind!r} cannot be read")

    def _move(self, node: Element) -> Iterator[str]:
        return move_lines(node, self._references, self._node)

    def _assignment(self, node: Element) -> Iterator[str]:
        if node.get("valueSource") != "Expression":
            raise InputError(f"a value from {node.get('valueSource')!r} cannot be read")
        name = variable_name(node.find("variable"), self._references)
        yield f"global {name} = {expression(node.find('expression'), self._references)}"

    def _call(self, node: Element) -> Iterator[str]:
        named = node.find("subprogram")
        if named is None:
            raise InputError("no subprogram is named")
        named = self._references.resolve(named)
        name = safe_name(named.get("name", ""))
        if name not in self._functions:
            self._functions[name] = []
            self._functions[name] = list(self.lines(named.find("children")))
        yield f"{name}()"

    def _comment(self, node: Element) -> Iterator[str]:
        yield f"# {' '.join(node.get('comment', '').split())}"

    def _popup(self, node: Element) -> Iterator[str]:
        kind, message = node.get("type", "Message"), node.get("message", "")
        if kind not in ("Message", "Warning", "Error"):
            raise InputError(f"the popup {kind!r} cannot be read")
        text = " ".join(message.replace('"', "'").split())
        flags = f"warning={kind == 'Warning'}, error={kind == 'Error'}"
        yield f'popup("{text}", title="{kind}", {flags}, blocking=True)'
        if node.get("haltProgram") == "true":
            yield "halt"

    def _script(self, node: Element) -> Iterator[str]:
        if node.get("type") == "Line":
            yield expression(node.find("expression"), self._references)
        elif node.get("type") in ("File", "Code"):
            yield from (node.findtext("cachedContents") or "").splitlines()
        else:
            raise InputError(f"the script {node.get('type')!r} cannot be read")

    def _set(self, node: Element) -> Iterator[str]:
        if node.get("type") == "NoAction":
            return
        if node.get("type") != "DigitalOutput":
            raise InputError(f"setting {node.get('type')!r} cannot be read")
        bank, pin = pin_of(node, WRITERS)
        high = number(node.findtext("digitalValue"), "the value") > 0
        yield f"{WRITERS[bank]}({pin}, {high})"

    def _wait(self, node: Element) -> Iterator[str]:
        kind = node.get("type")
        if kind == "Sleep":
            yield f"sleep({number(node.findtext('waitTime'), 'the time')})"
        elif kind == "Condition":
            test = expression(node.find("expression"), self._references)
            yield from (f"while not ({test}):", "  sync()", "end")
        elif kind in ("DigitalInput", "AnalogInput"):
            bank, pin = pin_of(node, READERS)
            yield from (f"while not ({READERS[bank]}({pin}) {_wanted(node)}):", "  sync()", "end")
        elif kind != "NoWait":
            raise InputError(f"waiting for {kind!r} cannot be read")


def _contributed(node: Element) -> Iterator[str]:
    """Yield a mark for the script of UR's External Control; refuse all other URCaps and nodes."""
    words = "".join(node.attrib.values()).lower()
    if "externalcontrol" not in re.sub(r"[\W_]", "", words):
        kind = node.get("originalName") or node.get("name") or ""
        raise InputError(f"the node {node.tag!r} {kind} cannot be read".replace("  ", " "))
    yield external_control.MARK


def _wanted(node: Element) -> str:
    """Return what the input of a wait is compared with."""
    if node.get("type") == "DigitalInput":
        return f"== {number(node.findtext('digitalValue'), 'the value') > 0}"
    sign = COMPARISONS.get(node.findtext("analogComparison") or "")
    if sign is None:
        raise InputError("the comparison of an analogue input cannot be read")
    return f"{sign} {number(node.findtext('analogValue'), 'the value')}"


def indented(lines: list[str]) -> list[str]:
    """Return lines with two more spaces before each."""
    return [f"  {line}" for line in lines]


def safe_name(name: str) -> str:
    """Return a name of URScript that resembles another one."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return word if re.match(r"[A-Za-z_]", word) else f"p_{word}"
