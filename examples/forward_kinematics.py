"""Poses of one joint vector and of a hundred thousand."""

import numpy as np

import armtwin as at

arm = at.load("ur10e")
q = np.deg2rad([0, -90, 90, 0, 90, 0])
where = at.tool_coordinates(arm, q)
print("position [m]", where.position.round(4))
print("roll pitch yaw [deg]", np.rad2deg(where.rpy).round(2))

many = np.random.default_rng(0).uniform(-3, 3, (100_000, 6))
heights = at.fk(arm, many)[:, 2, 3]
print(f"highest of {len(many)} random tool positions: {heights.max():.3f} m")
