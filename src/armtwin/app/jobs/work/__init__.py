"""The work of each kind of job: one module per verb, run in the job's process.

* ``calibrate``, ``detect``, ``energy``, ``excite``, ``fmu``, ``identify``, ``optimize``,
  ``validate``: the verbs
* ``columns``, ``play``: list a file's columns; prepare a recording for the timeline
* ``reports``: write the HTML and PDF reports of a result
* ``context``: parameters, arm, files and folder of a job
"""
