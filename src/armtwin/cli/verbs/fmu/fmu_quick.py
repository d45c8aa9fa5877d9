"""``armtwin fmu run`` in its plain form, without loading typer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

TAKES_VALUE = ("--input", "--out", "--mode", "--step", "--solver-step")
FLAGS = {
    "--force": ("force", True), "--defaults": ("defaults", True),
    "--align": ("align", True), "--no-align": ("align", False), "--wasm": ("wasm", True),
}  # fmt: skip


def quick(words: list[str]) -> int | None:
    """Run if the words are the plain form and the table is a plain CSV file.

    Returns:
        The exit code; None leaves the work, and messages on wrong input, to the full command line.
    """
    given = _parsed(words)
    if given is None:
        return None
    from armtwin.cli.verbs.fmu.fmu_plain import RunFiles, plain_csv, report
    from armtwin.errors import ArmTwinError
    from armtwin.fmu.run.core import SOLVER_STEP, RunFmuOptions
    from armtwin.fmu.run.output_file import check_output

    files = RunFiles(given["fmu"], given["input"], given["out"], bool(given.get("force")))
    options = RunFmuOptions(
        mode=given.get("mode"),
        align=given.get("align", True),
        defaults=bool(given.get("defaults")),
        solver_step=given.get("solver_step", SOLVER_STEP),
        wasm=bool(given.get("wasm")),
    )
    try:
        check_output(files.out, force=files.force)
        facts = plain_csv(files, given.get("step"), options)
    except ArmTwinError as error:
        from armtwin.app.server.plain_text import printable

        sys.stderr.write(f"error: {printable(' '.join(str(error).split()))}\n")
        return 2
    if facts is None:
        return None
    report(facts, files, "armtwin")
    return 0


def _parsed(words: list[str]) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if word in FLAGS:
            key, value = FLAGS[word]
            found[key] = value
        elif word in TAKES_VALUE:
            found[word[2:].replace("-", "_")] = next(rest, None)
        elif word.startswith("-") or "fmu" in found:
            return None
        else:
            found["fmu"] = word
    return _typed(found)


def _typed(found: dict[str, Any]) -> dict[str, Any] | None:
    try:
        for name in ("fmu", "input", "out"):
            found[name] = Path(found[name])
        for name in ("step", "solver_step"):
            if name in found:
                found[name] = float(found[name])
    except (KeyError, TypeError, ValueError):
        return None
    return found if found["out"].suffix == ".csv" and found["input"].is_file() else None
