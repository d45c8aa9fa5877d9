"""The REST service of PolyScope X, which has no dashboard.

Modules:
    service: the calls of the service and what they do.
    calls: what a call is: its version, its handler, and how it is refused.
    library: the programs of a folder, by name.
    http_port: connections that speak HTTP.
"""
