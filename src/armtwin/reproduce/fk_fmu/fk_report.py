"""Table 4 of the UR10e forward-kinematics FMU report."""

from __future__ import annotations

import numpy as np

from armtwin.kinematics.forward import tool_coordinates
from armtwin.model.catalogue.catalogue import load
from armtwin.reproduce.figure import Figure, Reproduction, table

OUTPUTS = {
    "x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad",
    "qx": "", "qy": "", "qz": "", "qw": "",
}  # fmt: skip

LAST_DIGIT = 1e-5
"""The table cuts or rounds at the fifth decimal; trailing zeros are not printed."""

NOTES = (
    "Table 1 prints a2 = 0.613 and a3 = 0.572; Table 4 follows only from -0.613 and -0.572",
    "the tool matrix LTP is described, but Table 4 is made without it (identity tool)",
    "Table 3 prints q6 of t = 54 as '1.s75'; it is 1.75",
    "rows 7 to 10 of Table 3 have inputs but no printed outputs",
)


def reproduce() -> Reproduction:
    """Return every output of Table 4 beside ours (arm ``ur10e-report``)."""
    rows = [row for row in table("fk_report.csv") if row["x"]]
    q = np.array([[float(row[f"q{n}"]) for n in range(1, 7)] for row in rows])
    where = tool_coordinates(load("ur10e-report"), q)
    ours = np.hstack([where.position, where.rpy, where.quaternion])
    figures = [
        Figure(
            f"Table 4, t = {row['time']}",
            f"{name} {unit}".strip(),
            float(row[name]),
            value,
            LAST_DIGIT,
        )
        for row, values in zip(rows, ours.tolist(), strict=True)
        for (name, unit), value in zip(OUTPUTS.items(), values, strict=True)
    ]
    return Reproduction(
        name="fk-report",
        document="S. Kahraman, Technical Report - UR10e Cobot Arm Forward Kinematics FMU Model "
        "Validation (ASRLab, 14 June 2025)",
        figures=tuple(figures),
        notes=NOTES,
    )
