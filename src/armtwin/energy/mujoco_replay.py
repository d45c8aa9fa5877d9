"""Energy of a planned motion when it is simulated in MuJoCo, from the motor currents."""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.dynamics.regeneration import DEFAULT, Regeneration
from armtwin.energy.ledger import Ledger, ledger
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.recording.recording import Recording
from armtwin.simulation.simulate import simulate


@dataclass(frozen=True, eq=False)
class Replay:
    """A plan and its replay: the run, the predicted and the simulated energy."""

    recording: Recording
    promised: Ledger
    spent: Ledger

    @property
    def excess(self) -> float:
        """By what part the motors spent more than promised; negative where less."""
        return self.spent.motors / self.promised.motors - 1


def replay(
    arm: Arm, motion: Motion, *, rule: str | Regeneration = DEFAULT, seed: int = 0
) -> Replay:
    """Simulate a motion under computed torque with sensor noise and return its energy.

    Args:
        arm: an arm with masses, drives and torque constants.
        motion: the plan.
        rule: what happens to regenerated power.
        seed: of the sensors' noise.

    Raises:
        MissingDataError: no torque constants, or MuJoCo is not installed.
        UnstableError: the arm ran away.
    """
    run = simulate(arm, motion, seed=seed)
    if not run.has("current"):
        raise MissingDataError(
            f"arm {arm.name!r} has no torque constants: its currents are unknown"
        )
    promised = ledger(arm, motion, rule=rule)
    return Replay(run, promised, ledger(arm, run, rule=rule, measured=True))
