"""RTDE, the real-time interface of UR controllers (port 30004).

Modules:
    codec: packets as functions of bytes.
    fields: names, types and versions of inputs and outputs.
    recipe: the fields of a connection and their layout.
    connection: the asyncio protocol under a client.
    client: one connection.
    stream: samples over many connections, with statistics.
"""
