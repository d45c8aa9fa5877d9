"""Motors, gears and friction.

* ``drive``: friction laws, motor torque, current and electrical power
* ``energy``: power flows of a motor: shaft, winding, losses, terminals
* ``smooth_power``: electrical power as a smooth function, for optimisers
"""
