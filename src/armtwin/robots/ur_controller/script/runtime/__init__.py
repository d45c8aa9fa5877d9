"""Execution of compiled URScript programs.

Modules:
    values, operators, list_methods, formatting: values and operations on them.
    scheduler: threads of a program, run in control cycles.
    runtime: what builtin functions and generated code see of a running program.
    interpreter: statements that clients send in interpreter mode.
    tcp_sockets: TCP connections of programs.
    budget: limits on what a program may use.
"""
