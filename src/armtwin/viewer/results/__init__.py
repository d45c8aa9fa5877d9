"""Results in the viewer: what each plays, and its page as plain data.

* ``chart_data``: figures of a page as plain data
* ``page_data``: a result's page as plain data, for the app, the file and the notebook
* ``played``: the motion or recording of each result, with ghost, contacts and charts
* ``result_view``: ``Result.view``
"""
