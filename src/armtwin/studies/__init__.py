"""Studies: one table out of many runs of a verb, on one machine or on a cluster.

* ``study``: the public function
* ``row_scheduler``: hands rows to workers in groups, and keeps their results
* ``dataset``: results as part files, and the final table
* ``result``, ``page``: the result and what is shown of it
* ``influence``: which parameter a figure depends on
* ``planning``: from a study file to its rows
* ``runs``: one row: a verb with its parameters, and the figures of its result
* ``workers``: processes of this machine, or those of a Ray cluster
"""
