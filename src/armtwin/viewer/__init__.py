"""The twin as one HTML file and as a notebook widget, and the built front end.

The app serves the same front end.

* ``adjustment``: sliders for the numbers of the twin, and their ranges
* ``arrays``: arrays as compressed text inside JSON
* ``bundle``: the built front end
* ``comparison``: what a page needs to compare the twin with a recording again
* ``description``: an arm as the front end draws it
* ``document``: one HTML file that needs no network
* ``kernels``: the arm's equations as WebAssembly
* ``marks``: contacts and stops on the timeline
* ``meshes``: an arm's meshes, simplified to a size
* ``playback``: a recording to play, in windows of any length
* ``view``: ``view``: an arm, and a recording with its twin
* ``widget``: the page inside a notebook
"""
