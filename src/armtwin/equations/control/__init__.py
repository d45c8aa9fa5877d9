"""Control laws and observers.

* ``control_law``: computed torque, PD with gravity compensation
* ``learned_observer``: the observer's model with corrections learned from clean runs
* ``observer``: the momentum observer, continuous and sampled
"""
