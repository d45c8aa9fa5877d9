"""Verbs on running robots: record, mirror, robot, replay, servo, app."""
