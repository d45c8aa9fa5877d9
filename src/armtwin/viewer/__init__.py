"""The twin as one HTML file and as a notebook widget, and the built front end.

The app serves the same front end.

* ``bundle``: the built front end
* ``description``: an arm as the front end draws it
"""
