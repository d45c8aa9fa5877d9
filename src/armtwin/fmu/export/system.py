"""A closed loop of FMUs in one SSP archive: reference, controller, plant, observer, tool pose."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from armtwin import __version__
from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.fmu.build.platforms import split_platform
from armtwin.fmu.export.circle import JointCircle, circle
from armtwin.fmu.export.description import made_at, xml_bytes
from armtwin.fmu.export.export import archive, fmu_bytes
from armtwin.fmu.export.model import FmuModel, as_model
from armtwin.fmu.export.models import build_model
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.convert import with_dh_rows
from armtwin.progress import OnProgress, report_step
from armtwin.report.numbers import with_unit
from armtwin.report.page import Page
from armtwin.report.result import Result

START = (0.3, -1.4, 1.8, -1.9, -1.5, 0.0)
"""Joints of a UR arm with a bent elbow [rad], from which the circle is free of singularities."""
SPACE = "http://ssp-standard.org/SSP1/SystemStructure"
SETS = "parameters"
STEP = 1e-3
"""Communication step of the loop [s]: the controller acts on values that are one step old."""
CONTROLLER = {"kp": 100.0, "kv": 20.0}
OBSERVER = {"gain": 30.0, "threshold": 10.0}
EXTERNAL = ("tau_ext", "force", "moment")
"""Inputs of the plant that nothing in the loop drives."""
CONNECTIONS = {
    ("reference", "controller"): ("q_ref", "qd_ref", "qdd_ref"),
    ("plant", "controller"): ("q", "qd"),
    ("controller", "plant"): ("tau",),
    ("plant", "observer"): ("q", "qd"),
    ("controller", "observer"): ("tau",),
    ("plant", "tool"): ("q",),
}


@dataclass(frozen=True)
class SystemOptions:
    """The motion of a closed loop.

    Attributes:
        radius: of the tool's circle [m].
        duration: time of one turn, from rest to rest [s].
        start: joint positions where the circle begins [rad].
        push: constant external torques [Nm] by joint, 1-based, for the observer to estimate.
    """

    radius: float = 0.2
    duration: float = 4.0
    start: Sequence[float] = START
    push: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class System(Result):
    """A closed loop that was written.

    Attributes:
        path: the SSP archive.
        arm: the arm, in Denavit-Hartenberg form.
        circle: the tool's circle as joint motion.
        duration: time of one turn [s].
        step: communication step for its simulation [s].
        size: of the archive [bytes].
    """

    path: Path
    arm: Arm
    circle: JointCircle
    duration: float
    step: float
    size: int

    def to_dict(self) -> dict[str, Any]:
        """Return file, arm and size as plain data."""
        return {"out": str(self.path), "arm": self.arm.name, "bytes": self.size}

    def page(self) -> Page:
        """Return the written files as facts."""
        facts = (
            ("File", self.path.name),
            ("Size", f"{self.size / 1000:.0f} kB"),
            ("Duration", f"{self.duration:g} s"),
            ("Step", with_unit(self.step, "s")),
        )
        return Page(title=f"Closed loop of {self.arm.name}", facts=facts)


DEFAULTS = SystemOptions()


def export_system(
    arm: ArmLike,
    path: str | Path,
    *,
    options: SystemOptions = DEFAULTS,
    platform: str = "host",
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> System:
    """Write an SSP 1.0 archive whose arm follows a circle of its tool under computed torque.

    Args:
        arm: the arm, its catalogue name or its file; it needs masses.
        path: the file, ending in ``.ssp``.
        options: the circle and the external torques.
        platform: ``host`` or ``all``.
        force: overwrite an existing file.
        on_progress: called before each FMU is built; raise from it to cancel, then no file is
            written.
    """
    place, duration = Path(path), options.duration
    if place.suffix != ".ssp":
        raise InputError(f"{place}: a system's name ends in .ssp")
    split_platform(platform, 2)
    if not (np.isfinite(duration) and duration > 0):
        raise InputError(f"duration is {duration}; give seconds above 0")
    if place.exists() and not force:
        write_output(place, b"", force=False)
    given = with_dh_rows(as_arm(arm))
    joint_circle = circle(given, np.asarray(options.start, np.float64), options.radius)
    models = _models(given, joint_circle, duration)
    entries = {"SystemStructure.ssd": _structure(given, models, duration)}
    values = _values(given, joint_circle, duration, options.push)
    entries |= _parameter_sets(models, values)
    for number, (name, model) in enumerate(models.items()):
        report_step(on_progress, f"building {name}", number / len(models))
        entries[f"resources/{name}.fmu"] = fmu_bytes(model, fmi=2, platform=platform)[0]
    data = archive(entries)
    write_output(place, data, force=force)
    return System(place, given, joint_circle, duration, STEP, len(data))


def _models(arm: Arm, joint_circle: JointCircle, duration: float) -> dict[str, FmuModel]:
    from armtwin.equations.blocks.motion_blocks import repeating_motion
    from armtwin.equations.blocks.plant_block import forward_dynamics

    plant = forward_dynamics(arm, start=joint_circle.start.tolist())
    return {
        "reference": as_model(arm, repeating_motion(arm, joint_circle.series, duration)),
        "controller": build_model(arm, "computed-torque"),
        "plant": as_model(arm, plant),
        "observer": build_model(arm, "momentum-observer"),
        "tool": build_model(arm, "fk"),
    }


def _values(
    arm: Arm, joint_circle: JointCircle, duration: float, push: Mapping[int, float]
) -> dict[str, dict[str, float]]:
    """Return the parameter set: start, duration, gains, thresholds and pushes, per component."""
    unknown = [joint for joint in push if not 1 <= joint <= arm.dof]
    if unknown:
        raise InputError(f"a push on joint {unknown[0]}; joints are 1 to {arm.dof}")
    joints = range(1, arm.dof + 1)
    plant = {f"q{i}": float(joint_circle.start[i - 1]) for i in joints}
    plant |= {f"tau_ext{i}": float(push.get(i, 0.0)) for i in joints}
    return {
        "reference": {"duration": float(duration)},
        "controller": {
            f"{name}{i}": v for name, v in (("kp", 100.0), ("kv", 20.0)) for i in joints
        },
        "plant": plant,
        "observer": {
            f"{name}{i}": v for name, v in (("gain", 30.0), ("threshold", 10.0)) for i in joints
        },
    }


def _tag(space: str, name: str) -> str:
    return f"{{{SPACE}{space}}}{name}"


def _structure(arm: Arm, models: dict[str, FmuModel], duration: float) -> bytes:
    """Return SystemStructure.ssd: components with connectors, connections, parameter bindings."""
    for prefix, space in (
        ("ssd", "Description"), ("ssc", "Common"), ("ssv", "ParameterValues")
    ):  # fmt: skip
        ET.register_namespace(prefix, SPACE + space)
    head = {
        "version": "1.0", "name": f"{arm.name}_circle",
        "generationTool": f"armtwin {__version__}", "generationDateAndTime": made_at(),
    }  # fmt: skip
    root = ET.Element(_tag("Description", "SystemStructureDescription"), head)
    system = ET.SubElement(root, _tag("Description", "System"), {"name": "loop"})
    _bind(system, f"resources/{SETS}.ssv")
    elements = ET.SubElement(system, _tag("Description", "Elements"))
    for name, model in models.items():
        _component(elements, name, model)
    connections = ET.SubElement(system, _tag("Description", "Connections"))
    for (begin, end), stems in CONNECTIONS.items():
        for connector in (f"{stem}{i}" for stem in stems for i in range(1, arm.dof + 1)):
            ends = {
                "startElement": begin, "startConnector": connector,
                "endElement": end, "endConnector": connector,
            }  # fmt: skip
            ET.SubElement(connections, _tag("Description", "Connection"), ends)
    times = {"startTime": "0.0", "stopTime": repr(float(duration))}
    ET.SubElement(root, _tag("Description", "DefaultExperiment"), times)
    return xml_bytes(root)


def _bind(parent: ET.Element, source: str) -> None:
    bindings = ET.SubElement(parent, _tag("Description", "ParameterBindings"))
    ET.SubElement(bindings, _tag("Description", "ParameterBinding"), {"source": source})


def _component(parent: ET.Element, name: str, model: FmuModel) -> None:
    """Add a component; external forces stay out of its connectors, they are start values."""
    source = {"name": name, "type": "application/x-fmu-sharedlibrary"}
    source["source"] = f"resources/{name}.fmu"
    element = ET.SubElement(parent, _tag("Description", "Component"), source)
    connectors = ET.SubElement(element, _tag("Description", "Connectors"))
    types = {"real": "Real", "integer": "Integer", "boolean": "Boolean"}
    for variable in (*model.with_causality("input"), *model.with_causality("output")):
        if variable.quantity.array in EXTERNAL:
            continue
        kind = {"name": variable.name, "kind": variable.causality}
        connector = ET.SubElement(connectors, _tag("Description", "Connector"), kind)
        unit = variable.quantity.unit
        details = {"unit": unit} if unit != "1" and variable.quantity.kind == "real" else {}
        ET.SubElement(connector, _tag("Common", types[variable.quantity.kind]), details)
    if name != "tool":
        _bind(element, f"resources/{SETS}_{name}.ssv")


def _parameter_sets(
    models: dict[str, FmuModel], values: dict[str, dict[str, float]]
) -> dict[str, bytes]:
    """Return one parameter set for the system and, with the same values, one per component."""
    whole = {f"{part}.{name}": x for part, own in values.items() for name, x in own.items()}
    found = {f"resources/{SETS}.ssv": _parameter_set(whole)}
    for part, own in values.items():
        found[f"resources/{SETS}_{part}.ssv"] = _parameter_set(own)
    return found


def _parameter_set(values: dict[str, float]) -> bytes:
    root = ET.Element(_tag("ParameterValues", "ParameterSet"), {"version": "1.0", "name": SETS})
    parameters = ET.SubElement(root, _tag("ParameterValues", "Parameters"))
    for name, value in values.items():
        parameter = ET.SubElement(parameters, _tag("ParameterValues", "Parameter"), {"name": name})
        ET.SubElement(parameter, _tag("ParameterValues", "Real"), {"value": repr(value)})
    return xml_bytes(root)
