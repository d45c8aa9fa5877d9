"""Virtual robots with mass, friction and obstacles, stepped by tests cycle by cycle."""

import functools

import numpy as np
import pytest

import armtwin as at
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.script_programs import run_script
from armtwin.simulation.pushes import Post

Q = np.array([0.1, -1.4, 1.5, -1.6, -1.5, 0.2])


@functools.cache
def arm(name="ur5e-energy"):
    """Return an arm of the catalogue, one object per name, so that its kernels are made once."""
    return at.load(name)


def controller_of(name="ur5e-energy", start=Q, **options):
    """Return the controller of a dynamic virtual robot."""
    return virtual_robot(arm(name), start=start, body="dynamic", **options).controller


def floor(below, name="ur5e-energy", softness=0.01):
    """Return a block whose top is some way below the wrist at Q [m]."""
    x, y, z = at.fk(arm(name), Q)[:3, 3]
    top = z - 0.0376 - below
    return Post((x, y, top - 0.1), size=(0.4, 0.4, 0.2), softness=softness)


def steps(controller, seconds, each=None):
    """Run a controller for some time of its own clock."""
    for _ in range(round(seconds / controller.dt)):
        controller.cycle()
        if each is not None:
            each(controller)


def play(controller, source):
    """Start a program and return its run."""
    run_script(controller, source)
    assert controller.program is not None, [text.message for text in controller.texts]
    return controller.program.run


def finish(controller, source, seconds=30.0, each=None):
    """Run a program to its end and return the run."""
    run = play(controller, source)
    for _ in range(round(seconds / controller.dt)):
        controller.cycle()
        if each is not None:
            each(controller)
        if not run.running:
            return run
    pytest.fail(f"the program did not end: line {run.line}")


def messages(controller):
    """Return the controller's text messages as one text."""
    return " | ".join(text.message for text in controller.texts)
