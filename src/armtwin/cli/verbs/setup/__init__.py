"""Verbs for a first look: demo, doctor."""
