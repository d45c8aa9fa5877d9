"""Verbs on an arm and its equations: arms, show, fk, ik, dynamics, export."""
