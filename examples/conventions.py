"""One arm in three conventions, and as files for other programs."""

import tempfile
import warnings
from pathlib import Path

import numpy as np

import armtwin as at

arm = at.load("ur10e")
q = np.array([0.1, -1.2, 1.5, -0.8, 0.9, 0.3])
for convention in ("modified-dh", "screws"):
    other = at.convert(arm, convention)
    gap = np.abs(at.fk(arm, q) - at.fk(other, q)).max()
    print(f"{convention}: tool pose differs by {gap:.1e}")

with tempfile.TemporaryDirectory() as folder:
    for ending in (".toml", ".urdf", ".xml"):
        file = Path(folder) / f"ur10e{ending}"
        with warnings.catch_warnings(record=True) as lost:
            warnings.simplefilter("always")
            at.export(arm, file)
        gap = np.abs(at.fk(arm, q) - at.fk(at.load(file), q)).max()
        print(f"{ending}: read back, tool pose differs by {gap:.1e}")
        for warning in lost:
            print(f"  {str(warning.message).removeprefix(str(file))[2:]}")
