"""The content of modelDescription.xml, for FMUs of any vendor."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, replace

from armtwin.errors import FmuError, InputError
from armtwin.fmu.loading.scalar import Scalar

FMI2_KINDS = {"Real": "F64", "Integer": "I32", "Boolean": "I32", "Enumeration": "I32"}
FMI3_KINDS = {
    "Float64": "F64", "Float32": "F32", "Int8": "I8", "UInt8": "U8", "Int16": "I16",
    "UInt16": "U16", "Int32": "I32", "UInt32": "U32", "Int64": "I64", "UInt64": "U64",
    "Boolean": "B8", "Enumeration": "I64",
}  # fmt: skip
SETTABLE = ("input", "parameter", "output", "local")
CALLS = {"Enumeration2": "Integer", "Enumeration3": "Int64"}


@dataclass(frozen=True)
class Interface:
    """An FMU's interface.

    Attributes:
        fmi: version 2 or 3.
        name, token: the model's name and identity.
        identifiers: per mode (``cs``, ``me``) the library's name; a mode that is missing is not
            offered.
        scalars: all variables.
        dependencies: per output what it depends on, None where the file does not say.
        states: names of the continuous states, or their number where names are not given.
        flags: the attributes of each mode.
        indicators: number of event indicators (FMI 2; FMI 3 reports it at run time).
        step: the communication step that the maker proposes [s].
    """

    fmi: int
    name: str
    token: str
    identifiers: dict[str, str]
    scalars: tuple[Scalar, ...]
    dependencies: dict[str, tuple[str, ...] | None]
    states: tuple[str, ...]
    flags: dict[str, dict[str, str]]
    indicators: int
    step: float | None
    description: str = ""
    tool: str = ""

    def with_causality(self, causality: str) -> list[Scalar]:
        """Return the variables of one causality."""
        return [scalar for scalar in self.scalars if scalar.causality == causality]

    def flag(self, mode: str, name: str) -> bool:
        """Return a capability of a mode."""
        return self.flags.get(mode, {}).get(name) == "true"

    def kind(self, scalar: Scalar) -> str | None:
        """Return how a variable's value is stored in memory, or None where it is not a number."""
        kinds = FMI2_KINDS if self.fmi == 2 else FMI3_KINDS
        return None if 0 in scalar.dimensions else kinds.get(scalar.type)

    def settings(self, values: Mapping[str, float]) -> dict[Scalar, list[float]]:
        """Return start values by variable; entries of arrays that are not given keep theirs.

        Raises:
            InputError: names that the FMU does not have or that cannot be set.
        """
        found: dict[Scalar, list[float]] = {}
        for name, value in values.items():
            scalar = self._settable(name)
            numbers = found.setdefault(scalar, list(scalar.starts))
            numbers[scalar.entries.index(name)] = value
        return found

    def _settable(self, name: str) -> Scalar:
        for scalar in self.scalars:
            if name in scalar.entries and scalar.causality in SETTABLE:
                if self.kind(scalar) is None:
                    raise InputError(f"{name} is a {scalar.type}; only numbers can be set")
                return scalar
        entries = (name for s in self.with_causality("parameter") for name in s.entries)
        known = ", ".join(entries) or "none"
        raise InputError(f"no variable {name!r} to set; the FMU's parameters are: {known}")

    def call(self, verb: str, scalar: Scalar) -> str:
        """Return the name of the function that sets or gets a variable."""
        return f"fmi{self.fmi}{verb}{CALLS.get(f'{scalar.type}{self.fmi}', scalar.type)}"


def read_interface(text: bytes, where: str) -> Interface:
    """Parse a modelDescription.xml.

    Raises:
        FmuError: not XML, not FMI 2.0 or 3.x, or without variables or interfaces.
    """
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise FmuError(f"{where}: modelDescription.xml cannot be read: {error}") from error
    version = root.get("fmiVersion", "")
    if version != "2.0" and not version.startswith("3."):
        raise FmuError(
            f"{where}: FMI version {version or 'not given'!r}; this runner knows 2.0 and 3.0"
        )
    fmi = int(version[0])
    try:
        return _interface(root, fmi, where)
    except (KeyError, ValueError, IndexError) as error:
        raise FmuError(f"{where}: modelDescription.xml lacks or garbles {error}") from error


def _interface(root: ET.Element, fmi: int, where: str) -> Interface:
    flags = {
        mode: dict(element.attrib)
        for mode, tag in (("cs", "CoSimulation"), ("me", "ModelExchange"))
        if (element := root.find(tag)) is not None
    }
    if not flags:
        raise FmuError(f"{where}: offers neither co-simulation nor model exchange")
    scalars = tuple((_scalars2 if fmi == 2 else _scalars3)(root))
    experiment = root.find("DefaultExperiment")
    step = None if experiment is None else experiment.get("stepSize")
    return Interface(
        fmi=fmi,
        name=root.attrib["modelName"],
        token=root.attrib["guid" if fmi == 2 else "instantiationToken"],
        identifiers={mode: given["modelIdentifier"] for mode, given in flags.items()},
        scalars=scalars,
        dependencies=_dependencies(root, fmi, scalars),
        states=_states(root, fmi, scalars),
        flags=flags,
        indicators=int(root.get("numberOfEventIndicators") or 0),
        step=None if step is None else float(step),
        description=root.get("description", ""),
        tool=root.get("generationTool", ""),
    )


def _scalars2(root: ET.Element) -> list[Scalar]:
    found = []
    for element in root.iterfind("ModelVariables/ScalarVariable"):
        inner = next(child for child in element if child.tag in (*FMI2_KINDS, "String"))
        found.append(_scalar(element, inner.tag, inner))
    return found


def _scalars3(root: ET.Element) -> list[Scalar]:
    variables = root.findall("ModelVariables/*")
    sizes = {
        element.get("valueReference"): int(element.get("start", "0"))
        for element in variables
        if element.get("causality") == "structuralParameter"
    }
    return [
        replace(_scalar(element, element.tag, element), dimensions=_dimensions(element, sizes))
        for element in variables
    ]


def _dimensions(element: ET.Element, sizes: dict[str | None, int]) -> tuple[int, ...]:
    """Return the lengths of an array, given themselves or by a structural parameter's start."""
    return tuple(
        int(dimension.get("start") or sizes.get(dimension.get("valueReference"), 0))
        for dimension in element.findall("Dimension")
    )


def _scalar(element: ET.Element, kind: str, details: ET.Element) -> Scalar:
    number = kind in ("Real", "Float64", "Float32")
    causality = element.get("causality", "local")
    usual = "fixed" if "arameter" in causality else "continuous" if number else "discrete"
    return Scalar(
        name=element.attrib["name"],
        reference=int(element.attrib["valueReference"]),
        type=kind,
        causality=causality,
        variability=element.get("variability", usual),
        start=details.get("start"),
        unit=details.get("unit"),
        derivative=details.get("derivative"),
    )


def _named(fmi: int, scalars: tuple[Scalar, ...], number: str) -> str:
    """Return the name of a referenced variable: by index in FMI 2, by reference in FMI 3."""
    if fmi == 2:
        return scalars[int(number) - 1].name
    return next(s.name for s in scalars if s.reference == int(number))


def _unknowns(root: ET.Element, fmi: int, what: str) -> list[ET.Element]:
    path = {
        "outputs": ("ModelStructure/Outputs/Unknown", "ModelStructure/Output"),
        "rates": ("ModelStructure/Derivatives/Unknown", "ModelStructure/ContinuousStateDerivative"),
    }[what][fmi - 2]
    return root.findall(path)


def _dependencies(
    root: ET.Element, fmi: int, scalars: tuple[Scalar, ...]
) -> dict[str, tuple[str, ...] | None]:
    key = "index" if fmi == 2 else "valueReference"
    found: dict[str, tuple[str, ...] | None] = {}
    for element in _unknowns(root, fmi, "outputs"):
        given = element.get("dependencies")
        names = None if given is None else tuple(_named(fmi, scalars, n) for n in given.split())
        found[_named(fmi, scalars, element.attrib[key])] = names
    return found


def _states(root: ET.Element, fmi: int, scalars: tuple[Scalar, ...]) -> tuple[str, ...]:
    key = "index" if fmi == 2 else "valueReference"
    by_name = {scalar.name: scalar for scalar in scalars}
    found = []
    for element in _unknowns(root, fmi, "rates"):
        rate = by_name[_named(fmi, scalars, element.attrib[key])]
        found.append(
            rate.name if rate.derivative is None else _named(fmi, scalars, rate.derivative)
        )
    return tuple(found)
