"""An arm's functions as code for other places: WebAssembly for pages, C and C++ for firmware.

* ``c_test_text``: the test program of exported C
* ``c_text``: header and source of C99, and the C++ wrapper
* ``descent``: inverse kinematics by damped least squares, as C text around generated functions
* ``export_c``: ``export_c``: a folder of C99, C++, CMake and facts for real-time use
* ``export_wasm``: ``export_wasm``: a folder with a module, its manifest and its loader
* ``functions``: the functions that can be exported, by name
* ``ports``: meaning and unit of inputs and outputs
* ``real_time``: operations, stack, time and size of C functions
* ``wasm``: ``wasm_module``: an arm's functions as one WebAssembly module with its manifest
"""
