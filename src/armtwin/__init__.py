"""armtwin: digital twins of robot arms that prove themselves against the real arm."""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "Arm": "model.arm",
    "load": "model.catalog",
    "arm_names": "model.catalog",
    "convert": "model.convert",
    "export": "model.export",
    "fk": "kinematics.forward",
    "link_poses": "kinematics.forward",
    "tool_coordinates": "kinematics.forward",
    "pose_coordinates": "kinematics.forward",
    "jacobian": "kinematics.forward",
    "body_jacobian": "kinematics.forward",
    "manipulability": "kinematics.forward",
    "ik": "kinematics.inverse",
    "ik_batch": "kinematics.inverse",
    "Solutions": "kinematics.solutions",
    "with_payload": "model.payload",
    "mounted": "model.payload",
    "inverse_dynamics": "dynamics.rigid",
    "forward_dynamics": "dynamics.rigid",
    "mass_matrix": "dynamics.rigid",
    "coriolis": "dynamics.rigid",
    "gravity": "dynamics.rigid",
    "momentum": "dynamics.rigid",
    "energies": "dynamics.rigid",
    "wrench_torque": "dynamics.rigid",
    "regressor": "dynamics.rigid",
    "link_parameters": "dynamics.rigid",
    "friction": "dynamics.drives",
    "motor_current": "dynamics.drives",
    "electric_power": "dynamics.drives",
    "Recording": "record.recording",
    "read_recording": "record.reading",
    "read_recordings": "record.reading",
    "guess_mapping": "record.reading",
    "prepare": "record.preparing",
    "resample": "record.sampling",
    "calibrate": "identify.geometry",
    "identify": "identify.identification",
    "read_joint_test": "identify.joint_test",
    "validate": "validate.compare",
    "with_factory_calibration": "model.factory_calibration",
    "export_fmu": "fmu.export",
    "run_fmu": "fmu.run",
    "check_fmu": "fmu.check",
    "export_system": "fmu.system",
    "Signals": "fmu.signals",
    "virtual_robot": "link.rtde.server.build",
    "Station": "link.rtde.server.station",
    "Stream": "link.rtde.stream",
    "Circle": "plan.tool_paths",
    "Line": "plan.tool_paths",
    "Push": "simulate.pushes",
    "Post": "simulate.pushes",
    "Sensors": "simulate.sensors",
    "simulate": "simulate.loop",
    "detect": "observe.detect",
    "excite": "plan.excite",
    "ledger": "energy.ledger",
    "optimize": "energy.optimizing",
    "pose": "spatial",
    "ArmTwinError": "errors",
}

if TYPE_CHECKING:
    from armtwin.dynamics.drives import electric_power as electric_power
    from armtwin.dynamics.drives import friction as friction
    from armtwin.dynamics.drives import motor_current as motor_current
    from armtwin.dynamics.rigid import coriolis as coriolis
    from armtwin.dynamics.rigid import energies as energies
    from armtwin.dynamics.rigid import forward_dynamics as forward_dynamics
    from armtwin.dynamics.rigid import gravity as gravity
    from armtwin.dynamics.rigid import inverse_dynamics as inverse_dynamics
    from armtwin.dynamics.rigid import link_parameters as link_parameters
    from armtwin.dynamics.rigid import mass_matrix as mass_matrix
    from armtwin.dynamics.rigid import momentum as momentum
    from armtwin.dynamics.rigid import regressor as regressor
    from armtwin.dynamics.rigid import wrench_torque as wrench_torque
    from armtwin.energy.ledger import ledger as ledger
    from armtwin.energy.optimizing import optimize as optimize
    from armtwin.errors import ArmTwinError as ArmTwinError
    from armtwin.fmu.check import check_fmu as check_fmu
    from armtwin.fmu.export import export_fmu as export_fmu
    from armtwin.fmu.run import run_fmu as run_fmu
    from armtwin.fmu.signals import Signals as Signals
    from armtwin.fmu.system import export_system as export_system
    from armtwin.identify.geometry import calibrate as calibrate
    from armtwin.identify.identification import identify as identify
    from armtwin.identify.joint_test import read_joint_test as read_joint_test
    from armtwin.kinematics.forward import body_jacobian as body_jacobian
    from armtwin.kinematics.forward import fk as fk
    from armtwin.kinematics.forward import jacobian as jacobian
    from armtwin.kinematics.forward import link_poses as link_poses
    from armtwin.kinematics.forward import manipulability as manipulability
    from armtwin.kinematics.forward import pose_coordinates as pose_coordinates
    from armtwin.kinematics.forward import tool_coordinates as tool_coordinates
    from armtwin.kinematics.inverse import ik as ik
    from armtwin.kinematics.inverse import ik_batch as ik_batch
    from armtwin.kinematics.solutions import Solutions as Solutions
    from armtwin.link.rtde.server.build import virtual_robot as virtual_robot
    from armtwin.link.rtde.server.station import Station as Station
    from armtwin.link.rtde.stream import Stream as Stream
    from armtwin.model.arm import Arm as Arm
    from armtwin.model.catalog import arm_names as arm_names
    from armtwin.model.catalog import load as load
    from armtwin.model.convert import convert as convert
    from armtwin.model.export import export as export
    from armtwin.model.factory_calibration import (
        with_factory_calibration as with_factory_calibration,
    )
    from armtwin.model.payload import mounted as mounted
    from armtwin.model.payload import with_payload as with_payload
    from armtwin.observe.detect import detect as detect
    from armtwin.plan.excite import excite as excite
    from armtwin.plan.tool_paths import Circle as Circle
    from armtwin.plan.tool_paths import Line as Line
    from armtwin.record.preparing import prepare as prepare
    from armtwin.record.reading import guess_mapping as guess_mapping
    from armtwin.record.reading import read_recording as read_recording
    from armtwin.record.reading import read_recordings as read_recordings
    from armtwin.record.recording import Recording as Recording
    from armtwin.record.sampling import resample as resample
    from armtwin.simulate.loop import simulate as simulate
    from armtwin.simulate.pushes import Post as Post
    from armtwin.simulate.pushes import Push as Push
    from armtwin.simulate.sensors import Sensors as Sensors
    from armtwin.spatial import pose as pose
    from armtwin.validate.compare import validate as validate


class _Package(types.ModuleType):
    """This package: a public function keeps its name where a subpackage has the same one."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, but do not let ``import armtwin.validate.x`` hide ``validate()``."""
        if not (name in _PUBLIC and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``import armtwin`` stays fast."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'armtwin' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"armtwin.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted({*globals(), *_PUBLIC})
