"""Motors, gears and friction.

* ``drive``: friction laws, motor torque, current and electrical power
* ``presliding``: Maxwell-slip elements of a joint at rest or reversal
* ``energy``: power flows of a motor: shaft, winding, losses, terminals
* ``smooth_power``: electrical power as a smooth function, for optimisers
"""
