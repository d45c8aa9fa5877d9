"""Every joint vector for a pose, and the one nearest to where the arm is."""

import numpy as np

import armtwin as at

arm = at.load("ur5e")
here = np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
target = at.fk(arm, here)
target[:3, 3] += [0.0, 0.0, 0.05]

found = at.ik(arm, target, seed=here)
for q, residual in zip(found.q, found.residuals, strict=True):
    print(q.round(4), f"residual {residual:.1e}")
print("largest joint step to the nearest:", np.abs(found.q[0] - here).max().round(3), "rad")
