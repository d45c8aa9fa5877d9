"""An arm's functions as code for other places: WebAssembly for pages, C and C++ for firmware.

* ``descent``: inverse kinematics by damped least squares, as C text around generated functions
* ``functions``: the functions that can be exported, by name
* ``ports``: meaning and unit of inputs and outputs
* ``wasm``: ``wasm_module``: an arm's functions as one WebAssembly module with its manifest
"""
