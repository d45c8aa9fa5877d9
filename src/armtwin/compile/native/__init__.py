"""Compiled code of this machine.

* ``bridge``: compiled code for one state (bridge.c)
* ``cache``: programs and libraries in the user's cache folder, by content hash
* ``library``: a program's C code, compiled, checked and loaded
* ``loops``: inverse kinematics around compiled kernels (inverse.c)
* ``random_states``: states for the comparison, among them those of rare branches
* ``self_check``: comparison of compiled code with the NumPy target
* ``toolchain``: C compilers, processor features, shared libraries from source
* ``verdicts``: results of the checks, kept beside the libraries
"""
