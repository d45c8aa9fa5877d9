"""The same forward kinematics as a PythonFMU: an FMU with a Python model inside, for comparison."""

from __future__ import annotations

from pathlib import Path

from armtwin.model.arm import Arm

MODEL = """
import math
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real

ROWS = {rows}


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


class PythonFK(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for k in range(1, 7):
            setattr(self, f"q{{k}}", 0.0)
            self.register_variable(Real(f"q{{k}}", causality=Fmi2Causality.input,
                                        variability=Fmi2Variability.continuous))
        for name in ("x", "y", "z", "roll", "pitch", "yaw", "qx", "qy", "qz", "qw"):
            setattr(self, name, 0.0)
            self.register_variable(Real(name, causality=Fmi2Causality.output))

    def do_step(self, time, step):
        T = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        for k, (a, alpha, d) in enumerate(ROWS, 1):
            angle = getattr(self, f"q{{k}}")
            c, s, ca, sa = math.cos(angle), math.sin(angle), math.cos(alpha), math.sin(alpha)
            T = product(T, [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s],
                            [0, sa, ca, d], [0, 0, 0, 1]])
        self.x, self.y, self.z = T[0][3], T[1][3], T[2][3]
        self.pitch = math.atan2(-T[2][0], math.hypot(T[0][0], T[1][0]))
        self.roll, self.yaw = math.atan2(T[2][1], T[2][2]), math.atan2(T[1][0], T[0][0])
        cr, sr = math.cos(self.roll / 2), math.sin(self.roll / 2)
        cp, sp = math.cos(self.pitch / 2), math.sin(self.pitch / 2)
        cy, sy = math.cos(self.yaw / 2), math.sin(self.yaw / 2)
        w = cr * cp * cy + sr * sp * sy
        sign = -1.0 if w < 0 else 1.0
        self.qw = sign * w
        self.qx = sign * (sr * cp * cy - cr * sp * sy)
        self.qy = sign * (cr * sp * cy + sr * cp * sy)
        self.qz = sign * (cr * cp * sy - sr * sp * cy)
        return True
"""


def python_fmu(arm: Arm, folder: Path) -> Path | None:
    """Return a PythonFMU of a standard-DH arm; None where pythonfmu is not installed."""
    try:
        from pythonfmu.builder import FmuBuilder
    except ImportError:
        return None
    rows = [(joint.a, joint.alpha, joint.d) for joint in arm.joints]
    script = folder / "pythonfk.py"
    script.write_text(MODEL.format(rows=rows), encoding="utf-8")
    return Path(FmuBuilder.build_FMU(str(script), dest=str(folder)))
