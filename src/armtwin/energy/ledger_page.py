"""The page of an energy ledger: energy per joint, over time and under every rule."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.dynamics.regeneration import RULES
from armtwin.energy.flows import NAMES, energy_flows
from armtwin.energy.ledger import ENTRIES, Ledger, ledger
from armtwin.energy.supply import Supply
from armtwin.model.arm import Arm
from armtwin.report.inputs import fingerprint
from armtwin.report.numbers import rounded, with_unit
from armtwin.report.page import Bars, Chart, Curve, Page, Panel, Part, Section, Table, Text
from armtwin.spatial import Array


def energy_page(book: Ledger) -> Page:
    """Return a ledger as a page."""
    sections = [
        Section("Where the energy goes", (energy_flows(book), ledger_table(book), _bars(book))),
        Section("Over time", tuple(power_charts(book.arm, book))),
        Section("The rule for regenerated power", tuple(_rules(book))),
    ]
    if book.trajectory.supply is not None:
        sections.append(Section("Measured at the supply", tuple(_measured(book))))
    if book.trajectory.notes:
        notes = tuple(Text(note, "note") for note in book.trajectory.notes)
        sections.append(Section("Processing notes", notes))
    settings = (("arm fingerprint", book.arm.fingerprint), ("torques from", book.powers.source))
    return Page(
        title=f"Energy of {book.arm.name}",
        subtitle=book.trajectory.name,
        facts=tuple(_facts(book)),
        sections=tuple(sections),
        inputs=tuple(fingerprint(file) for file in book.inputs),
        settings=settings,
        finding=_finding(book),
    )


def _finding(book: Ledger) -> str:
    """Return the energy, and the largest of the entries that it went to."""
    spent = {NAMES[name]: float(getattr(book, name).sum()) for name in ENTRIES[:-1]}
    spent |= {"idle power": book.idle * book.duration, "the brake resistor": book.burnt}
    most = max(spent, key=lambda name: spent[name])
    text = f"The supply gives {rounded(book.total, 3)} J in {rounded(book.duration, 3)} s"
    if not book.total > 0 or spent[most] <= 0:
        return f"{text}."
    return f"{text}; the largest part, {rounded(spent[most], 3)} J, goes into {most}."


def _facts(book: Ledger) -> Iterator[tuple[str, str]]:
    yield "Energy", f"{book.total:.4g} J in {book.duration:.4g} s"
    yield "Motors alone", f"{book.motors:.4g} J"
    yield "Idle power", f"{book.idle:.4g} W"
    yield "Rule", f"{book.rule.name}: {book.rule.meaning}"
    yield "Efficiency (shaft / motors, eq. 24)", f"{book.efficiency:.1%}"
    yield "Useful share (work on links / all)", f"{book.useful_share:.1%}"
    yield "Balance", with_unit(book.balance, "J", 2)


def ledger_table(book: Ledger) -> Table:
    """Return drawn energy and where it went, per joint and in total [J]."""
    columns = [book.drawn, *[getattr(book, name) for name in ENTRIES], book.net]
    rows = [
        (str(joint), *[float(column[joint - 1]) for column in columns])
        for joint in range(1, len(book.drawn) + 1)
    ]
    rows.append(("all", *[float(column.sum()) for column in columns]))
    heads = ("joint", "drawn [J]", *[f"{NAMES[name]} [J]" for name in ENTRIES], "net [J]")
    caption = (
        "drawn = links and rotors + friction + heat + loss + regenerated; net = drawn - regenerated"
    )
    return Table(heads, tuple(rows), caption)


def _bars(book: Ledger) -> Bars:
    labels = tuple(f"joint {n}" for n in range(1, book.arm.dof + 1))
    series = tuple((NAMES[name], getattr(book, name)) for name in ENTRIES)
    return Bars("Energy by joint", "[J]", labels, series)


def power_charts(arm: Arm, book: Ledger) -> Iterator[Chart]:
    """Yield power and energy of every motor over time, then currents and voltages."""
    time, terminal = book.trajectory.time, book.powers.terminal
    energy = _running(time, terminal)
    panels = (
        Panel("motor power [W]", _lines(time, terminal)),
        Panel("motor energy [J]", _lines(time, energy)),
        Panel("supply [W]", (Curve("supply", time, book.supply),)),
    )
    yield Chart("Power and energy", "time [s]", panels)
    current, voltage = book.powers.current, book.powers.voltage
    if current is not None and voltage is not None:
        both = Panel("[A]", _lines(time, current)), Panel("[V]", _lines(time, voltage))
        yield Chart("Motor currents and voltages", "time [s]", both)


def _lines(time: Array, values: Array) -> tuple[Curve, ...]:
    return tuple(Curve(f"joint {k + 1}", time, column) for k, column in enumerate(values.T))


def _running(time: Array, power: Array) -> Array:
    """Return the energy so far (n, dof) [J]."""
    steps = np.diff(time)[:, None] * (power[1:] + power[:-1]) / 2
    return np.vstack([np.zeros((1, power.shape[1])), np.cumsum(steps, axis=0)])


def _rules(book: Ledger) -> Iterator[Part]:
    yield Text(
        "Every figure of energy depends on what happens to the power that braking motors "
        "regenerate. The same motion under every rule, motors alone:"
    )
    rows = []
    measured = book.powers.source == "current"
    for rule in RULES.values():
        other = ledger(book.arm, book.trajectory, rule=rule, measured=measured)
        rows.append((rule.name, other.motors, other.reused, other.burnt, rule.meaning))
    yield Table(("rule", "motors [J]", "reused [J]", "burnt [J]", "meaning"), tuple(rows))


def _measured(book: Ledger) -> Iterator[Part]:
    measured, trajectory, supply = book.trajectory.supply, book.trajectory, book.fitted_supply
    if measured is None:
        return
    lines = [
        Curve("measured", trajectory.time, measured),
        Curve("ledger", trajectory.time, book.supply),
    ]
    if supply is not None and trajectory.current is not None:
        lines.append(
            Curve(
                "fitted", trajectory.time, supply.power(trajectory.current, trajectory.qd), "dashes"
            )
        )
        yield supply_table(supply)
    yield Chart("Power of the whole robot", "time [s]", (Panel("[W]", tuple(lines)),))


def supply_table(supply: Supply) -> Table:
    """Return the fitted model of a supply: idle power, back-EMF, resistance."""
    low, high = supply.idle_interval
    rows = [("idle power [W]", supply.idle, f"{low:.2f} to {high:.2f}")]
    for group, k, r in zip(supply.sizes, supply.back_emf, supply.resistance, strict=True):
        joints = ", ".join(str(j + 1) for j in group)
        rows.append((f"back-EMF at joint {joints} [V s/rad]", float(k), ""))
        rows.append((f"resistance of joint {joints} [Ohm]", float(r), ""))
    rows.append(("loss in iron [W s2/rad2]", supply.iron, ""))
    return Table(("", "value", "95 % interval"), tuple(rows), "Fitted to the recorded power")
