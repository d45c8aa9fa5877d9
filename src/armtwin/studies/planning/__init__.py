"""From a study file to its rows.

* ``study_file``: the schema of a study file
* ``study_parameters``: parameters that a verb's options object or function has, with defaults
* ``distributions``: random values
* ``recordings``: recordings of a folder or an object store
* ``study_plan``: the rows of a study, each with inputs, seed and key
"""
