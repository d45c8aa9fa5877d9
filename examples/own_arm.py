"""An arm of your own: write its table, load it, ask it."""

import tempfile
from pathlib import Path

import armtwin as at

TABLE = """
name = "scara"
convention = "standard-dh"

[[joints]]
name = "shoulder"
a = 0.3
[joints.limits]
lower = "-150 deg"
upper = "150 deg"

[[joints]]
name = "elbow"
a = 0.25
alpha = "pi"

[[joints]]
name = "lift"
kind = "prismatic"

[sources]
geometry = "this example"
limits = "this example"
"""

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "scara.toml"
    file.write_text(TABLE, encoding="utf-8")
    arm = at.load(file)

print(arm.name, "has", arm.dof, "joints")
print("tool at", at.fk(arm, [0.5, -0.4, 0.1])[:3, 3].round(4), "m")
try:
    at.fk(arm, [3.0, 0.0, 0.0])
except at.ArmTwinError as error:
    print("refused:", error)
