"""Native Functional Mock-up Units (FMI 2 and 3) of an arm's models.

- ``export``: models, C code, description and SSP systems.
- ``build``: compilers and platforms.
- ``loading``: reading FMUs of any vendor and calling their functions.
- ``wasm``: FMUs with a WebAssembly component (fmi-ls-wasm).
- ``run``: running FMUs over tables of inputs.
- ``check``: checking an FMU and simulating SSP systems.
"""
