"""Torques, energies and motors of an arm; what a payload and friction change."""

import numpy as np

import armtwin as at

arm = at.load("ur5e-energy")
q, qd, qdd = np.deg2rad([0, -60, 80, -20, 90, 0]), np.full(6, 0.5), np.full(6, -1.0)

tau = at.inverse_dynamics(arm, q, qd, qdd)
print("torque of the motion  ", tau.round(3), "Nm")
print("of which holding      ", at.gravity(arm, q).round(3), "Nm")
loaded = at.with_payload(arm, 3.0, com=(0, 0, 0.05))
print("holding 3 kg more     ", at.gravity(loaded, q).round(3), "Nm")
print("friction at the joints", at.friction(arm, qd, tau).round(3), "Nm")
print("motor currents        ", at.motor_current(arm, qd, tau).round(3), "A")
print("electrical power      ", at.electric_power(arm, qd, tau).round(1), "W")

back = at.forward_dynamics(arm, q, qd, tau)
print("the torque causes the acceleration it was made for, to", np.abs(back - qdd).max())
