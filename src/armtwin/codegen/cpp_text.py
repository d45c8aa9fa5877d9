"""The C++ wrapper of exported C functions: ``std::array`` in, ``std::array`` or a struct out."""

from __future__ import annotations

from armtwin.codegen.c_text import CFunction, CModule, is_scalar, outputs
from armtwin.compile.program import Port


def cpp_header(module: CModule) -> str:
    """Return the header of the C++ wrapper (C++11, header only)."""
    guard = f"{module.prefix}_HPP".upper()
    parts = [
        f"/** C++ wrapper of {module.prefix}.h, where every function is described. */",
        f"#ifndef {guard}\n#define {guard}\n",
        f'#include <array>\n\n#include "{module.prefix}.h"\n',
        f"namespace {module.prefix} {{\n",
        *(_function(module, function) for function in module.functions),
        f"}}  // namespace {module.prefix}\n",
        "#endif\n",
    ]
    return "\n".join(parts)


def _function(module: CModule, function: CFunction) -> str:
    given = [
        f"{module.real} {p.name}" if is_scalar(p) else f"const {_array(module, p)} &{p.name}"
        for p in function.program.inputs
    ]
    passed = [p.name if is_scalar(p) else f"{p.name}.data()" for p in function.program.inputs]
    results = outputs(function)
    if len(results) == 1:
        kind, before = _array(module, results[0][0]), ""
        passed.append("result.data()")
    else:
        kind = "".join(word.capitalize() for word in function.name.split("_")) + "Result"
        members = [f"  {_array(module, port)} {name};" for port, name in results]
        before = "\n".join([f"struct {kind} {{", *members, "};\n"])
        passed += [f"result.{name}.data()" for _, name in results]
    lines = [
        f"inline {kind} {function.name}({', '.join(given)}) {{",
        f"  {kind} result;",
        f"  ::{module.prefix}_{function.name}({', '.join(passed)});",
        "  return result;",
        "}\n",
    ]
    return before + "\n".join(lines)


def _array(module: CModule, port: Port) -> str:
    return f"std::array<{module.real}, {port.size}>"
