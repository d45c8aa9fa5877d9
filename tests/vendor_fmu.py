"""FMUs that are not ours, compiled from ``fmu_drivers``: a ball, and a controller."""

import functools
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from fmu_files import folder

from armtwin.compile.native.toolchain import find_compiler
from armtwin.fmu.build.platforms import host
from armtwin.fmu.export.export import SOURCES

SOURCE = Path(__file__).parent / "fmu_drivers" / "vendor.c"

VARIABLES = """
<ScalarVariable name="h" valueReference="0" causality="output" variability="continuous" initial="exact"><Real start="1"/></ScalarVariable>
<ScalarVariable name="v" valueReference="1" causality="output" variability="continuous" initial="exact"><Real start="0"/></ScalarVariable>
<ScalarVariable name="u" valueReference="2" causality="input" variability="continuous"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="3" causality="output" variability="continuous"><Real/></ScalarVariable>
<ScalarVariable name="sum" valueReference="4" causality="output" variability="continuous"><Real/></ScalarVariable>
<ScalarVariable name="i" valueReference="10" causality="input" variability="discrete"><Integer start="0"/></ScalarVariable>
<ScalarVariable name="ten" valueReference="10" causality="output" variability="discrete"><Integer/></ScalarVariable>
<ScalarVariable name="bounces" valueReference="11" causality="output" variability="discrete"><Integer/></ScalarVariable>
<ScalarVariable name="b" valueReference="20" causality="input" variability="discrete"><Boolean start="false"/></ScalarVariable>
<ScalarVariable name="not_b" valueReference="20" causality="output" variability="discrete"><Boolean/></ScalarVariable>
<ScalarVariable name="late" valueReference="21" causality="output" variability="discrete"><Boolean/></ScalarVariable>
<ScalarVariable name="der(h)" valueReference="30" variability="continuous"><Real derivative="1"/></ScalarVariable>
<ScalarVariable name="der(v)" valueReference="31" variability="continuous"><Real derivative="2"/></ScalarVariable>
"""  # noqa: E501
DESCRIPTION = f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="ball" guid="{{1}}" numberOfEventIndicators="1">
<ModelExchange modelIdentifier="ball"/>
<CoSimulation modelIdentifier="ball" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables>{VARIABLES}</ModelVariables>
<ModelStructure>
<Outputs>{"".join(f'<Unknown index="{k}"/>' for k in (1, 2, 4, 5, 7, 8, 10, 11))}</Outputs>
<Derivatives><Unknown index="12"/><Unknown index="13"/></Derivatives>
</ModelStructure>
</fmiModelDescription>
"""


@functools.cache
def vendor_fmu(description=DESCRIPTION):
    """Return the FMU's file, with this or another description."""
    compiler = find_compiler()
    if compiler is None or sys.platform == "win32":
        pytest.skip("no C compiler to make another maker's FMU with")
    library = folder() / "ball.bin"
    flags = ("-shared", "-fPIC", "-O1", "-w", f"-I{SOURCES}")
    subprocess.run([*compiler.command, *flags, "-o", library, SOURCE], check=True)
    file = folder() / f"ball-{abs(hash(description))}.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", description)
        place = f"binaries/{host().fmi2_folder}/ball{host().ending}"
        archive.write(library, place)
    return file


def _foreign(name, reference, causality):
    variability = "fixed" if causality == "parameter" else "continuous"
    start = "" if causality == "output" else ' start="0"'
    return (
        f'<ScalarVariable name="{name}" valueReference="{reference}" causality="{causality}" '
        f'variability="{variability}"><Real{start}/></ScalarVariable>'
    )


@functools.cache
def foreign_controller():
    """Return another maker's controller: springs and dampers to a reference, named as ours."""
    compiler = find_compiler()
    if compiler is None or sys.platform == "win32":
        pytest.skip("no C compiler to make another maker's FMU with")
    names = ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "tau", "kp", "kv")
    kinds = {"tau": "output", "kp": "parameter", "kv": "parameter"}
    variables = [
        _foreign(f"{name}{i + 1}", 6 * k + i, kinds.get(name, "input"))
        for k, name in enumerate(names)
        for i in range(6)
    ]
    outputs = "".join(f'<Unknown index="{k}"/>' for k in range(31, 37))
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="foreign" guid="{{2}}">
<CoSimulation modelIdentifier="foreign" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables>{"".join(variables)}</ModelVariables>
<ModelStructure><Outputs>{outputs}</Outputs><InitialUnknowns>{outputs}</InitialUnknowns>
</ModelStructure></fmiModelDescription>"""
    library, file = folder() / "foreign.bin", folder() / "foreign.fmu"
    flags = ("-shared", "-fPIC", "-O1", "-w", f"-I{SOURCES}")
    source = SOURCE.with_name("foreign_controller.c")
    subprocess.run([*compiler.command, *flags, "-o", library, source], check=True)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", text)
        archive.write(library, f"binaries/{host().fmi2_folder}/foreign{host().ending}")
    return file
