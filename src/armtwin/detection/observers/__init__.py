"""Estimators of the external torque.

- ``window_bank``: least-squares slopes of the momentum error over windows of many lengths.
- ``standstill``: changes of torque of a standing arm.
- ``momentum``: the first-order momentum observer.
"""
