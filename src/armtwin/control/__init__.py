"""Joint controllers.

* ``controller``: ``Controller``, ``ComputedTorque``, ``GravityPD``, ``ZeroTorque``
* ``controller_models``: the model that a controller or observer has of the arm
"""
