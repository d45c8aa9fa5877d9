"""Compiling a model's C code into shared libraries.

- ``platforms``: the platforms, and which one this is.
- ``compilers``: the host's compiler, or ziglang for all platforms; cached.
- ``universal``: macOS libraries of two architectures in one file.
- ``binaries``: what a library file is: format, machine, functions, dependencies.
"""
