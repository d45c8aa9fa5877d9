"""The history of an arm whose third joint wears: 24 recordings, its drift found, its page written.

A recording a day of the same motion, with the joint temperatures of that day. Friction falls with
temperature; from day 15 on the friction of joint 3 rises by 5 % within ten days. What differs from
day to day beyond that is 0.5 % (one standard deviation) and 45 mA of noise in the currents.
"""

import dataclasses
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

import armtwin as at

DAYS, WEAR_FROM, JOINT, WEAR = 24, 14, 3, 0.05
PER_KELVIN, DAY_TO_DAY = -0.01, 0.005
random = np.random.default_rng(18)
arm = at.load("ur5e-energy")


smooth = tuple(
    dataclasses.replace(joint, drive=dataclasses.replace(joint.drive, friction=None))
    for joint in arm.joints
)
without_friction = arm.with_(joints=smooth)
t = np.arange(600) / 50
w = 0.7 + 0.3 * np.arange(6)
angle = np.outer(t, w) + np.arange(6)
q, qd, qdd = np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)
tau = at.inverse_dynamics(arm, q, qd, qdd)
needed = at.motor_current(without_friction, qd, tau)
friction = at.motor_current(arm, qd, tau) - needed  # its share of the currents [A]


def recording_of_day(day):
    """Return 12 s of motion with currents, temperatures and the date, as a robot would give it."""
    warmth = 30 + 4 * random.standard_normal() + 0.5 * random.standard_normal(6)
    scale = np.exp(PER_KELVIN * (warmth - 30) + DAY_TO_DAY * random.standard_normal(6))
    scale[JOINT - 1] *= 1 + WEAR * np.clip((day - WEAR_FROM + 1) / 10, 0, 1)
    current = needed + scale * friction + 0.045 * random.standard_normal(q.shape)
    temperature = np.tile(warmth, (len(t), 1))
    groups = {"q": q, "current": current, "temperature": temperature}
    run = at.Recording.of(t, groups, arm=arm.name, origin=f"day {day + 1}")
    started = datetime(2026, 3, 1, 8, tzinfo=UTC) + timedelta(days=day)
    return dataclasses.replace(run, serial="UR5E-0042", started=started.isoformat())


folder = Path(tempfile.mkdtemp()) / "fleet"
history = at.History(folder)
for day in range(DAYS):
    added = history.add(recording_of_day(day))
print(added.text)

found = history.arm("UR5E-0042")
for trend in found.alarms:
    print(
        f"joint {trend.joint}: {trend.figure} {trend.change:+.1%} "
        f"({trend.low:+.1%} to {trend.high:+.1%}) since {trend.since} "
        f"({trend.since_low} to {trend.since_high})"
    )
assert [(trend.figure, trend.joint) for trend in found.alarms] == [("friction", JOINT)]
print("written:", found.report(folder.parent / "arm.html"))
