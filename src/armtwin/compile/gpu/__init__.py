"""Kernels on an NVIDIA GPU, for arrays of PyTorch, JAX and CuPy.

* ``array_library``: what kernels need to know of a library and of an array
* ``array_libraries``: PyTorch, JAX and CuPy; which of them an array belongs to
* ``device_kernel``: CUDA text compiled by NVRTC (through CuPy), launched and self-checked
* ``gradients``: derivatives of PyTorch's autograd and JAX's grad
* ``launch``: an equation on arrays of one library: shapes, checks, results
"""
