"""A model as a component of WebAssembly, and the manifest of the layered standard."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from armtwin.compile.wasm.component import component_bytes
from armtwin.fmu.build.compilers import compile_wasm
from armtwin.fmu.wasm.component_text import component_text

SOURCES = Path(__file__).parents[1] / "export" / "sources"
FILES = ("wasm_memory.c", "wasm.c")
MANIFEST = "extra/org.modelica.fmi-ls-wasm/manifest.xml"
NAMESPACE = "http://fmi-standard.org/fmi-ls-manifest"
VERSION = "0.1.0"
"""The draft has no version of its own yet; its text gives this one as an example."""


def wasm_sources() -> dict[str, str]:
    """Return the C files that a component needs beside those of FMI 3."""
    return {name: (SOURCES / name).read_text(encoding="utf-8") for name in FILES}


def compile_component(sources: Mapping[str, str], level: str, *, has_model_exchange: bool) -> bytes:
    """Return the component of a model, which has both interfaces where the model has both.

    Args:
        sources: C texts by file name, those of ``wasm_sources`` included.
        level: optimization, as compilers name it.
        has_model_exchange: whether the model has model exchange beside co-simulation.

    Raises:
        MissingDataError: ziglang or wasmtime is not installed.
        CompileError: the compiler fails.
    """
    modes = ("cs", "me") if has_model_exchange else ("cs",)
    return component_bytes(component_text(modes), compile_wasm(sources, FILES[-1], level))


def manifest() -> bytes:
    """Return the layered standard's manifest.xml."""
    ET.register_namespace("fmi-ls", NAMESPACE)
    about = {
        "fmi-ls-name": "org.modelica.fmi-ls-wasm",
        "fmi-ls-version": VERSION,
        "fmi-ls-description": "FMI Layered Standard for WebAssembly",
    }
    named = {f"{{{NAMESPACE}}}{key}": value for key, value in about.items()}
    root = ET.Element("fmiLayeredStandardManifest", named)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
