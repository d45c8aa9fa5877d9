"""A program as a table that a small loop in C runs: a tenth of the code of straight lines.

It serves what is long and seldom called, the directional derivatives. The loop works on one array
of numbers: constants, then the program's inputs, then registers that are used again and again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from armtwin.compile.program import Program
from armtwin.compile.targets.c import CALLS, INFIX, TESTS
from armtwin.compile.targets.c_rows import literal

FORMS = {"div": "a / b", "neg": "-a", "sq": "a * a", "twice": "a + a", "inv": "1.0 / a"}
BINARY_CALLS = {"atan2", "copysign", "fmin", "fmax", "if_else_zero"}


def tape_source(program: Program, name: str) -> str:
    """Return ``void NAME(const double *const *inputs, double *result)`` with its tables."""
    tape = _Tape(program)
    for k, step in enumerate(program.steps):
        tape.add(k, step)
    results = [tape.place[k] for group in program.results for k in group]
    codes = sorted({row[0] for row in tape.rows})
    numbers = {code: i for i, code in enumerate(codes)}
    columns = [[row[i] for row in tape.rows] for i in (1, 2, 3)]
    sizes = ", ".join(str(port.size) for port in program.inputs)
    cases = "\n".join(
        f"      case {i}: w[r] = {_expression(code)}; break;" for code, i in numbers.items()
    )
    return f"""{_table("unsigned char", f"{name}_code", (numbers[row[0]] for row in tape.rows))}
{_table("unsigned short", f"{name}_to", columns[0])}
{_table("unsigned short", f"{name}_a", columns[1])}
{_table("unsigned short", f"{name}_b", columns[2])}
{_table("unsigned short", f"{name}_result", results)}
{_table("double", f"{name}_number", tape.numbers or ["0.0"])}
__attribute__((noinline)) static void {name}(const double *const *inputs, double *result) {{
  static const unsigned short size[] = {{{sizes}}};
  double w[{tape.size}];
  int n = 0;
  for (int i = 0; i < {len(tape.numbers)}; i++) w[n++] = {name}_number[i];
  for (int k = 0; k < {len(program.inputs)}; k++)
    for (int i = 0; i < size[k]; i++) w[n++] = inputs[k][i];
  for (int i = 0; i < {len(tape.rows)}; i++) {{
    const double a = w[{name}_a[i]], b = w[{name}_b[i]];
    const int r = {name}_to[i];
    switch ({name}_code[i]) {{
{cases}
    }}
  }}
  for (int i = 0; i < {len(results)}; i++) result[i] = w[{name}_result[i]];
}}
"""


def _table(kind: str, name: str, entries: Iterable[Any]) -> str:
    return f"static const {kind} {name}[] = {{{','.join(map(str, entries))}}};"


def _expression(code: str) -> str:
    """Return an operation on ``a`` and ``b`` as C text."""
    if code in INFIX:
        return f"a {INFIX[code]} b"
    if code in TESTS:
        return f"truth1({TESTS[code].format('a', 'b')})".replace("$", "1")
    if code in FORMS:
        return FORMS[code]
    return f"{CALLS[code]}1(a{', b' if code in BINARY_CALLS else ''})"


@dataclass
class _Tape:
    """Rows ``(operation, result, a, b)`` over places in the array of numbers."""

    program: Program
    rows: list[tuple[str, int, int, int]] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=dict)
    free: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        steps = self.program.steps
        numbers = sorted({literal(step[1]) for step in steps if step[0] == "const"})
        self.numbers = {text: i for i, text in enumerate(numbers)}
        self.first = [len(self.numbers)]
        for port in self.program.inputs:
            self.first.append(self.first[-1] + port.size)
        self.size = self.first[-1]
        self.last = self.program.last_uses()

    def add(self, k: int, step: tuple[Any, ...]) -> None:
        """Place value ``k``; a register is free again once its value was read for the last time."""
        if step[0] == "const":
            self.place[k] = self.numbers[literal(step[1])]
        elif step[0] == "input":
            self.place[k] = self.first[step[1]] + step[2]
        else:
            operands = [self.place[j] for j in step[1:]]
            for j in set(step[1:]):
                if self.last[j] == k and self.place[j] >= self.first[-1]:
                    self.free.append(self.place[j])
            self.place[k] = self._register()
            self.rows.append((step[0], self.place[k], operands[0], operands[-1]))

    def _register(self) -> int:
        if self.free:
            return self.free.pop()
        self.size += 1
        return self.size - 1
