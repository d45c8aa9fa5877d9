"""The numbers of the twin that a page can change, and within which ranges.

* ``identified_intervals``: 95 % intervals of a result, by the names of a page's kernels
* ``sliders``: sliders for payload, friction, geometry and tool
"""
