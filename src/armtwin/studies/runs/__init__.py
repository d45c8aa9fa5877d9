"""One row of a study.

* ``verbs``: the verbs, their parameters and how they are run
* ``simulated``: a recording made by a simulation, from parameters
* ``figures``: a result's data as columns of a table
* ``rows``: runs a group of rows and catches their errors
"""
