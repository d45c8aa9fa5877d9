"""Drift: changes that are too large for chance and that temperature does not explain.

Modules:
    daily: ``DailyValues``, the values of many series, and their weights.
    scatter: size and correlation of the days' scatter, shared between the joints of an arm.
    regression: changes of many daily series at once.
    series: daily series of a history's rows.
    false_alarms: the threshold for a stated rate of false alarms, and its simulation.
    trend: ``Trend``, the judgement of one series: how much, since when, with intervals.
    judge: trends of many series.
"""
