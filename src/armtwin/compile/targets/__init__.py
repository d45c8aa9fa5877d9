"""Code generators that read a ``Program``.

* ``c``: C source for one state and for SIMD batches
* ``c99``: plain C99 for one state, with libm
* ``c_rows``: loading, transposing and storing rows of a batch in C
* ``cuda``: CUDA source, one state per thread
* ``numpy``: NumPy source over batches
* ``python``: Python source for one state
* ``wasm``: C source of a WebAssembly module, two states at a time
"""
