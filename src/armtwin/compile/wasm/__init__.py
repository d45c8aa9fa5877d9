"""WebAssembly modules of programs.

* ``build``: C text to a module with ziglang, cached
* ``wasm_instance``: a module in wasmtime, for the self-check
* ``component``: components of the Component Model, assembled and run by wasmtime
* ``module``: ``wasm_module``: programs as one checked module with its manifest
"""
