"""WebAssembly modules of programs.

* ``wasm_instance``: a module in wasmtime, for the self-check
* ``component``: components of the Component Model, assembled and run by wasmtime
* ``module``: ``wasm_module``: programs as one checked module, compiled with ziglang and cached
"""
