"""Every formula of an arm as a CasADi expression; each module's functions return an ``Equation``.

* ``block``: named inputs, outputs, states and parameters around equations
* ``blocks/``: the blocks that are exported as FMUs
* ``chain``: poses and Jacobians of a serial chain
* ``control/``: control laws and momentum observers
* ``drives/``: friction, motor current, electrical power
* ``dynamics/``: rigid-body dynamics, the arm with friction, regressors
* ``equation``: ``Equation``: named inputs and outputs, and their instruction list
* ``kinematics/``: tool pose, pose error, closed-form inverse kinematics, capsules
* ``optimal/``: minimum-energy motion as a nonlinear programme
* ``parameters``: an arm whose numbers are symbols
* ``reverse``: vector-Jacobian products of an equation
* ``symbolic``: CasADi, imported on first use
* ``tunable``: equations whose arm has numbers that change at run time, a payload included
"""
