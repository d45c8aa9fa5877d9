"""Where a motion's energy goes, and how much of it can be saved."""

import numpy as np

import armtwin as at

arm = at.load("ur5e-energy")
points = np.array([[0, -1.5, 1, -0.5, 1, 0], [1.5, -1, 0.5, -1, -1, 1]])

book = at.ledger(arm, at.Waypoints(points, vmax=3, amax=6).motion(arm))
print(f"trapezoid: {book.motors:.1f} J, of which friction {book.friction.sum():.1f} J")

for slower in (1.0, 1.5):
    best = at.optimize(arm, points, slower=slower)
    print(f"{slower} times its time: {best.ledger.motors:.1f} J, {best.saving:.1%} saved")
