"""The branches of a regular closed form with the decision which of them are solutions."""

from __future__ import annotations

import functools

from armtwin.equations.equation import Build, Equation
from armtwin.equations.symbolic import ca


@functools.cache
def judged(regular: Build) -> Build:
    """Return the function that derives a closed form with its branches judged.

    Inputs are those of the regular form and ``thresholds`` (4): the margin above which a branch is
    exact, the margin below which it is out of reach, the sine above which it is regular, and the
    largest flaw of a rigid pose. Outputs: ``q`` (n, dof), NaN where there is no solution;
    ``valid`` (n), 1 for solutions; ``care``, 1 if the pose is singular, too near to a border or not
    rigid, so that nothing is decided.
    """

    def derive() -> Equation:
        table = regular()
        exact, border, singular, flaw = ca.vertsplit(ca.SX.sym("thresholds", 4))
        outputs = table.outputs
        margins, sines, excess = (outputs[name] for name in ("margins", "sines", "excess"))
        reached = margins >= exact
        valid = ca.logic_and(reached, excess <= 0)
        clear = ca.if_else(reached, sines >= singular, margins < border)
        care = ca.logic_not(ca.logic_and(outputs["flaw"] <= flaw, ca.mmin(clear)))
        q = ca.if_else(ca.repmat(valid, 1, outputs["q"].shape[1]), outputs["q"], ca.SX.nan(1))
        inputs = {**table.inputs, "thresholds": ca.vertcat(exact, border, singular, flaw)}
        return Equation(f"{table.name}_judged", inputs, {"q": q, "valid": valid, "care": care})

    derive.__name__, derive.__module__ = f"{regular.__name__}_judged", regular.__module__
    return derive
