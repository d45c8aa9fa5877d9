"""A controller of one's own in simulation: PID with gravity, which holds a payload it ignores."""

import numpy as np

import armtwin as at


class Pid(at.Controller):
    """PD with gravity compensation and an integral that removes what the model does not know."""

    def __init__(self, model, inertia, kp=400.0, kd=40.0, ki=1000.0):
        """Keep the model and the gains [1/s2, 1/s, 1/s3], times the joints' inertias [kg m2]."""
        self.model = model
        self.kp, self.kd, self.ki = kp * inertia, kd * inertia, ki * inertia

    def reset(self, q, qd, time):
        """Clear the integral; called before the first ``torque`` of every run."""
        self.sum, self.last = np.zeros_like(q), time

    def torque(self, q, qd, q_ref, qd_ref, qdd_ref, time):
        """Return the motor torques (dof,) [Nm]; limits of the motors are applied afterwards."""
        error = q_ref - q
        self.sum += (time - self.last) * error
        self.last = time
        pid = self.kp * error + self.kd * (qd_ref - qd) + self.ki * self.sum
        return pid + at.gravity(self.model, q, ignore_limits=True)


arm = at.load("ur10e")
loaded = at.with_payload(arm, 5.0, com=(0, 0, 0.1))
q = np.array([0.3, -1.2, 1.4, -1.6, -1.5, 0.0])
hold, inertia = at.Hold(q, seconds=3.0), np.diag(at.mass_matrix(loaded, q))
for name, controller in (("PID", Pid(arm, inertia)), ("PD", Pid(arm, inertia, ki=0.0))):
    run = at.simulate(loaded, hold, controller=controller, sensors=at.Sensors.perfect())
    sag = np.abs(run.q[-1] - run.group("target_q")[-1]).max()
    print(f"{name:3s} ends {np.rad2deg(sag):.4f} degrees from its reference")
print(run.notes[0])

fall = at.simulate(arm, hold, controller=at.ZeroTorque())
print(f"without torque the fastest joint reaches {np.abs(fall.qd).max():.1f} rad/s")
