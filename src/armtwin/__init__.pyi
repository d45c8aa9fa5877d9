"""Public names and their modules; ``armtwin`` imports each of them on first use."""

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
from armtwin.control.controller import GravityPD as GravityPD
from armtwin.control.controller import ZeroTorque as ZeroTorque
from armtwin.control.controller_models import controller_model as controller_model
from armtwin.detection.detect import calibrate_detector as calibrate_detector
from armtwin.detection.detect import detect as detect
from armtwin.detection.detection_signals import detection_signals as detection_signals
from armtwin.detection.options import DetectOptions as DetectOptions
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
from armtwin.dynamics.flexible_joints import Flexibility as Flexibility
from armtwin.dynamics.flexible_joints import flexible_dynamics as flexible_dynamics
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
from armtwin.dynamics.wrenches import forward_dynamics_with_wrench as forward_dynamics_with_wrench
from armtwin.dynamics.wrenches import inverse_dynamics_with_wrench as inverse_dynamics_with_wrench
from armtwin.energy.ledger import Ledger as Ledger
from armtwin.energy.ledger import ledger as ledger
from armtwin.energy.optimize import OptimizedMotion as OptimizedMotion
from armtwin.energy.optimize import OptimizeOptions as OptimizeOptions
from armtwin.energy.optimize import optimize as optimize
from armtwin.energy.recorded import EnergyOptions as EnergyOptions
from armtwin.energy.recorded import SupplyResult as SupplyResult
from armtwin.energy.recorded import recorded_energy as recorded_energy
from armtwin.equations.blocks.custom_block import ArmExpressions as ArmExpressions
from armtwin.equations.blocks.custom_block import CustomBlock as CustomBlock
from armtwin.errors import ArmTwinError as ArmTwinError
from armtwin.fmu.check.check import FmuCheck as FmuCheck
from armtwin.fmu.check.check import check_fmu as check_fmu
from armtwin.fmu.export.export import FmuExport as FmuExport
from armtwin.fmu.export.export import export_fmu as export_fmu
from armtwin.fmu.export.system import System as System
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
from armtwin.model.appearance.appearance import with_meshes as with_meshes
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
from armtwin.model.geometry import LinkShape as LinkShape
from armtwin.model.geometry import Material as Material
from armtwin.model.geometry import Mesh as Mesh
from armtwin.model.payload import with_mounting as with_mounting
from armtwin.model.payload import with_payload as with_payload
from armtwin.motion.excitation.excitation import Excitation as Excitation
from armtwin.motion.excitation.excite import ExciteOptions as ExciteOptions
from armtwin.motion.excitation.excite import excite as excite
from armtwin.motion.limits import MotionLimits as MotionLimits
from armtwin.motion.motion import Motion as Motion
from armtwin.motion.motion_file import read_motion as read_motion
from armtwin.motion.paths import Circle as Circle
from armtwin.motion.paths import Line as Line
from armtwin.motion.waypoints import Hold as Hold
from armtwin.motion.waypoints import Quintic as Quintic
from armtwin.motion.waypoints import Waypoints as Waypoints
from armtwin.progress import Progress as Progress
from armtwin.recording.motion import JointMotion as JointMotion
from armtwin.recording.preparation.prepare import PrepareOptions as PrepareOptions
from armtwin.recording.preparation.prepare import prepare as prepare
from armtwin.recording.preparation.prepared import PreparedRecording as PreparedRecording
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
from armtwin.simulation.options import Clock as Clock
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
from armtwin.workspace.reach_result import Reachability as Reachability
from armtwin.workspace.reachability import reachability as reachability
from armtwin.workspace.tool_uncertainty import tool_uncertainty as tool_uncertainty
from armtwin.workspace.uncertainty_result import ToolUncertainty as ToolUncertainty

__version__: str
