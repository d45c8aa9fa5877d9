"""Builtin functions for inputs, outputs, registers, sockets and messages.

Modules:
    inputs_outputs: digital and analogue inputs and outputs.
    io_configuration: their configuration, Modbus and conveyor functions that are accepted.
    registers: registers that are shared with RTDE clients.
    sockets, socket_reading: TCP connections.
"""
