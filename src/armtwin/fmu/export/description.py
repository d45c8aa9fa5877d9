"""modelDescription.xml for FMI 2 and FMI 3."""

from __future__ import annotations

import os
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from itertools import accumulate

from armtwin import __version__
from armtwin.fmu.export.model import FmuModel, Variable
from armtwin.units import base_units, shown

STEP = "0.002"
DISPLAYED = ("m", "rad", "rad/s")
"""Units of variables for which a display unit is declared."""
FMI2_TYPES = {"real": "Real", "integer": "Integer", "boolean": "Boolean"}
FMI3_TYPES = {"real": "Float64", "integer": "Int32", "boolean": "Boolean"}


def description(model: FmuModel, token: str, *, fmi: int) -> bytes:
    """Return modelDescription.xml of a model; ``token`` ties it to its binaries.

    Args:
        model: the model.
        token: GUID (FMI 2) or instantiation token (FMI 3).
        fmi: FMI version, 2 or 3.
    """
    root = ET.Element("fmiModelDescription", _head(model, token, fmi))
    _interfaces(root, model, fmi)
    _units(root, model)
    categories = ET.SubElement(root, "LogCategories")
    meaning = "every call that returns an error, with the reason"
    ET.SubElement(categories, "Category", {"name": "logStatusError", "description": meaning})
    ET.SubElement(root, "DefaultExperiment", {"startTime": "0", "stopTime": "1", "stepSize": STEP})
    variables = ET.SubElement(root, "ModelVariables")
    for variable in model.listed:
        (_variable2 if fmi == 2 else _variable3)(variables, variable)
    (_structure2 if fmi == 2 else _structure3)(ET.SubElement(root, "ModelStructure"), model)
    return xml_bytes(root)


def xml_bytes(root: ET.Element) -> bytes:
    """Return an XML document, indented, in UTF-8."""
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def made_at() -> str:
    """Return the time stamp of generated files: ``SOURCE_DATE_EPOCH``, or a fixed one.

    The same input gives the same bytes, so the clock is not read.
    """
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or 315532800)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _head(model: FmuModel, token: str, fmi: int) -> dict[str, str]:
    common = {
        "modelName": model.identifier,
        "guid" if fmi == 2 else "instantiationToken": token,
        "description": model.title,
        "version": __version__,
        "generationTool": f"armtwin {__version__}",
        "generationDateAndTime": made_at(),
        "variableNamingConvention": "structured",
    }
    if fmi == 3:
        return {"fmiVersion": "3.0", **common}
    return {"fmiVersion": "2.0", **common, "numberOfEventIndicators": "0"}


def _interfaces(root: ET.Element, model: FmuModel, fmi: int) -> None:
    state = "FMUstate" if fmi == 2 else "FMUState"
    derivative = "providesDirectionalDerivative" + ("" if fmi == 2 else "s")
    common = {
        "modelIdentifier": model.identifier,
        "needsExecutionTool": "false",
        "canBeInstantiatedOnlyOncePerProcess": "false",
        f"canGetAndSet{state}": "true",
        f"canSerialize{state}": "true",
        derivative: _flag(model.has_model_exchange),
    }
    if fmi == 2:
        common["canNotUseMemoryManagementFunctions"] = "true"
    step = {"completedIntegratorStepNotNeeded": "true"} if fmi == 2 else {}
    kinds: list[tuple[str, Mapping[str, str]]] = []
    if model.has_model_exchange:
        kinds.append(("ModelExchange", step))
    kinds.append(("CoSimulation", {"canHandleVariableCommunicationStepSize": "true"}))
    for name, more in kinds:
        element = ET.SubElement(root, name, {**common, **more})
        if fmi == 2:
            files = ET.SubElement(element, "SourceFiles")
            ET.SubElement(files, "File", {"name": "fmi2.c"})


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _units(root: ET.Element, model: FmuModel) -> None:
    used = {v.quantity.unit for v in model.variables} - {"1"}
    definitions = ET.SubElement(root, "UnitDefinitions")
    for name in sorted(used):
        unit = ET.SubElement(definitions, "Unit", {"name": name})
        if powers := base_units(name):
            ET.SubElement(unit, "BaseUnit", {key: str(power) for key, power in powers.items()})
        if name in DISPLAYED:
            label, factor = shown(name)
            ET.SubElement(unit, "DisplayUnit", {"name": label, "factor": repr(factor)})


def _common(variable: Variable) -> dict[str, str]:
    found = {
        "name": variable.name,
        "valueReference": str(variable.reference),
        "causality": variable.causality,
        "variability": variable.variability,
    }
    if variable.initial is not None:
        found["initial"] = variable.initial
    if variable.quantity.meaning:
        found["description"] = variable.quantity.meaning
    return found


def _details(variable: Variable) -> dict[str, str]:
    """Return the attributes of the type: unit, bounds, start value."""
    quantity, found = variable.quantity, dict[str, str]()
    if quantity.unit != "1" and quantity.kind == "real":
        found["unit"] = quantity.unit
    for name, bound in (("min", quantity.least), ("max", quantity.most)):
        if bound is not None:
            found[name] = _number(bound, quantity.kind)
    if variable.has_start:
        starts = variable.starts or (quantity.start,)
        found["start"] = " ".join(_number(start, quantity.kind) for start in starts)
    return found


def _number(value: float, kind: str) -> str:
    if kind == "boolean":
        return _flag(bool(value))
    return str(int(value)) if kind == "integer" else repr(float(value))


def _variable2(parent: ET.Element, variable: Variable) -> None:
    element = ET.SubElement(parent, "ScalarVariable", _common(variable))
    details = _details(variable)
    if variable.state is not None:
        details["derivative"] = str(variable.state + 1)
    ET.SubElement(element, FMI2_TYPES[variable.quantity.kind], details)


def _variable3(parent: ET.Element, variable: Variable) -> None:
    details = {**_common(variable), **_details(variable)}
    if variable.state is not None:
        details["derivative"] = str(variable.state)
    element = ET.SubElement(parent, FMI3_TYPES[variable.quantity.kind], details)
    if variable.starts:
        ET.SubElement(element, "Dimension", {"start": str(len(variable.starts))})


def _unknowns(model: FmuModel) -> dict[str, list[tuple[int, list[int]]]]:
    """Return outputs, derivatives and initial unknowns, each with the knowns it depends on."""
    fixed = {v.reference for v in model.with_causality("parameter")}
    owner = list(accumulate((k if size else 0 for k, size in enumerate(model.sizes)), max))
    found: dict[str, list[tuple[int, list[int]]]] = {"outputs": [], "rates": [], "initial": []}
    for variable in model.listed:
        entries = range(variable.reference, variable.reference + max(1, len(variable.starts)))
        if variable.reference not in model.dependencies:
            continue
        needs = sorted({owner[k] for entry in entries for k in model.dependencies[entry]})
        running = [k for k in needs if k not in fixed]
        found["outputs" if variable.causality == "output" else "rates"].append(
            (variable.reference, running)
        )
        if variable.initial == "calculated":
            found["initial"].append((variable.reference, needs))
    return found


def _structure2(parent: ET.Element, model: FmuModel) -> None:
    names = {"outputs": "Outputs", "rates": "Derivatives", "initial": "InitialUnknowns"}
    for group, rows in _unknowns(model).items():
        if not rows:
            continue
        element = ET.SubElement(parent, names[group])
        for reference, needs in rows:
            listed = " ".join(str(k + 1) for k in needs)
            ET.SubElement(element, "Unknown", {"index": str(reference + 1), "dependencies": listed})


def _structure3(parent: ET.Element, model: FmuModel) -> None:
    names = {"outputs": "Output", "rates": "ContinuousStateDerivative", "initial": "InitialUnknown"}
    for group, rows in _unknowns(model).items():
        for reference, needs in rows:
            listed = " ".join(str(k) for k in needs)
            ET.SubElement(
                parent, names[group], {"valueReference": str(reference), "dependencies": listed}
            )
