"""Estimators of the external torque.

- ``window_bank``: least-squares slopes of the momentum error over windows of many lengths.
- ``momentum``: the first-order momentum observer.
"""
