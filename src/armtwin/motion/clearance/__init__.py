"""Distances of an arm from itself, from its mounting plane and from obstacles.

- ``clearance``: distances of capsules along a motion, and their gradient.
- ``obstacles``: obstacles and their files.
"""
