"""The REST service of PolyScope X, which has no dashboard.

Modules:
    service: the calls about state and programs and what they do.
    system_calls: the calls about the system.
    calls: what a call is: its version, its handler, and how it is refused.
    program_library: the programs of a folder, by name.
    http_port: connections that speak HTTP.
"""
