"""What each kind of job does: one module a verb, run in the job's own process.

* ``calibrate``, ``energy``, ``fmu``, ``identify``, ``optimize``, ``validate``: the verbs
* ``reports``: write the HTML and PDF reports of a result
* ``request``: the order, its arm, its files and its folder
"""
