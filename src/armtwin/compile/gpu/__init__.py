"""Kernels on an NVIDIA GPU, for arrays of PyTorch, JAX and CuPy.

* ``array_libraries``: which library an array belongs to; exchange without copies (DLPack)
* ``device_kernel``: CUDA text compiled by NVRTC (through CuPy), launched and self-checked
* ``launch``: an equation on arrays of one library: shapes, checks, results
"""
