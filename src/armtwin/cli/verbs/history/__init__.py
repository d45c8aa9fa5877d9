"""Verbs over the history of arms.

Modules: ``history`` (the group), ``history_add``, ``history_show``, ``history_report``.
"""
