"""The generated part of a model's C code: its numbers (model.h) and its equations (model.c)."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from armtwin.compile.program import Program
from armtwin.compile.split import hoist
from armtwin.compile.targets.c import body_source, math_source
from armtwin.compile.targets.c_rows import literal
from armtwin.fmu.export.model import FmuModel
from armtwin.fmu.export.tape import tape_source

ONCE = "static __attribute__((noinline, unused))"
TYPES = {"real": "r", "integer": "i", "boolean": "b"}
MOTION = (
    ("mass", (), ("a",)),
    ("rest", (), ("a",)),
    ("loads", ("dq",), ("load", "slope", "stiffness")),
    ("elements", ("dq",), ("z",)),
)
"""Parts of the equation of motion: equation, further input, names of what it returns."""
TOKEN = "THE_TOKEN"
"""Placeholder in model.h for the model's identity, a hash over all other text."""


def generated(model: FmuModel) -> dict[str, str]:
    """Return model.h and model.c."""
    parts = [
        f"/* {model.title}: the equations. Generated from armtwin's expressions. */",
        '#include "instance.h"',
        _outlined(math_source(1)),
    ]
    places, start = dict[str, int](), 0
    for equation in model.block.equations():
        program = Program.from_listing(equation.listing())
        if equation.name == "tangent":
            parts.append(tape_source(program, "eq_tangent"))
            continue
        if equation.name == "requirements":
            parts.append(body_source(program, 1).replace("body1(", "eq_requirements("))
            continue
        split = hoist(program, "p")
        for name, part in ((f"{equation.name}_ahead", split.ahead), (equation.name, split.rest)):
            parts.append(body_source(part, 1).replace("body1(", f"eq_{name}("))
        places[equation.name], start = start, start + split.ahead.outputs[0].size
    parts += _calls(model, places)
    if model.block.motion:
        parts += elimination(model.block.motion["dq"].numel())
    return {"model.h": _header(model, start), "model.c": "\n".join(parts) + "\n"}


def _outlined(source: str) -> str:
    """Return the elementary functions; long ones stay calls to keep the code small."""
    for name in ("void sincos1(", "V1 atan21(", "V1 exp1(", "V1 tanh1("):
        source = source.replace(f"static inline {name}", f"{ONCE} {name}")
    return source


def _header(model: FmuModel, constants: int) -> str:
    """Return model.h: how many values of each kind there are, and their names and starts."""
    block, variables = model.block, model.variables
    groups = {
        "U": block.inputs, "Y": block.outputs, "X": block.states,
        "P": block.parameters, "M": block.memory, "R": block.requirements,
    }  # fmt: skip
    joints = block.motion["dq"].numel() if block.motion else 0
    solver = [v.reference for v in variables if v.name in ("solver_step", "tolerance")]
    lines = [
        f"/* {model.title}: numbers of values, and what they are. Generated. */",
        f'#define MODEL_TOKEN "{TOKEN}"',
        *(f"#define N_{name} {len(group.quantities)}" for name, group in groups.items()),
        f"#define N_C {constants}",
        f"#define IS_SAMPLED {int(block.is_sampled)}",
        f"#define HAS_MODEL_EXCHANGE {int(model.has_model_exchange)}",
        f"#define HAS_TANGENT {int(not block.is_sampled)}",
        f"#define HAS_MOTION {int(bool(block.motion))}",
        f"#define HAS_ELEMENTS {int(0 < 2 * joints < len(block.states.quantities))}",
        f"#define N_J {joints}",
        f"#define AT_SOLVER_STEP {solver[0] if solver else 0}",
        f"#define AT_TOLERANCE {solver[-1] if solver else 0}",
        _table("double", "model_start", [literal(v.quantity.start) for v in variables]),
        _table("char *const", "model_name", [f'"{v.name}"' for v in variables]),
        _table("double", "model_least", (_bound(v.quantity.least, -1) for v in variables)),
        _table("double", "model_most", (_bound(v.quantity.most, 1) for v in variables)),
        _table("unsigned char", "model_size", map(str, model.sizes)),
        _table(
            "char *const", "model_requirement",
            [f'"{q.name}"' for q in block.requirements.quantities] or ['""'],
        ),
        _text("model_type", "".join(TYPES[v.quantity.kind] for v in variables)),
        _text("model_tunable", "".join(str(int(q.tunable)) for q in block.parameters.quantities)),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _bound(value: float | None, side: int) -> str:
    """Return a bound as C text, the largest number where there is none."""
    return literal(side * sys.float_info.max if value is None else float(value))


def _table(kind: str, name: str, entries: Iterable[str]) -> str:
    return f"static const {kind} {name}[] = {{\n  " + ",\n  ".join(entries) + "};"


def _text(name: str, text: str) -> str:
    return f'static const char {name}[] = "{text}";'


def _calls(model: FmuModel, places: dict[str, int]) -> list[str]:
    """Return the functions that instance.c calls; ``places`` are the equations' constants."""
    block = model.block
    values = "v, " + ", ".join(
        f"v + AT_{name}" if group.quantities else "0"
        for name, group in (("U", block.inputs), ("X", block.states))
    )
    prepare = [f"  eq_{name}_ahead(p, c + {place});" for name, place in places.items()]
    evaluate = {
        name: [f"  eq_{name}({values}, c + {places[name]}, v + {to});"]
        if name in places
        else ["  (void)v, (void)c;"]
        for name, to in (("outputs", "AT_Y"), ("rates", "AT_DX"))
    }
    motion = [
        _function(
            f"model_{name}(double *v, const double *c, {_pointers(taken, to)})",
            [f"  eq_{name}({values}, c + {places[name]}, {', '.join((*taken, *to))});"],
        )
        for name, taken, to in MOTION
        if name in places
    ]
    require = ["  eq_requirements(p, r);"] if block.requirements.quantities else []
    sample = [
        "  double next[N_M];",
        "  eq_sample(&since, v + AT_U, m, c, next, v + AT_Y);",
        "  for (int i = 0; i < N_M; i++) m[i] = next[i];",
    ]
    tangent = [
        f"  const double *const inputs[] = {{{values}, v + AT_P, seed}};",
        "  eq_tangent(inputs, along);",
    ]
    last = (
        _function("model_sample(double since, double *v, double *m, const double *c)", sample)
        if block.is_sampled
        else _function("model_tangent(const double *v, const double *seed, double *along)", tangent)
    )
    return [
        _function("model_prepare(const double *p, double *c)", prepare),
        _function("model_require(const double *p, double *r)", require or ["  (void)p, (void)r;"]),
        *(
            _function(f"model_{name}(double *v, const double *c)", body)
            for name, body in evaluate.items()
        ),
        *motion,
        last,
    ]


def elimination(n: int) -> list[str]:
    """Return model_factor and model_solve in C, in straight lines, for n unknowns.

    A symmetric matrix is its lower triangle ``a``, row by row. ``model_factor`` overwrites it by L
    of ``A = L D L'`` with the inverse of D on the diagonal and returns 0 where A is not positive
    definite; ``model_solve`` overwrites ``x`` by the solution.
    Loops over triangles take three times as long.
    """
    at = {(i, k): i * (i + 1) // 2 + k for i in range(n) for k in range(i + 1)}
    factor = [f"  double {', '.join(f'a{k} = a[{k}]' for k in at.values())};"]
    for j in range(n):
        below, pivot = range(j + 1, n), f"a{at[j, j]}"
        factor += [f"  if (!({pivot} > 0.0)) return 0;", f"  {pivot} = 1.0 / {pivot};"]
        factor += [
            f"  a{at[i, k]} -= a{at[i, j]} * {pivot} * a{at[k, j]};"
            for i in below
            for k in range(j + 1, i + 1)
        ]
        factor += [f"  a{at[i, j]} *= {pivot};" for i in below]
    factor += [f"  a[{k}] = a{k};" for k in at.values()]
    solve = [f"  double {', '.join(f'x{i} = x[{i}]' for i in range(n))};"]
    solve += [f"  x{i} -= a[{at[i, k]}] * x{k};" for k in range(n) for i in range(k + 1, n)]
    solve += [f"  x{i} *= a[{at[i, i]}];" for i in range(n)]
    solve += [f"  x{k} -= a[{at[i, k]}] * x{i};" for i in range(n - 1, 0, -1) for k in range(i)]
    solve += [f"  x[{i}] = x{i};" for i in range(n)]
    return [
        "\n".join([f"{ONCE} int model_factor(double *a) {{", *factor, "  return 1;", "}"]),
        _function("model_solve(const double *a, double *x)", solve),
    ]


def _pointers(taken: Iterable[str], returned: Iterable[str]) -> str:
    """Return arrays that are read, then arrays that are written, as parameters in C."""
    read = [f"const double *{name}" for name in taken]
    return ", ".join(read + [f"double *{name}" for name in returned])


def _function(head: str, body: list[str]) -> str:
    return "\n".join([f"{ONCE} void {head} {{", *body, "}"])
