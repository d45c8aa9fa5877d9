"""``armtwin dynamics``: torque, mass matrix, energies and motor currents of one state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.number_command import number_list
from armtwin.cli.options import (
    ArmName,
    Com,
    Degrees,
    IgnoreLimits,
    Json,
    Payload,
    Units,
    loaded_arm,
)
from armtwin.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.spatial import Array

EXAMPLES = """
armtwin dynamics ur10e 0 -90 90 0 90 0 --deg
armtwin dynamics ur10e 0 -1.5 1 -0.5 1 0 --qd 0 0.5 -0.5 0 0 1 --qdd 1 0 0 0 0 0 --json
armtwin dynamics ur10e 0 -1.5 1 -0.5 1 0 --tau 0 -80 -30 0 0 0
armtwin dynamics ur5e-energy 0 -1.5 1 -0.5 1 0 --qd 0 1 -1 0 0 0 --payload 2.5 --com 0 0 0.05
"""

MOTORS = {
    "friction [Nm]": "friction",
    "motor current [A]": "current",
    "electrical power [W]": "power",
}


def _option(text: str, metavar: str) -> Any:
    return typer.Option(metavar=metavar, help=text)


def command(
    arm: ArmName,
    q: Annotated[list[float], typer.Argument(metavar="Q", help="Joint values.")],
    qd: Annotated[str | None, _option("Joint speeds; 0 if not given.", "QD...")] = None,
    qdd: Annotated[str | None, _option("Joint accelerations; 0 if not given.", "QDD...")] = None,
    tau: Annotated[
        str | None, _option("Also return the acceleration under these torques [Nm].", "TAU...")
    ] = None,
    payload: Payload = 0.0,
    com: Com = None,
    deg: Degrees = False,
    json: Json = False,
    ignore_limits: IgnoreLimits = False,
) -> None:
    """Dynamics of one state: M, C, g, torque, energies, friction, motor current and power.

    tau = M qdd + C qd + g, without friction. With --tau also the acceleration under these torques.
    Arms with drives add friction, motor current and electrical power.
    """
    loaded, units = loaded_arm(arm, payload, com), Units(deg)
    state = [
        _joints(loaded, units, values, name)
        for values, name in ((q, "q"), (qd, "qd"), (qdd, "qdd"))
    ]
    answer = _answer(loaded, units, state, ignore_limits)
    if tau is not None:
        from armtwin.dynamics.rigid_body import forward_dynamics

        torques = number_list(tau, "--tau")
        qdd_tau = forward_dynamics(loaded, state[0], state[1], torques, ignore_limits=ignore_limits)
        answer["acceleration"] = qdd_tau / units.joints(loaded)
    answer["payload"] = payload
    say_json(answer) if json else _print(answer)


def _joints(arm: Arm, units: Units, values: list[float] | str | None, name: str) -> Array:
    """Return a joint vector in SI units; one number per joint, or nothing for zeros."""
    import numpy as np

    from armtwin.kinematics.joints import as_vectors

    if values is None:
        return np.zeros(arm.dof)
    numbers = number_list(values, f"--{name}") if isinstance(values, str) else values
    given = as_vectors(np.array(numbers, float), arm.dof, f"arm {arm.name!r}: {name}")
    return given * units.joints(arm)


def _answer(arm: Arm, units: Units, state: list[Array], ignore_limits: bool) -> dict[str, Any]:
    from armtwin.dynamics import rigid_body as rigid

    q, qd, qdd = state
    tau = rigid.inverse_dynamics(arm, q, qd, qdd, ignore_limits=ignore_limits)
    energy = rigid.energies(arm, q, qd, ignore_limits=ignore_limits)
    answer: dict[str, Any] = {
        "arm": arm.name,
        "units": units.names,
        "tau": tau,
        "gravity": rigid.gravity(arm, q, ignore_limits=ignore_limits),
        "mass_matrix": rigid.mass_matrix(arm, q, ignore_limits=ignore_limits),
        "coriolis": rigid.coriolis(arm, q, qd, ignore_limits=ignore_limits),
        "kinetic_energy": float(energy.kinetic),
        "potential_energy": float(energy.potential),
    }
    if all(joint.drive is not None for joint in arm.driven):
        answer["drives"] = _motors(arm, qd, tau)
    return answer


def _motors(arm: Arm, qd: Array, tau: Array) -> dict[str, Any]:
    """Return friction, and current and power if the drives have motor constants."""
    from armtwin.dynamics import drives
    from armtwin.errors import MissingDataError

    found: dict[str, Any] = {"friction": drives.friction(arm, qd, tau)}
    for name, function in (("current", drives.motor_current), ("power", drives.electric_power)):
        try:
            found[name] = function(arm, qd, tau)
        except MissingDataError:
            found[name] = None
    return found


def _print(answer: dict[str, Any]) -> None:
    joints = range(1, len(answer["tau"]) + 1)
    heads = ("", *(f"joint {n}" for n in joints))
    rows = [("torque [Nm]", *answer["tau"].tolist()), ("gravity [Nm]", *answer["gravity"].tolist())]
    if "acceleration" in answer:
        unit = answer["units"]["angle"]
        rows.append((f"acceleration [{unit}/s2]", *answer["acceleration"].tolist()))
    for title, name in MOTORS.items():
        values = answer.get("drives", {}).get(name)
        if values is not None:
            rows.append((title, *values.tolist()))
    say_table(heads, rows)
    for title, name in (
        ("mass matrix M [kg m2]", "mass_matrix"),
        ("Coriolis matrix C", "coriolis"),
    ):
        say(f"\n{title}")
        say_table(
            heads,
            [(f"joint {n}", *row) for n, row in zip(joints, answer[name].tolist(), strict=True)],
        )
    say(f"\nkinetic energy   {answer['kinetic_energy']:.6g} J")
    say(f"potential energy {answer['potential_energy']:.6g} J")
