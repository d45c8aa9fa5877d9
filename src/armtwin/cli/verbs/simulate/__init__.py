"""Verbs on simulated or planned motions: simulate, detect, excite, energy, optimize."""
