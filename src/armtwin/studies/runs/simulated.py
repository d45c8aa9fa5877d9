"""Simulated recordings of a study: parameters ``simulate.*``, and the run that they describe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from armtwin.control.controller import CONTROLLERS, named_controller
from armtwin.control.controller_models import controller_model
from armtwin.dynamics.flexible_joints import Flexibility
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.payload import with_payload
from armtwin.motion.motion import Motion
from armtwin.motion.motion_file import read_motion
from armtwin.motion.paths import Circle, Line
from armtwin.motion.waypoints import Hold, Quintic, Waypoints
from armtwin.simulation.as_built import as_built, planted_note
from armtwin.simulation.options import Clock, SimulateOptions
from armtwin.simulation.pushes import Post, Push
from armtwin.simulation.result import SimulationResult, run_simulation
from armtwin.simulation.sensors import Sensors
from armtwin.simulation.typical_drives import named_sensors, with_real_drives
from armtwin.studies.planning.study_parameters import StudyParameter, build, frozen, of_dataclass

PATHS: dict[str, Any] = {
    "circle": Circle,
    "line": Line,
    "waypoints": Waypoints,
    "quintic": Quintic,
    "hold": Hold,
}
GROUPS = {"push": Push, "post": Post, "sensors": Sensors}
"""Tables of ``simulate`` that are not fields of ``SimulateOptions`` by that name and type."""


@dataclass(frozen=True)
class PlantSettings:
    """Differences of the simulated arm from the arm file.

    Attributes:
        payload: mass on the flange that the controller does not know of [kg].
        com: its centre of gravity in the flange frame (3,) [m].
        drives: ``own``, those of the arm file, or ``real``, like those of a real UR10e.
        built: seed of planted errors of lengths and zero positions; None for none.
    """

    payload: float = 0.0
    com: tuple[float, ...] = (0.0, 0.0, 0.0)
    drives: str = "own"
    built: int | None = None

    def bare(self, arm: Arm) -> Arm:
        """Return the plant without its payload."""
        if self.drives not in ("own", "real"):
            raise InputError(f"simulate.plant.drives is own or real, got {self.drives!r}")
        plant = with_real_drives(arm) if self.drives == "real" else arm
        return plant if self.built is None else as_built(plant, self.built)

    def loaded(self, bare: Arm) -> Arm:
        """Return the plant with its payload."""
        return with_payload(bare, self.payload, com=self.com) if self.payload else bare


@dataclass(frozen=True)
class ControllerSettings:
    """The controller: its law, the model that it has of the arm, and its gains."""

    kind: str = CONTROLLERS[0]
    model: str = "exact"
    kp: float | None = None
    kv: float | None = None


def parameters() -> Iterator[StudyParameter]:
    """Yield the parameters ``simulate.*``."""
    yield from of_dataclass("simulate.plant", PlantSettings)
    yield from of_dataclass("simulate.controller", ControllerSettings)
    yield StudyParameter("simulate.noise", "typical", str)
    yield StudyParameter("simulate.path.kind", "circle", str)
    yield StudyParameter("simulate.path.file", None, str)
    for kind in PATHS.values():
        yield from of_dataclass("simulate.path", kind)
    for name, group in GROUPS.items():
        yield from of_dataclass(f"simulate.{name}", group)
    skipped = {"controller", "pushes", "posts", "sensors", "notes"}
    yield from of_dataclass("simulate", SimulateOptions, leave_out=skipped)


def simulated(arm: Arm, given: Mapping[str, Any], seed: int) -> SimulationResult:
    """Return a simulated run.

    Args:
        arm: the arm.
        given: the parameters ``simulate.*``, nested.
        seed: of the noise, where ``simulate.seed`` is not given.
    """
    plant = build(PlantSettings, given.get("plant", {}))
    control = build(ControllerSettings, given.get("controller", {}))
    bare = plant.bare(arm)
    model, loaded = controller_model(bare, control.model), plant.loaded(bare)
    options = SimulateOptions(
        controller=named_controller(control.kind, model, control.kp, control.kv),
        pushes=tuple(_given(given, "push", Push)),
        posts=tuple(_given(given, "post", Post)),
        sensors=_sensors(loaded, given),
        clock=next(iter(_given(given, "clock", Clock)), None),
        integrator=given.get("integrator"),
        flexibility=next(iter(_given(given, "flexibility", Flexibility)), None),
        seed=given.get("seed", seed),
        hulls=given.get("hulls", False),
        notes=() if plant.built is None else (planted_note(plant.built),),
    )
    motion = _motion(loaded, given.get("path", {}), (options.clock or Clock()).rate)
    return run_simulation(loaded, motion, arm=arm, options=options, estimate_error=False)


def _given(given: Mapping[str, Any], name: str, kind: type) -> Iterator[Any]:
    """Yield the object of a table where the study has it."""
    if name in given:
        yield build(kind, given[name])


def _sensors(arm: Arm, given: Mapping[str, Any]) -> Sensors:
    named = named_sensors(arm, given.get("noise", "typical"))
    own = {name: frozen(value) for name, value in given.get("sensors", {}).items()}
    return dataclasses.replace(named, **own)


def _motion(arm: Arm, given: Mapping[str, Any], rate: float) -> Motion:
    rest = {name: value for name, value in given.items() if name not in ("kind", "file")}
    if file := given.get("file"):
        if rest:
            raise InputError(f"simulate.path.file gives the motion; leave out {', '.join(rest)}")
        return read_motion(file, arm, rate=rate)
    kind = given.get("kind", "circle")
    if kind not in PATHS:
        raise InputError(f"simulate.path.kind = {kind!r}; there are {', '.join(PATHS)}")
    fields = [field.name for field in dataclasses.fields(PATHS[kind])]
    if foreign := [name for name in rest if name not in fields]:
        raise InputError(
            f"a path of kind {kind!r} has no {', '.join(foreign)}; it has {', '.join(fields)}"
        )
    needed = [f.name for f in dataclasses.fields(PATHS[kind]) if f.default is dataclasses.MISSING]
    if missing := [name for name in needed if name not in rest]:
        raise InputError(f"a path of kind {kind!r} needs simulate.path.{', '.join(missing)}")
    return build(PATHS[kind], rest).motion(arm, rate)
