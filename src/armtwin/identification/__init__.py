"""Identification of drives, friction and link parameters from motor signals.

Modules:
    identify: the public function.
    options: ``IdentifyOptions``.
    data: recordings, their preparation, and checks against the model.
    parameters: the parameter vector, its prior and its physical bounds.
    estimation: maximum a posteriori estimation and its uncertainty.
    variation: friction that varies with temperature, time and from day to day.
    result: ``Fit`` with estimates, errors and unidentified parameters.
    page: the result as a page.
    joint_test: manufacturers' joint tests, compared with an arm's drives.
"""
