"""The comparison of Section 6 as one scripts it with pandas and roboticstoolbox.

``python -m benchmarks.validate_script run.csv [ets]`` reads the file, computes the poses of the
UR10e, and prints MAE, RMSE and maximum of position and quaternion as JSON. With ``ets`` the
toolbox's compiled chain is used instead of its robot class.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import roboticstoolbox as rtb
from spatialmath import UnitQuaternion

TABLE = ((0.1807, 0, np.pi / 2), (0, -0.6127, 0), (0, -0.57155, 0), (0.17415, 0, np.pi / 2),
         (0.11985, 0, -np.pi / 2), (0.11655, 0, 0))  # fmt: skip


def main() -> None:
    """Compare and print."""
    data = pd.read_csv(sys.argv[1])
    q = data[[f"q{n}" for n in range(1, 7)]].to_numpy()
    robot = rtb.DHRobot([rtb.RevoluteDH(d=d, a=a, alpha=alpha) for d, a, alpha in TABLE])
    T = robot.ets().eval(q) if "ets" in sys.argv else robot.fkine(q).A
    T = np.asarray(T)
    shift = np.linalg.norm(T[:, :3, 3] - data[["x", "y", "z"]].to_numpy(), axis=1)
    turned = np.array([UnitQuaternion(R).vec_xyzs for R in T[:, :3, :3]])
    inner = np.abs((turned * data[["qx", "qy", "qz", "qw"]].to_numpy()).sum(axis=1))
    result = {"position": _figures(shift), "quaternion": _figures(1 - inner)}
    print(json.dumps(result))


def _figures(error: np.ndarray) -> dict[str, float]:
    return {
        "mae": float(error.mean()),
        "rmse": float(np.sqrt((error**2).mean())),
        "max": float(error.max()),
    }


if __name__ == "__main__":
    main()
