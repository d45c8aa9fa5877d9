"""The job "energy": what ``armtwin energy`` does."""

from __future__ import annotations

from armtwin.app.jobs.orders import Energy
from armtwin.app.jobs.outcome import Outcome, facts, table
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.energy.ledger import Ledger, ledger
from armtwin.energy.ledger_page import energy_page, ledger_table, supply_table
from armtwin.energy.supply import Supply, recorded_supply
from armtwin.errors import MissingDataError
from armtwin.recording.read import read_recording
from armtwin.recording.recording import Recording
from armtwin.report.write import write_page


def work(request: JobRequest[Energy]) -> Outcome:
    """Balance the energy of a recording and write the reports."""
    order, arm = request.order, request.arm()
    source = request.recording(order.recording)
    request.tell("reading the recording")
    recording = read_recording(source, arm)
    supply = recorded_supply(arm, recording)
    idle = order.idle_power
    if idle is None:
        idle = supply.idle if supply else 0.0
    request.tell("balancing the energy")
    try:
        book = ledger(arm, recording, rule=order.rule, idle=idle, measured=order.measured)
    except MissingDataError as error:
        if supply is None or order.measured:
            raise
        return _only_supply(recording, supply, error)
    page = energy_page(arm, book, [source], supply)
    return with_reports(request, _outcome(book, supply), lambda path: write_page(page, path))


def _only_supply(recording: Recording, supply: Supply, why: Exception) -> Outcome:
    """Return what the recorded power alone tells, where the arm has no motor data."""
    fitted = supply_table(supply)
    return Outcome(
        verdict=f"idle power {supply.idle:.4g} W; no ledger of the motors",
        facts=facts([("Explained of the power's variance", f"{supply.r_squared(recording):.1%}")]),
        tables=(table(fitted.heads, fitted.rows, "Fitted to the recorded power"),),
        notes=(f"no ledger of the motors: {why}",),
    )


def _outcome(book: Ledger, supply: Supply | None) -> Outcome:
    ways = ledger_table(book)
    tables = [table(ways.heads, ways.rows, "Where the energy goes")]
    if supply is not None:
        fitted = supply_table(supply)
        tables.append(table(fitted.heads, fitted.rows, "Fitted to the recorded power"))
    named = [
        ("Energy", f"{book.total:.4g} J in {book.duration:.4g} s"),
        ("Motors alone", f"{book.motors:.4g} J"),
        ("Idle power", f"{book.idle:.4g} W"),
        ("Rule", f"{book.rule.name}: {book.rule.meaning}"),
        ("Balance", f"{book.balance:.1e} J"),
    ]
    return Outcome(
        verdict=f"{book.total:.4g} J in {book.duration:.4g} s",
        facts=facts(named),
        tables=tuple(tables),
        notes=tuple(book.way.notes),
    )
