"""Parameters of an identification.

Modules:
    vector: layout of the parameter vector, and ``Prior``.
    prior: the prior of an arm file.
    feasible: physical bounds (pseudo-inertias) and steps within them.
    base_parameters: the combinations that torques depend on.
"""
