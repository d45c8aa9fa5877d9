"""Ten million configurations through an arm's equations, chunk by chunk, in flat memory."""

import time

import numpy as np

import armtwin as at

TOTAL, CHUNK = 10_000_000, 10_000

arm, rng = at.load("ur10e"), np.random.default_rng(0)
q, poses = np.empty((CHUNK, 6)), np.empty((CHUNK, 4, 4))
highest, busy = -np.inf, 0.0
for _ in range(TOTAL // CHUNK):
    rng.random(out=q)
    q *= 2 * np.pi
    start = time.perf_counter()
    at.fk(arm, q, out=poses)  # written in place: nothing is allocated
    busy += time.perf_counter() - start
    highest = max(highest, poses[:, 2, 3].max())

print(f"{TOTAL} poses in {busy:.2f} s ({busy / TOTAL * 1e9:.0f} ns each)")
print(f"the tool reaches {highest:.3f} m above the base")
