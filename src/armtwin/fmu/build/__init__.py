"""Compiling a model's C code into shared libraries.

- ``platforms``: the platforms, the host, and macOS libraries of two architectures.
- ``compilers``: the host's compiler, or ziglang for all platforms; cached.
- ``binaries``: what a library file is: format, machine, functions, dependencies.
"""
