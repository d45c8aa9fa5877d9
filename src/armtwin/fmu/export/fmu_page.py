"""The documentation page inside an FMU."""

from __future__ import annotations

from html import escape

from armtwin import __version__
from armtwin.fmu.export.model import FmuModel, Variable

ABOUT = {
    "fk": "Tool pose in the base frame from joint positions. Roll, pitch and yaw are turns about "
    "the fixed x, y and z axes, R = Rz(yaw) Ry(pitch) Rx(roll); at pitch = +-90 deg roll is 0. The "
    "quaternion has qw &ge; 0.",
    "ik": "Joint positions of a tool pose in closed form, one of eight branches. The quaternion "
    "may have any length but 0. Out of reach, the joints lead to the workspace's border, "
    "<code>margin</code> is negative and <code>reachable</code> false.",
    "inverse-dynamics": "Joint torques of a motion, M(q) qdd + C(q, qd) qd + g(q), rotors "
    "included. <code>friction</code> is what motors add at the joints to keep the speed; currents "
    "and electrical power include it. An arm whose motors are not known has no currents or power.",
    "forward-dynamics": "The arm under motor torques at its joints: M qdd = tau - friction + "
    "tau_ext + J'F - C qd - g. In co-simulation it is solved by the classical Runge-Kutta method "
    "in equal steps, none longer than <code>solver_step</code>, or, where friction is stiff, by an "
    "additive Runge-Kutta method that takes friction implicitly, to <code>tolerance</code>. Inputs "
    "are held over each communication step. Start positions and speeds are the start values of q "
    "and qd. Payload, tool, base, gravity, drives and friction are tunable. fx ... nz are force "
    "and moment on the tool's origin in base axes.",
    "computed-torque": "Motor torques that make the arm follow a reference: M(q) (qdd_ref + kv "
    "(qd_ref - qd) + kp (q_ref - q)) + C qd + g + share friction(qd_ref).",
    "momentum-observer": "External joint torques from the generalized momentum, first order: each "
    "communication step takes the inputs as a sample at its beginning, and residual r follows the "
    "external torque with rate <code>gain</code>. <code>alarm</code> is true while a residual "
    "exceeds its <code>threshold</code>.",
    "reference": "A closed motion from rest to rest, run through once in <code>duration</code>.",
}
LAG = (
    "In co-simulation a master sets inputs at time t, steps, and reads outputs at t + h. Outputs "
    "that follow directly from inputs are then those of the inputs one step before. Shift them by "
    "one row before comparing (<code>armtwin fmu run</code> does), or use model exchange."
)


def documentation(model: FmuModel) -> str:
    """Return the HTML page: the model's purpose, its variables, its use."""
    tables = [
        _table("Inputs", model.with_causality("input")),
        _table("Outputs", model.with_causality("output")),
        _table("Parameters", model.with_causality("parameter")),
    ]
    sources = "".join(
        f"<li>{escape(what)}: {escape(where)}</li>" for what, where in model.arm.sources
    )
    interfaces = "co-simulation" + (" and model exchange" if model.has_model_exchange else "")
    lag = "" if model.block.is_sampled or not model.with_causality("input") else f"<p>{LAG}</p>"
    title = escape(model.title)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body{{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}
td,th{{text-align:left;padding:.1em 1em .1em 0}}</style></head><body>
<h1>{title}</h1>
<p>{ABOUT.get(model.name) or escape(model.about)}</p>
{lag}<p>Interfaces: {interfaces}. Any step length; states can be stored and restored{
        "; directional derivatives are exact" if model.has_model_exchange else ""
    }. A call with a bad
argument, or a number that is not finite, returns an error and says why in the log. The code uses
no heap while it steps and links no C library: calloc, free, memcpy and memset are those of the
program that loads it (on Windows its own and kernel32's). Its source is in
<code>sources</code> (compile <code>fmi2.c</code> or <code>fmi3.c</code> alone with GCC or Clang,
-fno-math-errno).</p>
{"".join(tables)}
<h2>Where the numbers come from</h2><ul>{sources}</ul>
<p>Made by armtwin {__version__}.</p></body></html>
"""


def _table(title: str, variables: list[Variable]) -> str:
    if not variables:
        return ""
    rows = "".join(
        f"<tr><td>{escape(v.name)}</td><td>{escape(v.quantity.unit)}</td>"
        f"<td>{repr(v.quantity.start) if v.has_start else ''}</td>"
        f"<td>{escape(v.quantity.meaning)}</td></tr>"
        for v in variables
    )
    heads = "<tr><th>name</th><th>unit</th><th>start</th><th>meaning</th></tr>"
    return f"<h2>{title}</h2><table>{heads}{rows}</table>\n"
