"""Estimates as a forest plot: a panel for each kind of parameter, a row for each joint."""

import numpy as np

from armtwin.identification.result.estimates import Estimate
from armtwin.identification.result.forest import base_forest, drive_forest

NAN = float("nan")
ROWS = (
    Estimate("viscous1", "Nm s/rad", 2.0, 1.5, 2.5, 1.0, "data", 1),
    Estimate("viscous2", "Nm s/rad", 3.0, 2.0, 4.0, None, "prior", 2),
    Estimate("stribeck_speed1", "rad/s", 0.1, 0.05, np.inf, None, "open", 1),
    Estimate("speed2", "rad/s", 0.1, NAN, NAN, None, "chosen", 2),
    Estimate("payload_mass", "kg", 1.0, 0.9, 1.1, 0.0, "data", 0),
)


def test_joints_stand_together_by_kind():
    """Every estimate with an interval has its row, with the arm file's value, when it is drawn."""
    forest = drive_forest(ROWS)
    panels = {panel.label: panel.rows for panel in forest.panels}
    assert list(panels) == ["viscous [Nm s/rad]", "stribeck speed [rad/s]", "payload mass [kg]"]
    assert [row.name for row in panels["viscous [Nm s/rad]"]] == ["joint 1", "joint 2"]
    first, second = panels["viscous [Nm s/rad]"]
    assert (first.value, first.low, first.high, first.reference) == (2.0, 1.5, 2.5, 1.0)
    assert not first.is_weak and second.is_weak and second.reference is None
    assert forest.panels[1].drawn()[0][1] == forest.panels[1].limits()[1]


def test_base_parameters_stand_together_by_unit():
    """A panel a unit is drawn when base parameters are given, and nothing without any."""
    rows = [Estimate(f"b{k}", unit, 1.0, 0.5, 1.5, 1.1, "data", 0) for k, unit in enumerate("aab")]
    assert [len(panel.rows) for panel in base_forest(rows).panels] == [2, 1]
    assert base_forest([]) is None and drive_forest([ROWS[3]]) is None
