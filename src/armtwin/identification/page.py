"""The page of an identification: measured and predicted signals, errors, estimates, priors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy
from armtwin.identification.result.estimates import Estimate
from armtwin.identification.result.fit import Fit
from armtwin.identification.result.forest import base_forest, drive_forest
from armtwin.report.charts.boxes import box_chart
from armtwin.report.charts.palette import RECORDED, TWIN
from armtwin.report.inputs import fingerprint
from armtwin.report.page import Chart, Curve, Page, Panel, Part, Section, Table, Text, Verdict

TITLES = {
    "target": ("Target torque", "Nm"),
    "tau": ("Motor torque", "Nm"),
    "current": ("Motor current", "A"),
}
DRIVEN = ("torque_constant", "rotor_inertia", "offset", "payload", "gravity", "tilt")


def identification_page(fit: Fit) -> Page:
    """Return an identification as a page."""
    sections = [Section("Result", tuple(_result(fit)))]
    for kind in dict.fromkeys(signal.kind for signal in fit.signals):
        sections.append(Section(TITLES[kind][0], tuple(_signals(fit, kind))))
    sections += [
        Section("Parameters and their priors", tuple(_drives(fit))),
        Section("Base parameters and links", tuple(_links_and_base(fit)), detail=True),
        Section("Not identified from these data", tuple(_open(fit))),
        Section("Not identifiable by any motion", tuple(_structural(fit)), detail=True),
    ]
    if fit.choices:
        sections.append(Section("Friction laws", (_laws(fit),), detail=True))
    return Page(
        title=f"Identification of {fit.before.name}",
        subtitle=fit.before.title,
        verdict=Verdict(fit.passed, fit.verdict),
        facts=tuple(_facts(fit)),
        sections=tuple(sections),
        inputs=tuple(fingerprint(path) for path in fit.inputs),
        settings=(*fit.options.rows(), ("arm fingerprint", fit.arm.fingerprint)),
    )


def _facts(fit: Fit) -> Iterator[tuple[str, str]]:
    for part in ("train", "test"):
        runs = list(dict.fromkeys(s.run for s in fit.signals if s.part == part))
        if runs:
            more = f" and {len(runs) - 3} more" if len(runs) > 3 else ""
            yield part, ", ".join(runs[:3]) + more
    yield "unknown", ", ".join(fit.options.unknown)
    yield "signal", TITLES[fit.kind][0].lower()
    shares = fit.r2("test") or fit.r2("train")
    if shares:
        part = "test" if fit.r2("test") else "training"
        cells = [
            "not judged" if joint in fit.not_judged else f"{value:.3f}"
            for joint, value in enumerate(shares, 1)
        ]
        yield f"R² on {part} data", ", ".join(cells)
    yield "condition number", f"{fit.condition:.3g}"


def _result(fit: Fit) -> Iterator[Part]:
    for kind in dict.fromkeys(row.kind for row in fit.accuracy):
        yield _accuracy([row for row in fit.accuracy if row.kind == kind], kind)
    for joint, reason in fit.not_judged.items():
        yield Text(f"joint {joint} is not judged: {reason}", "note")
    for line in fit.notes:
        yield Text(line, "warning" if "contradict" in line or "falls from" in line else "note")


def _accuracy(rows: list[Accuracy], kind: str) -> Table:
    title, unit = TITLES[kind]
    heads = ("part", "joint", f"mean [{unit}]", f"max [{unit}]", f"RMS [{unit}]", "R²", "raw R²",
             "R² with rest", f"RMS with rest [{unit}]", "used")  # fmt: skip
    cells = [
        (r.part, r.joint, r.mean, r.largest, r.rms, round(r.r2, 5), round(r.raw_r2, 5),
         round(r.all_r2, 5), r.all_rms, f"{100 * r.share:.0f} %")
        for r in rows
    ]  # fmt: skip
    return Table(heads, tuple(cells), f"{title}: predicted less measured")


def _signals(fit: Fit, kind: str) -> Iterator[Part]:
    title, unit = TITLES[kind]
    for part in ("train", "test"):
        chosen = [s for s in fit.signals if s.kind == kind and s.part == part]
        if not chosen:
            continue
        yield _overlay(chosen[0], f"{title}, {part}: {chosen[0].run}", fit.options.band)
        below = [(s, *s.below(fit.options.band)) for s in chosen]
        joints = range(chosen[0].measured.shape[1])
        samples = [np.concatenate([(p - y)[s.used[:, j], j] for s, y, p in below]) for j in joints]
        if all(sample.size for sample in samples):
            caption = f"all {len(chosen)} runs, moving samples below {fit.options.band:g} Hz"
            yield box_chart(f"{title} errors, {part}", unit, samples, caption=caption)


def _overlay(signal: SignalAccuracy, title: str, band: float) -> Chart:
    measured, predicted = signal.below(band)
    panels = tuple(
        Panel(
            f"joint {j + 1} [{signal.unit}]",
            (
                Curve("measured", signal.time, measured[:, j], colour=RECORDED),
                Curve("predicted", signal.time, predicted[:, j], "dashes", colour=TWIN),
            ),
        )
        for j in range(measured.shape[1])
    )
    return Chart(title, "time [s]", panels, f"both below {band:g} Hz, without phase shift")


def _drives(fit: Fit) -> Iterator[Part]:
    drives = [e for e in fit.estimates if e.name.rstrip("0123456789").startswith(DRIVEN)]
    friction = [e for e in fit.estimates if e not in drives]
    picture = drive_forest(fit.estimates)
    if picture is not None:
        yield picture
    if drives:
        yield _estimates(drives, "Motors, payload and mounting")
    if friction:
        yield _estimates(friction, "Friction (at the motor, where there is a gear)")
        yield from _variation(fit)
        yield _scales(fit)


def _variation(fit: Fit) -> Iterator[Part]:
    """Yield what intervals for any day stand on, and the joints whose friction warms up."""
    if fit.variation is None:
        return
    yield Text(
        "Same day: friction while these data were recorded; where they are of several days, its "
        f"mean over days. Any day: {fit.variation.days.text}"
    )
    rows = [
        (one.joint, one.by, one.form, f"{100 * one.change:+.0f} %", one.time_constant,
         None if one.by == "time" else one.reference, one.before, one.after)
        for one in fit.variation.warm_ups
    ]  # fmt: skip
    unit = TITLES[fit.kind][1]
    heads = ("joint", "varies with", "part", "cold to warm", "time constant [s]",
             "as estimated at [degC]", f"left-out RMS without [{unit}]", "with")  # fmt: skip
    if rows:
        yield Table(heads, tuple(rows), "Friction while gears warm up, by cross-validation")


def _scales(fit: Fit) -> Table:
    viscous, coulomb = fit.torque_scales
    rows = [
        (joint, round(float(v), 3), round(float(c), 3))
        for joint, (v, c) in enumerate(zip(viscous, coulomb, strict=True), 1)
        if np.isfinite([v, c]).all()
    ]
    caption = (
        "Friction compensation of direct torque control (URScript direct_torque): UR's defaults, "
        "reduced by the part of the friction that these data do not make certain"
    )
    return Table(("joint", "viscous_scale", "coulomb_scale"), tuple(rows), caption)


def _links_and_base(fit: Fit) -> Iterator[Part]:
    picture = base_forest(fit.base)
    if picture is not None:
        yield picture
    if fit.base:
        yield _estimates(list(fit.base), "Base parameters of links and rotors")
    if "links" in fit.options.unknown or "payload" in fit.options.unknown:
        yield _links(fit)


def _links(fit: Fit) -> Table:
    """Return masses and centres of the links before and after; a payload is part of the last."""
    rows = []
    for number, (old, new) in enumerate(zip(fit.before.joints, fit.arm.joints, strict=True), 1):
        if old.link.mass is None or new.link.mass is None:
            continue
        centres = [
            ", ".join(f"{1e3 * c:.1f}" for c in link.com or ()) for link in (old.link, new.link)
        ]
        rows.append((number, old.link.mass, new.link.mass, *centres))
    heads = ("link", "mass before [kg]", "after", "centre before [mm]", "after")
    caption = (
        "Links as written to the arm file. The data determine the base parameters only; how they "
        "divide among the links follows the arm file"
    )
    return Table(heads, tuple(rows), caption)


def _estimates(rows: list[Estimate], caption: str) -> Table:
    heads = ("parameter", "unit", "estimate", "95 % from", "to", "prior", "source")
    cells = [(e.name, e.unit, e.value, e.low, e.high, e.prior, e.source) for e in rows]
    if not any(e.any_day for e in rows):
        return Table(heads, tuple(cells), caption)
    days = [e.any_day or (float("nan"),) * 2 for e in rows]
    wide = [(*cell[:5], *day, *cell[5:]) for cell, day in zip(cells, days, strict=True)]
    days_heads = ("same day: 95 % from", "to", "any day: 95 % from", "to")
    return Table((*heads[:3], *days_heads, *heads[5:]), tuple(wide), caption)


def _open(fit: Fit) -> Iterator[Part]:
    rows = [(one.name, one.text, one.advice) for one in fit.unidentifiable if one.advice]
    if not rows:
        yield Text("The data determine every identifiable parameter.")
        return
    yield Table(("parameter", "finding", "what would identify it"), tuple(rows))


def _structural(fit: Fit) -> Iterator[Part]:
    rows = [(one.name, one.text) for one in fit.unidentifiable if not one.advice]
    if rows:
        yield Table(("parameter", "finding"), tuple(rows))


def _laws(fit: Fit) -> Table:
    rows = []
    for joint, choice in enumerate(fit.choices, 1):
        for tried in choice.tried:
            chosen = "chosen" if tried.law == choice.best.law else ""
            rows.append((joint, tried.law, tried.speed, tried.error, chosen))
    unit = TITLES[fit.kind][1]
    heads = ("joint", "law", "its speed [rad/s]", f"error on left-out data [{unit}]", "")
    return Table(
        heads, tuple(rows), "Cross-validation; a law with more parameters must be clearly better"
    )
