"""armtwin: digital twins of robot arms that prove themselves against the real arm."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "Arm": "model.arm",
    "load": "model.catalogue.catalogue",
    "arm_names": "model.catalogue.catalogue",
    "convert": "model.convert",
    "export": "model.formats.export",
    "read_dh_table": "model.formats.arm_file.dh_table",
    "new_arm_file": "model.formats.arm_file.new_file",
    "write_arm_file_schema": "model.formats.arm_file.json_schema",
    "with_meshes": "model.appearance.appearance",
    "LinkShape": "model.geometry",
    "Mesh": "model.geometry",
    "Material": "model.geometry",
    "fk": "kinematics.forward",
    "link_poses": "kinematics.forward",
    "tool_coordinates": "kinematics.forward",
    "pose_coordinates": "kinematics.forward",
    "jacobian": "kinematics.forward",
    "body_jacobian": "kinematics.forward",
    "manipulability": "kinematics.forward",
    "ik": "kinematics.inverse.ik",
    "ik_batch": "kinematics.inverse.batch",
    "ik_one": "kinematics.inverse.one_solution",
    "Solutions": "kinematics.inverse.solutions",
    "with_payload": "model.payload",
    "mounted": "model.payload",
    "inverse_dynamics": "dynamics.rigid_body",
    "forward_dynamics": "dynamics.rigid_body",
    "mass_matrix": "dynamics.rigid_body",
    "coriolis": "dynamics.rigid_body",
    "gravity": "dynamics.rigid_body",
    "momentum": "dynamics.rigid_body",
    "energies": "dynamics.rigid_body",
    "wrench_torque": "dynamics.rigid_body",
    "regressor": "dynamics.rigid_body",
    "link_parameters": "dynamics.rigid_body",
    "inverse_dynamics_derivatives": "dynamics.derivatives",
    "forward_dynamics_derivatives": "dynamics.derivatives",
    "inverse_dynamics_with_wrench": "dynamics.wrenches",
    "forward_dynamics_with_wrench": "dynamics.wrenches",
    "base_wrench": "dynamics.wrenches",
    "friction": "dynamics.drives",
    "flexible_dynamics": "dynamics.flexible_joints",
    "motor_current": "dynamics.drives",
    "electric_power": "dynamics.drives",
    "Recording": "recording.recording",
    "read_recording": "recording.read",
    "read_recordings": "recording.read",
    "guess_mapping": "recording.read",
    "prepare": "recording.preparation.prepare",
    "resample": "recording.preparation.resample",
    "calibrate": "calibration.calibrate",
    "compensate": "calibration.compensate",
    "plan_poses": "calibration.plan",
    "reachability": "workspace.reachability",
    "tool_uncertainty": "workspace.tool_uncertainty",
    "identify": "identification.identify",
    "read_joint_test": "identification.joint_test.joint_test",
    "validate": "validation.validate",
    "rollout": "dynamics.rollout",
    "view": "viewer.view",
    "View": "viewer.view",
    "with_factory_calibration": "model.formats.factory_calibration",
    "export_c": "codegen.export_c",
    "CExport": "codegen.export_c",
    "export_wasm": "codegen.export_wasm",
    "WasmExport": "codegen.export_wasm",
    "wasm_module": "codegen.wasm",
    "WasmModule": "codegen.wasm",
    "export_fmu": "fmu.export.export",
    "run_fmu": "fmu.run.run",
    "RunFmuOptions": "fmu.run.core",
    "check_fmu": "fmu.check.check",
    "export_system": "fmu.export.system",
    "SystemOptions": "fmu.export.system",
    "Signals": "fmu.run.signals",
    "virtual_robot": "robots.ur_controller.build",
    "VirtualRobotOptions": "robots.ur_controller.build",
    "Station": "robots.ur_controller.station",
    "Stream": "robots.ur.protocol.stream",
    "Circle": "motion.paths",
    "Line": "motion.paths",
    "Push": "simulation.pushes",
    "Post": "simulation.pushes",
    "Sensors": "simulation.sensors",
    "simulate": "simulation.simulate",
    "detect": "detection.detect",
    "excite": "motion.excitation.excite",
    "ledger": "energy.ledger",
    "History": "history.history",
    "AddOptions": "history.options",
    "ArmHistory": "history.result",
    "FleetHistory": "history.result",
    "optimize": "energy.optimize",
    "study": "studies.study",
    "pose": "spatial",
    "ValidateOptions": "validation.options",
    "CalibrateOptions": "calibration.options",
    "IdentifyOptions": "identification.options",
    "SimulateOptions": "simulation.options",
    "Flexibility": "dynamics.flexible_joints",
    "Clock": "simulation.options",
    "OptimizeOptions": "energy.optimize",
    "PrepareOptions": "recording.preparation.prepare",
    "Progress": "progress",
    "ArmTwinError": "errors",
    "Motion": "motion.motion",
    "read_motion": "motion.motion_file",
    "Waypoints": "motion.waypoints",
    "Hold": "motion.waypoints",
    "Quintic": "motion.waypoints",
    "MotionLimits": "motion.limits",
    "calibrate_detector": "detection.detect",
    "detection_signals": "detection.detection_signals",
    "ComputedTorque": "control.controller",
    "Passive": "control.controller",
    "GravityPD": "control.controller",
    "Controller": "control.controller",
    "model_of": "control.controller_models",
    "ServoMapping": "robots.servo.pulse_mapping",
    "ServoSettings": "robots.servo.servo_settings",
    "Commands": "robots.ur_controller.motion.commands",
    "ScriptProgram": "robots.ur_controller.script.program",
    "ScriptError": "robots.ur_controller.script.errors",
    "run_script": "robots.ur_controller.script_programs",
    "Check": "validation.result",
    "Calibration": "calibration.result",
    "Compensation": "calibration.compensate",
    "ErrorCurve": "model.error_curve",
    "PosePlan": "calibration.plan",
    "Fit": "identification.result.fit",
    "Detection": "detection.result",
    "Excitation": "motion.excitation.excitation",
    "Ledger": "energy.ledger",
    "Optimized": "energy.optimize",
    "Study": "studies.result",
    "Prepared": "recording.preparation.prepared",
    "FmuCheck": "fmu.check.check",
    "FmuExport": "fmu.export.export",
    "FmuRun": "fmu.run.run",
    "OwnBlock": "equations.blocks.own_block",
    "ArmExpressions": "equations.blocks.own_block",
    "Result": "report.result",
    "Page": "report.page",
    "JointMotion": "recording.motion",
}

if TYPE_CHECKING:
    from armtwin.calibration.calibrate import calibrate as calibrate
    from armtwin.calibration.compensate import Compensation as Compensation
    from armtwin.calibration.compensate import compensate as compensate
    from armtwin.calibration.options import CalibrateOptions as CalibrateOptions
    from armtwin.calibration.plan import PosePlan as PosePlan
    from armtwin.calibration.plan import plan_poses as plan_poses
    from armtwin.calibration.result import Calibration as Calibration
    from armtwin.codegen.export_c import CExport as CExport
    from armtwin.codegen.export_c import export_c as export_c
    from armtwin.codegen.export_wasm import WasmExport as WasmExport
    from armtwin.codegen.export_wasm import export_wasm as export_wasm
    from armtwin.codegen.wasm import WasmModule as WasmModule
    from armtwin.codegen.wasm import wasm_module as wasm_module
    from armtwin.control.controller import ComputedTorque as ComputedTorque
    from armtwin.control.controller import Controller as Controller
    from armtwin.control.controller_models import model_of as model_of
    from armtwin.detection.detect import calibrate_detector as calibrate_detector
    from armtwin.detection.detect import detect as detect
    from armtwin.detection.detection_signals import detection_signals as detection_signals
    from armtwin.detection.result import Detection as Detection
    from armtwin.dynamics.derivatives import (
        forward_dynamics_derivatives as forward_dynamics_derivatives,
    )
    from armtwin.dynamics.derivatives import (
        inverse_dynamics_derivatives as inverse_dynamics_derivatives,
    )
    from armtwin.dynamics.drives import electric_power as electric_power
    from armtwin.dynamics.drives import friction as friction
    from armtwin.dynamics.drives import motor_current as motor_current
    from armtwin.dynamics.rigid_body import coriolis as coriolis
    from armtwin.dynamics.rigid_body import energies as energies
    from armtwin.dynamics.rigid_body import forward_dynamics as forward_dynamics
    from armtwin.dynamics.rigid_body import gravity as gravity
    from armtwin.dynamics.rigid_body import inverse_dynamics as inverse_dynamics
    from armtwin.dynamics.rigid_body import link_parameters as link_parameters
    from armtwin.dynamics.rigid_body import mass_matrix as mass_matrix
    from armtwin.dynamics.rigid_body import momentum as momentum
    from armtwin.dynamics.rigid_body import regressor as regressor
    from armtwin.dynamics.rigid_body import wrench_torque as wrench_torque
    from armtwin.dynamics.rollout import rollout as rollout
    from armtwin.dynamics.wrenches import base_wrench as base_wrench
    from armtwin.dynamics.wrenches import (
        forward_dynamics_with_wrench as forward_dynamics_with_wrench,
    )
    from armtwin.dynamics.wrenches import (
        inverse_dynamics_with_wrench as inverse_dynamics_with_wrench,
    )
    from armtwin.energy.ledger import Ledger as Ledger
    from armtwin.energy.ledger import ledger as ledger
    from armtwin.energy.optimize import Optimized as Optimized
    from armtwin.energy.optimize import OptimizeOptions as OptimizeOptions
    from armtwin.energy.optimize import optimize as optimize
    from armtwin.equations.blocks.own_block import ArmExpressions as ArmExpressions
    from armtwin.equations.blocks.own_block import OwnBlock as OwnBlock
    from armtwin.errors import ArmTwinError as ArmTwinError
    from armtwin.fmu.check.check import FmuCheck as FmuCheck
    from armtwin.fmu.check.check import check_fmu as check_fmu
    from armtwin.fmu.export.export import FmuExport as FmuExport
    from armtwin.fmu.export.export import export_fmu as export_fmu
    from armtwin.fmu.export.system import SystemOptions as SystemOptions
    from armtwin.fmu.export.system import export_system as export_system
    from armtwin.fmu.run.core import RunFmuOptions as RunFmuOptions
    from armtwin.fmu.run.run import FmuRun as FmuRun
    from armtwin.fmu.run.run import run_fmu as run_fmu
    from armtwin.fmu.run.signals import Signals as Signals
    from armtwin.history.history import History as History
    from armtwin.history.options import AddOptions as AddOptions
    from armtwin.history.result import ArmHistory as ArmHistory
    from armtwin.history.result import FleetHistory as FleetHistory
    from armtwin.identification.identify import identify as identify
    from armtwin.identification.joint_test.joint_test import read_joint_test as read_joint_test
    from armtwin.identification.options import IdentifyOptions as IdentifyOptions
    from armtwin.identification.result.fit import Fit as Fit
    from armtwin.kinematics.forward import body_jacobian as body_jacobian
    from armtwin.kinematics.forward import fk as fk
    from armtwin.kinematics.forward import jacobian as jacobian
    from armtwin.kinematics.forward import link_poses as link_poses
    from armtwin.kinematics.forward import manipulability as manipulability
    from armtwin.kinematics.forward import pose_coordinates as pose_coordinates
    from armtwin.kinematics.forward import tool_coordinates as tool_coordinates
    from armtwin.kinematics.inverse.batch import ik_batch as ik_batch
    from armtwin.kinematics.inverse.ik import ik as ik
    from armtwin.kinematics.inverse.one_solution import ik_one as ik_one
    from armtwin.kinematics.inverse.solutions import Solutions as Solutions
    from armtwin.model.arm import Arm as Arm
    from armtwin.model.catalogue.catalogue import arm_names as arm_names
    from armtwin.model.catalogue.catalogue import load as load
    from armtwin.model.convert import convert as convert
    from armtwin.model.error_curve import ErrorCurve as ErrorCurve
    from armtwin.model.formats.arm_file.dh_table import read_dh_table as read_dh_table
    from armtwin.model.formats.arm_file.json_schema import (
        write_arm_file_schema as write_arm_file_schema,
    )
    from armtwin.model.formats.arm_file.new_file import new_arm_file as new_arm_file
    from armtwin.model.formats.export import export as export
    from armtwin.model.formats.factory_calibration import (
        with_factory_calibration as with_factory_calibration,
    )
    from armtwin.model.payload import mounted as mounted
    from armtwin.model.payload import with_payload as with_payload
    from armtwin.motion.excitation.excitation import Excitation as Excitation
    from armtwin.motion.excitation.excite import excite as excite
    from armtwin.motion.limits import MotionLimits as MotionLimits
    from armtwin.motion.motion import Motion as Motion
    from armtwin.motion.paths import Circle as Circle
    from armtwin.motion.paths import Line as Line
    from armtwin.motion.waypoints import Quintic as Quintic
    from armtwin.motion.waypoints import Waypoints as Waypoints
    from armtwin.progress import Progress as Progress
    from armtwin.recording.motion import JointMotion as JointMotion
    from armtwin.recording.preparation.prepare import PrepareOptions as PrepareOptions
    from armtwin.recording.preparation.prepare import prepare as prepare
    from armtwin.recording.preparation.prepared import Prepared as Prepared
    from armtwin.recording.preparation.resample import resample as resample
    from armtwin.recording.read import guess_mapping as guess_mapping
    from armtwin.recording.read import read_recording as read_recording
    from armtwin.recording.read import read_recordings as read_recordings
    from armtwin.recording.recording import Recording as Recording
    from armtwin.report.page import Page as Page
    from armtwin.report.result import Result as Result
    from armtwin.robots.servo.pulse_mapping import ServoMapping as ServoMapping
    from armtwin.robots.servo.servo_settings import ServoSettings as ServoSettings
    from armtwin.robots.ur.protocol.stream import Stream as Stream
    from armtwin.robots.ur_controller.build import VirtualRobotOptions as VirtualRobotOptions
    from armtwin.robots.ur_controller.build import virtual_robot as virtual_robot
    from armtwin.robots.ur_controller.motion.commands import Commands as Commands
    from armtwin.robots.ur_controller.script.errors import ScriptError as ScriptError
    from armtwin.robots.ur_controller.script.program import ScriptProgram as ScriptProgram
    from armtwin.robots.ur_controller.script_programs import run_script as run_script
    from armtwin.robots.ur_controller.station import Station as Station
    from armtwin.simulation.options import SimulateOptions as SimulateOptions
    from armtwin.simulation.pushes import Post as Post
    from armtwin.simulation.pushes import Push as Push
    from armtwin.simulation.sensors import Sensors as Sensors
    from armtwin.simulation.simulate import simulate as simulate
    from armtwin.spatial import pose as pose
    from armtwin.studies.result import Study as Study
    from armtwin.studies.study import study as study
    from armtwin.validation.options import ValidateOptions as ValidateOptions
    from armtwin.validation.result import Check as Check
    from armtwin.validation.validate import validate as validate
    from armtwin.viewer.view import View as View
    from armtwin.viewer.view import view as view
    from armtwin.workspace.reachability import reachability as reachability
    from armtwin.workspace.tool_uncertainty import tool_uncertainty as tool_uncertainty

__all__ = sorted(_PUBLIC)  # noqa: PLE0605


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
