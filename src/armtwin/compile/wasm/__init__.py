"""WebAssembly modules of programs.

* ``build``: C text to a module with ziglang, cached
* ``instance``: a module in wasmtime, for the self-check
* ``module``: ``wasm_module``: programs as one checked module with its manifest
"""
