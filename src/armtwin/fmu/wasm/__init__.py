"""FMUs with a WebAssembly binary, after the draft layered standard modelica/fmi-ls-wasm.

- ``wit``: the draft's types and functions, as data.
- ``component_text``: the component around a model's module, in WebAssembly text.
- ``build``: a model compiled and wrapped as a component, and its manifest.
- ``fmi3_calls``: functions of the C interface in terms of the component's.
- ``wasm_library``: the component of an FMU in wasmtime, with the functions of a native library.
"""
