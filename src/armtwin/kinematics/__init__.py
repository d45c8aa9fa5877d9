"""Forward and inverse kinematics.

* ``forward``: tool pose, link poses, Jacobians, manipulability
* ``inverse/``: inverse kinematics: closed form and numeric
* ``joint_limits``: joint limits, distinct solutions, whole turns
* ``joints``: checks of joint vectors
* ``tensor_inverse``: inverse kinematics of arrays of PyTorch, JAX and CuPy
* ``tensors``: equations on arrays of PyTorch, JAX and CuPy, with derivatives
"""
