"""Your own controller as an FMU: a spring and a damper hold the tool at a goal.

Run it, or export it from the command line:
``armtwin fmu export ur10e --controller examples/own_fmu_controller.py:Impedance --out imp.fmu``.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import armtwin as at


class Impedance(at.CustomBlock):
    """Pulls the tool to a goal like a spring with a damper, and compensates gravity."""

    inputs = {"q": "q", "qd": "qd", "goal": ("m", 3)}
    outputs = {"tau": "tau"}
    parameters = {"stiffness": ("N/m", 800.0), "damping": ("N.s/m", 60.0)}

    def law(self, arm, x):
        """Return tau = J' (k (goal - p) - d v) + g(q)."""
        tool, J = arm.tool(x["q"])
        force = x["stiffness"] * (x["goal"] - tool.p) - x["damping"] * (J[:3, :] @ x["qd"])
        return {"tau": J[:3, :].T @ force + arm.gravity(x["q"])}


def main() -> None:
    """Export the controller and print what was written."""
    with TemporaryDirectory() as folder:
        print(at.export_fmu("ur10e", Path(folder, "impedance.fmu"), model=Impedance))


if __name__ == "__main__":
    main()
