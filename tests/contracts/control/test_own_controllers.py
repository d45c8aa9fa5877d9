"""Controllers of one's own: what they are given, and what is refused."""

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import InputError

ARM = at.load("ur10e")
HOLD = at.Hold([0.3, -1.2, 1.4, -1.6, -1.5, 0.0], seconds=0.1)


class Noted(at.Controller):
    """Holds the arm by its weight and notes what it was given."""

    def __init__(self):
        self.calls, self.starts = [], []

    def reset(self, q, qd, time):
        """Note the start of a run."""
        self.starts.append((q.copy(), time, len(self.calls)))

    def torque(self, q, qd, q_ref, qd_ref, qdd_ref, time):
        """Note the time and hold the weight."""
        self.calls.append(time)
        return at.gravity(ARM, q, ignore_limits=True)


def test_time_and_reset_are_passed():
    """Times are those of the run, and reset comes before the first torque, in every run."""
    controller = Noted()
    for _ in range(2):
        run = at.simulate(ARM, HOLD, controller=controller, sensors=at.Sensors.perfect())
    np.testing.assert_allclose(controller.calls, np.tile(run.time, 2))
    assert [calls for _, _, calls in controller.starts] == [0, len(run)]
    np.testing.assert_allclose(controller.starts[0][0], run.q[0])
    assert controller.starts[0][1] == 0.0


def test_name_is_optional():
    """The notes have the class's name when a controller has none of its own."""
    assert "Noted" in at.simulate(ARM, HOLD, controller=Noted()).notes[0]


def test_any_object_with_torque_serves():
    """No base class is needed when an object has ``torque``."""

    class Plain:
        def torque(self, q, qd, q_ref, qd_ref, qdd_ref, time):
            return at.gravity(ARM, q, ignore_limits=True)

    assert len(at.simulate(ARM, HOLD, controller=Plain())) == 51


@pytest.mark.parametrize("answer", [np.zeros(5), 0.0, None, np.full(6, np.nan), ["a"] * 6])
def test_torques_that_are_refused(answer):
    """An error names controller and time when it returns no finite torque per joint."""
    controller = Noted()
    controller.torque = lambda *_: answer
    with pytest.raises(InputError, match=r"Noted returned .* at t = 0 s; expected 6 finite"):
        at.simulate(ARM, HOLD, controller=controller)


def test_controller_of_another_kind():
    """An error shows the method's arguments when something else is given."""
    with pytest.raises(InputError, match=r"torque\(q, qd, q_ref, qd_ref, qdd_ref, time\)"):
        at.simulate(ARM, HOLD, controller="computed torque")
