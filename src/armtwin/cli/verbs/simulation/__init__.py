"""Verbs that simulate, detect, plan and compute energy.

- ``simulate``, ``detect``, ``excite``, ``energy``, ``optimize``: one verb each.
- ``scenario``: pushes, posts, paths, sensors and controllers from text.
"""
