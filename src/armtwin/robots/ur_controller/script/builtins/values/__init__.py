"""Builtin functions of values only.

Modules:
    mathematics, strings, lists, poses: one group of functions each.
"""
