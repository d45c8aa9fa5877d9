"""From an equation to code that runs.

* ``derived``: objects derived from an arm, stored outside of it
* ``kernel``: ``kernel(arm, equation)``: an equation that runs on one state or a batch
* ``gpu/``: kernels on an NVIDIA GPU for arrays of PyTorch, JAX and CuPy
* ``native/``: C compilers, loading, self-check and cache
* ``outputs``: result arrays: new, or given by the caller
* ``program``: ``Program``: the instruction list of an equation as plain data
* ``shipped``: programs of the catalogue's arms that come with the wheel
* ``split``: a program split into a part that depends on one input alone, and the rest
* ``targets/``: code generators: Python, NumPy, C, CUDA, WebAssembly
* ``threads``: how many cores batches use, and rows divided over them
* ``wasm/``: WebAssembly modules: build, self-check
"""
