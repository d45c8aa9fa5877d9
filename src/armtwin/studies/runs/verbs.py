"""The verbs of a study: their parameters, their figures, and how one row runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armtwin.detection.detect import detect
from armtwin.detection.options import DetectOptions
from armtwin.detection.result import Detection
from armtwin.energy.optimize import OptimizeOptions, optimize
from armtwin.errors import InputError
from armtwin.identification.identify import identify
from armtwin.identification.options import IdentifyOptions
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import as_arm
from armtwin.model.payload import with_payload
from armtwin.motion.motion_file import read_points
from armtwin.recording.read import RecordingLike, read_recording
from armtwin.recording.same_arm import refuse_other_arm
from armtwin.report.result import Result
from armtwin.simulation.result import SimulationResult, clean_run
from armtwin.studies.planning.study_parameters import (
    REQUIRED,
    StudyParameter,
    build,
    frozen,
    of_dataclass,
    of_function,
)
from armtwin.studies.runs import simulated as simulations
from armtwin.studies.runs.figures import figures_of
from armtwin.validation.options import ValidateOptions
from armtwin.validation.validate import validate

SIMULATED = "simulated"
"""Value of ``detect.clean`` that learns from a simulated run without pushes."""
RECORDED = "recorded"
"""Value of ``arm`` that takes the arm that each recording names."""
LATE = 0.5
"""Alarms up to this long after a push ends [s] still belong to it."""


@dataclass(frozen=True)
class StudyVerb:
    """A verb that studies can run.

    Attributes:
        function: its library function, whose keywords are parameters.
        options: its options object, whose fields are parameters; None where it has none.
        on_recordings: whether it is run on recordings.
        headline: figures that a report shows first.
        leave_out: parameters that a study file cannot set.
    """

    function: Callable[..., Any] | None
    options: type | None
    on_recordings: bool
    headline: tuple[str, ...]
    leave_out: tuple[str, ...] = ()


VERBS: dict[str, StudyVerb] = {
    "simulate": StudyVerb(None, None, False, ("tracking_rms", "tracking_max")),
    "detect": StudyVerb(
        detect, DetectOptions, True,
        ("truth.detected", "truth.delay", "truth.false_alarms", "alarms.count", "largest_score"),
    ),
    "identify": StudyVerb(identify, IdentifyOptions, True, ("passed", "conflict", "condition")),
    "optimize": StudyVerb(
        optimize, OptimizeOptions, False, ("saving", "time", "motions.optimum.motors"), ("inputs",)
    ),
    "validate": StudyVerb(
        validate, ValidateOptions, True,
        ("passed", "position.rmse", "position.max", "quaternion.rmse", "lag.seconds"),
    ),
}  # fmt: skip


def parameters(name: str, *, simulated: bool = False) -> dict[str, StudyParameter]:
    """Return the parameters of a verb's study by name.

    Args:
        name: the verb.
        simulated: whether its recordings are simulated, which adds ``simulate.*``.
    """
    verb, found = VERBS[name], [StudyParameter("arm", REQUIRED, str | Path)]
    found += of_function("payload", with_payload)
    found.append(StudyParameter("payload.mass", 0.0, float))
    if name == "optimize":
        found.append(StudyParameter("optimize.points", REQUIRED))
    if verb.function is not None:
        found += of_function(name, verb.function, leave_out=verb.leave_out)
    if verb.options is not None:
        found += of_dataclass(name, verb.options, leave_out=verb.leave_out)
    if simulated or name == "simulate":
        found += simulations.parameters()
    return {one.name: one for one in found}


def run_verb(verb: str, given: Mapping[str, Any], file: Path | None, seed: int) -> dict[str, Any]:
    """Run a verb once and return its figures.

    Args:
        verb: its name.
        given: the row's parameters, nested.
        file: the recording; None where it is simulated or none is needed.
        seed: of the simulated noise.
    """
    own = {name: frozen(value) for name, value in given.get(verb, {}).items()}
    if verb == "optimize":
        return figures_of(_optimized(_arm(given), own))
    if file is not None:
        return figures_of(_on_file(verb, given, own, file))
    arm = _arm(given)
    run = simulations.simulated(arm, given.get("simulate", {}), seed)
    if verb == "simulate":
        return figures_of(run)
    if own.get("clean") == SIMULATED:
        own["clean"] = clean_run(run.simulation)
    found = _called(verb, arm, run.recording, own)
    return figures_of(found) | (truth(found, run) if isinstance(found, Detection) else {})


def truth(found: Detection, run: SimulationResult) -> dict[str, Any]:
    """Return how the alarms compare with the simulated pushes.

    ``truth.detected``: whether every push raised an alarm; ``truth.delay``: the longest time from
    the start of a push to its first alarm [s]; ``truth.false_alarms``: alarms that belong to none.
    """
    times = [alarm.time for alarm in found.alarms]
    delays, own = [], set()
    for push in run.simulation.pushes:
        end = push.start + push.duration + LATE
        hits = [time for time in times if push.start <= time <= end]
        own |= set(hits)
        delays.append(min(hits) - push.start if hits else None)
    known = [delay for delay in delays if delay is not None]
    return {
        "truth.detected": len(known) == len(delays) if delays else None,
        "truth.delay": max(known) if delays and len(known) == len(delays) else None,
        "truth.false_alarms": sum(time not in own for time in times),
    }


def _optimized(arm: Arm, own: dict[str, Any]) -> Result:
    points = own.pop("points")
    q = read_points(points, arm) if isinstance(points, str) else points
    return optimize(arm, q, options=build(OptimizeOptions, own))


def _on_file(verb: str, given: Mapping[str, Any], own: dict[str, Any], file: Path) -> Result:
    """Return the result of a verb on a recording's file.

    Args:
        verb: its name.
        given: the row's parameters, nested.
        own: those of the verb.
        file: the recording.

    Raises:
        InputError: the recording is of another arm.
    """
    if given["arm"] == RECORDED:
        name = read_recording(file, mapping=own.get("mapping")).arm
        if not name:
            raise InputError(f"{file.name} does not name its arm; set arm to the recorded one")
        given = {**given, "arm": name}
    arm = _arm(given)
    if verb == "identify":  # a file may hold several runs; it refuses another arm by itself
        return identify(arm, file, **own)
    reading = {name: own.pop(name) for name in ("mapping", "angles", "run") if name in own}
    recording = read_recording(file, arm, **reading)
    refuse_other_arm(arm, recording)
    return _called(verb, arm, recording, own)


def _called(verb: str, arm: Arm, recording: RecordingLike, own: Mapping[str, Any]) -> Result:
    function = VERBS[verb].function
    assert function is not None
    result: Result = function(arm, recording, **own)
    return result


def _arm(given: Mapping[str, Any]) -> Arm:
    """Return the arm of a row, with the payload that its model includes."""
    arm, payload = as_arm(given["arm"]), dict(given.get("payload", {}))
    mass = payload.pop("mass", 0.0)
    return with_payload(arm, mass, **payload) if mass else arm
