"""The fields of RTDE: what a controller can send and take, and the type of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

Version = tuple[int, int, int, int]
"""Controller version: major, minor, bugfix, build."""

NOT_FOUND, IN_USE = "NOT_FOUND", "IN_USE"
"""Answers in place of a type: no such field; an input that another client writes."""


@dataclass(frozen=True)
class FieldType:
    """A type of the protocol: how many numbers of which kind, big-endian without gaps.

    Attributes:
        name: as the protocol writes it.
        number: type of one number, in NumPy's letters.
        count: how many of them.
    """

    name: str
    number: str
    count: int = 1

    @property
    def size(self) -> int:
        """Length in a packet [bytes]."""
        return self.count * np.dtype(self.number).itemsize


KINDS = {
    kind.name: kind
    for kind in (
        FieldType("BOOL", "?"),
        FieldType("UINT8", "u1"),
        FieldType("UINT32", "u4"),
        FieldType("UINT64", "u8"),
        FieldType("INT32", "i4"),
        FieldType("DOUBLE", "f8"),
        FieldType("VECTOR3D", "f8", 3),
        FieldType("VECTOR6D", "f8", 6),
        FieldType("VECTOR6INT32", "i4", 6),
        FieldType("VECTOR6UINT32", "u4", 6),
    )
}

_OUTPUTS = {
    "DOUBLE": """timestamp actual_execution_time target_execution_time speed_scaling
        target_speed_fraction actual_momentum actual_main_voltage actual_robot_voltage
        actual_robot_current standard_analog_input0 standard_analog_input1
        standard_analog_output0 standard_analog_output1 io_current actual_robot_energy_consumed
        actual_robot_braking_energy_dissipated euromap67_24V_voltage euromap67_24V_current
        tool_analog_input0 tool_analog_input1 tool_output_current tool_temperature
        tcp_force_scalar joint_position_deviation_ratio collision_detection_ratio payload""",
    "VECTOR6D": """target_q target_qd target_qdd target_current target_moment actual_q actual_qd
        actual_current actual_current_window actual_current_as_torque joint_control_output
        actual_TCP_pose actual_TCP_speed actual_TCP_force target_TCP_pose target_TCP_speed
        tcp_offset actual_TCP_acceleration target_TCP_acceleration joint_temperatures
        actual_joint_voltage ft_raw_wrench wrench_calc_from_currents payload_inertia
        target_base_acceleration target_base_wrench""",
    "UINT64": """actual_digital_input_bits actual_configurable_digital_input_bits
        actual_digital_output_bits actual_configurable_digital_output_bits control_step""",
    "INT32": """robot_mode safety_mode safety_status encoder0_raw encoder1_raw
        tool_output_voltage time_scale_source""",
    "VECTOR6INT32": "joint_mode",
    "VECTOR3D": """actual_tool_accelerometer elbow_position elbow_velocity payload_cog
        target_gravity""",
    "UINT32": """runtime_state robot_status_bits safety_status_bits analog_io_types
        output_bit_registers0_to_31 output_bit_registers32_to_63
        input_bit_registers0_to_31 input_bit_registers32_to_63
        euromap67_input_bits euromap67_output_bits tool_mode tool_analog_input_types
        script_control_line""",
    "UINT8": """tool_output_mode tool_digital_output0_mode tool_digital_output1_mode
        tool_digital_output_mask tool_digital_output""",
}

_INPUTS = {
    "UINT32": "speed_slider_mask input_bit_registers0_to_31 input_bit_registers32_to_63",
    "DOUBLE": "speed_slider_fraction standard_analog_output_0 standard_analog_output_1",
    "UINT8": """standard_digital_output_mask standard_digital_output
        configurable_digital_output_mask configurable_digital_output
        tool_digital_output_mask tool_digital_output
        standard_analog_output_mask standard_analog_output_type""",
    "VECTOR6D": "external_force_torque",
}

REGISTERS = 48
"""Integer and double registers on each side, by RTDE's list of fields; bits 0 to 63 come in fields
of 32."""
BIT_REGISTERS = range(64, 128)


def _registers(side: str) -> dict[str, str]:
    """Return the registers of one side (``input`` or ``output``) with their types."""
    named = {f"{side}_bit_register_{k}": "BOOL" for k in BIT_REGISTERS}
    named |= {f"{side}_int_register_{k}": "INT32" for k in range(REGISTERS)}
    return named | {f"{side}_double_register_{k}": "DOUBLE" for k in range(REGISTERS)}


def _by_name(lists: dict[str, str]) -> dict[str, str]:
    return {name: kind for kind, names in lists.items() for name in names.split()}


def _kinds(named: dict[str, str]) -> dict[str, FieldType]:
    return {name: KINDS[kind] for name, kind in named.items()}


INPUTS: dict[str, FieldType] = _kinds(_by_name(_INPUTS) | _registers("input"))
"""Fields that a client may write."""

OUTPUTS: dict[str, FieldType] = _kinds(
    _by_name(_OUTPUTS) | _registers("output") | _registers("input")
)
"""Fields that a client may read."""

SINCE: dict[str, tuple[tuple[int, ...], ...]] = {
    "payload": ((3, 15), (5, 5, 1)),
    "payload_cog": ((3, 15), (5, 5, 1)),
    "payload_inertia": ((3, 15), (5, 11)),
    "ft_raw_wrench": ((5, 9),),
    "actual_current_as_torque": ((5, 23),),
}
"""Fields that came with a later version, once for every generation of controllers."""


def is_known(name: str, version: Version) -> bool:
    """Return whether a controller of this version can send a field."""
    if name not in OUTPUTS:
        return False
    first = SINCE.get(name, ((0,),))
    own = [since for since in first if since[0] == version[0]]
    return version >= (own or first)[-1]


def known_outputs(version: Version) -> dict[str, FieldType]:
    """Return the fields that a controller of this version can send."""
    return {name: kind for name, kind in OUTPUTS.items() if is_known(name, version)}


def split_names(text: str) -> list[str]:
    """Return the names of a comma-separated list; empty ones (a trailing comma) do not count."""
    return [name for name in (part.strip() for part in text.split(",")) if name]


def as_dtype(names: Iterable[str], kinds: Iterable[FieldType]) -> np.dtype[np.void]:
    """Return the layout of a data packet's values as a NumPy type."""
    rows = [
        (name, f">{kind.number}", (kind.count,)) if kind.count > 1 else (name, f">{kind.number}")
        for name, kind in zip(names, kinds, strict=True)
    ]
    return np.dtype(rows)
