"""Every equation of the package by name, and arms that they can be derived for."""

import importlib
import inspect
import pkgutil

from moving_arms import moving_arm
from presliding_arms import with_presliding

import armtwin.equations
from armtwin.compile.kernel import equation_name


def equations():
    """Return every equation that takes an arm or nothing, by name."""
    found = {}
    for module in pkgutil.walk_packages(armtwin.equations.__path__, "armtwin.equations."):
        loaded = importlib.import_module(module.name)
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            own = function.__module__ == loaded.__name__ and not name.startswith("_")
            if own and function.__annotations__.get("return") == "Equation":
                found[equation_name(function)] = function
    return {name: build for name, build in found.items() if arguments(build) in ([], ["arm"])}


def arguments(build):
    """Return the names of a function's arguments."""
    return list(inspect.signature(build).parameters)


def arm_for(equation):
    """Return an arm with drives; its first three joints where six make thousands of steps."""
    if "held_plant" in equation:
        return with_presliding(0.002)
    arm = moving_arm("ur5e-energy")
    many = "derivatives" in equation or equation.endswith("regressor")
    return arm.with_(joints=arm.joints[:3]) if many else arm
