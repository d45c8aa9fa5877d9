"""Detection of contacts from joint positions, speeds and motor torques.

- ``detect``: detection in whole recordings, calibration from clean runs.
- ``options``: options of ``detect``.
- ``result``, ``page``: the result and its page.
- ``detector_calibration``: a detector's model and thresholds.
- ``detector``: the detector, one sample at a time.
- ``rest_evidence``: evidence of contact on a standing arm.
- ``detection_signals``: signals of a recording that detection needs.
- ``observer_model``: the arm's model with learned corrections.
- ``thresholds``, ``alarms``: thresholds and the alarms drawn from them.
- ``observers``, ``learning``: sub-packages.
"""
