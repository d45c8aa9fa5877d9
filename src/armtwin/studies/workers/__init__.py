"""Workers that run groups of rows.

* ``workers``: the abstract class, and the group of rows that it takes
* ``local``: processes of this machine (joblib's loky)
* ``cluster``: workers of a Ray cluster
"""
