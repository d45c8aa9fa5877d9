"""The job "energy": what ``armtwin energy`` does."""

from __future__ import annotations

import dataclasses

from armtwin.app.jobs.orders import Energy
from armtwin.app.jobs.outcome import Outcome, facts, table
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.energy.ledger import Ledger
from armtwin.energy.ledger_page import ledger_table, supply_table
from armtwin.energy.recorded import SupplyResult, recorded_energy
from armtwin.recording.read import read_recording


def work(request: JobRequest[Energy]) -> Outcome:
    """Compute the energy ledger of a recording and write the reports."""
    order, arm = request.order, request.arm()
    source = request.recording(order.recording)
    request.tell("reading the recording")
    recording = read_recording(source, arm)
    request.tell("computing the energy ledger")
    found = recorded_energy(
        arm, recording, rule=order.rule, idle=order.idle_power, measured=order.measured
    )
    if isinstance(found, SupplyResult):
        return _supply_outcome(found)
    found = dataclasses.replace(found, inputs=(source,))
    return with_reports(request, _outcome(found), found.report)


def _supply_outcome(found: SupplyResult) -> Outcome:
    """Return the supply's model alone, where the arm has no motor data."""
    fitted = supply_table(found.supply)
    return Outcome(
        verdict=f"idle power {found.supply.idle:.4g} W; no ledger of the motors",
        facts=facts(found.page().facts),
        tables=(table(fitted.heads, fitted.rows, fitted.caption),),
        notes=(f"no ledger of the motors: {found.reason}",),
    )


def _outcome(found: Ledger) -> Outcome:
    energies = ledger_table(found)
    tables = [table(energies.heads, energies.rows, "Where the energy goes")]
    if found.fitted_supply is not None:
        fitted = supply_table(found.fitted_supply)
        tables.append(table(fitted.heads, fitted.rows, fitted.caption))
    return Outcome(
        verdict=f"{found.total:.4g} J in {found.duration:.4g} s",
        facts=facts(found.page().facts),
        tables=tuple(tables),
        notes=tuple(found.course.notes),
    )
