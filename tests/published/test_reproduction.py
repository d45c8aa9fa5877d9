"""The published kinematics tables, recomputed."""

import dataclasses
import functools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from armtwin import fk, load
from armtwin.cli.main import run
from armtwin.errors import InputError
from armtwin.reproduce.desktop_arm import tables as desktop
from armtwin.reproduce.documents import DOCUMENTS, reproduce
from armtwin.reproduce.figure import DocumentResult, Figure, Reproduction
from armtwin.reproduce.fk_fmu import fk_report
from armtwin.reproduce.screws import ur3e as screws


@functools.cache
def reproduced(name):
    """Return a document's reproduction, computed once: some take seconds."""
    return DOCUMENTS[name]()


def test_fk_report_agrees_in_every_output():
    """All 11 x 10 outputs agree to the fifth decimal when Table 4 is recomputed."""
    done = fk_report.reproduce()
    assert len(done.figures) == 110
    assert max(abs(figure.difference) for figure in done.figures) < 1.5e-5
    assert done.count("agrees") == 110


def test_fk_report_needs_the_corrected_signs(monkeypatch):
    """Table 4 is off by decimetres when a2 and a3 have the printed signs."""
    arm = load("ur10e-report")
    printed = arm.with_(joints=tuple(dataclasses.replace(j, a=abs(j.a)) for j in arm.joints))
    monkeypatch.setattr(fk_report, "load", lambda name: printed)
    done = fk_report.reproduce()
    assert not done.passed
    assert max(abs(figure.difference) for figure in done.figures) > 0.1


def test_desktop_positions_agree_within_a_millimetre():
    """All 24 positions agree with both printed columns when computed from the corrected table."""
    figures = [
        f for f in reproduced("desktop").figures if f.name.endswith(("equations mm", "RoboDK mm"))
    ]
    assert len(figures) == 2 * 24 * 3
    assert all(abs(f.difference) < 1.0 for f in figures)


def test_desktop_errata_are_the_known_ones():
    """Seven figures do not follow from the document's own table when it is evaluated."""
    done = reproduced("desktop")
    assert done.passed
    errata = {(f.place, f.name) for f in done.figures if f.verdict == "erratum"}
    assert errata == {
        ("Table 2, [-40,20,-5,70,-20]", "x deviation mm"),
        ("below Table 2", "x largest error %"),
        ("Fig. 8", "x 1-2 %: share %"),
        ("Fig. 8", "x 2-3 %: share %"),
        ("Fig. 8", "x above 3 %: share %"),
        ("Fig. 8", "z 0-1 %: share %"),
        ("Fig. 8", "z 1-2 %: share %"),
    }


def test_desktop_distance_is_computed_from_the_table():
    """The RMS distance is 4.60 mm when the measured points are held against the exact model."""
    results = {r.name: r.value for r in reproduced("desktop").results}
    assert results["RMS distance of the 24 measured points"] == pytest.approx(4.60, abs=0.005)
    data = desktop.Measurements.read()
    model = 1e3 * fk(load("desktop5"), data.q)[:, :3, 3]
    by_hand = np.sqrt(((data.measured - model) ** 2).sum() / 24)
    assert results["RMS distance of the 24 measured points"] == pytest.approx(by_hand, rel=1e-12)


def test_screws_return_home():
    """M itself is returned at q = (90, 0, 0, -90, 0, 0) deg when the offsets are compensated."""
    figures = [f for f in reproduced("screws").figures if f.place == "appendix, M"]
    assert len(figures) == 12
    assert all(f.verdict == "agrees" for f in figures)


def test_screws_equal_the_rounded_dh_model():
    """The screw model is the DH model in mm and a 70 mm tool when the frames are found."""
    found = screws._frames(load("ur3e-screws"), screws.rounded(load("ur3e")))
    assert found.position_error < 1e-14
    assert found.rotation_error < 1e-14
    np.testing.assert_allclose(found.base, np.eye(4), atol=1e-14)
    tool = np.eye(4)
    tool[2, 3] = 0.07
    np.testing.assert_allclose(found.tool, tool, atol=1e-14)


def test_screws_differ_from_the_datasheet():
    """About a millimetre remains when the datasheet's unrounded lengths are used."""
    found = screws._frames(load("ur3e-screws"), load("ur3e"))
    assert 5e-4 < found.position_error < 2e-3


def test_constant_frames_are_recovered():
    """Planted base and tool frames come back when poses are seen through them."""
    from armtwin import pose

    arm = load("ur5e")
    base, tool = pose((0.1, -0.2, 0.3), (0.4, -0.5, 0.6)), pose((0.0, 0.05, 0.1), (-1.0, 0.2, 2.0))
    q = np.random.default_rng(5).uniform(-3, 3, (20, 6))
    B = fk(arm, q)
    found = screws.constant_frames(base @ B @ tool, B)
    np.testing.assert_allclose(found.base, base, atol=1e-12)
    np.testing.assert_allclose(found.tool, tool, atol=1e-12)


def test_screw_figures_agree_where_legible():
    """Every legible number of Figs. 2 and 3 agrees when the document's bug is repeated."""
    figures = [f for f in reproduced("screws").figures if f.place.endswith(", T")]
    assert len(figures) == 20
    assert sum(f.verdict == "agrees" for f in figures) == 6
    assert all(f.verdict != "off" for f in figures)


def test_figure_verdicts():
    """A figure agrees, is explained or is off when it is near, wrong with or without erratum."""
    assert Figure("", "", 1.0, 1.04, 0.05).verdict == "agrees"
    assert Figure("", "", 1.0, 1.06, 0.05).verdict == "off"
    assert Figure("", "", 1.0, 1.06, 0.05, "misprint").verdict == "erratum"
    assert Figure("", "", 1.0, 1.04, 0.05, "misprint").verdict == "off"
    assert Figure("", "", 1.0, float("nan"), 0.05).verdict == "off"


def test_reproduction_fails_on_any_fault():
    """A reproduction does not pass when one figure is off or one bound is broken."""
    good = Figure("", "", 1.0, 1.0, 0.1)
    assert Reproduction("", "", (good,)).passed
    assert not Reproduction("", "", (good, Figure("", "", 1.0, 2.0, 0.1))).passed
    assert not Reproduction("", "", (good,), (DocumentResult("", 2.0, "", 1.0),)).passed


@pytest.mark.parametrize("name", DOCUMENTS)
def test_reproduce_verb_prints_every_figure(name, capsys, monkeypatch):
    """The verb exits with 0 and prints each figure when a document is reproduced."""
    done = reproduced(name)
    monkeypatch.setitem(DOCUMENTS, name, lambda: done)
    assert run(["reproduce", name, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["passed"] is True
    assert len(answer["figures"]) == len(done.figures) > 0
    assert run(["reproduce", name]) == 0
    said = capsys.readouterr().out
    assert said.strip().endswith("reproduced")
    assert {figure.place for figure in done.figures if figure.place not in said} == set()


def test_reproduce_verb_exits_1_when_a_figure_is_off(monkeypatch, capsys):
    """The verb exits with 1 when a figure is off and no erratum explains it."""
    wrong = Reproduction("x", "x", (Figure("here", "x", 1.0, 2.0, 0.1),))
    monkeypatch.setitem(DOCUMENTS, "desktop", lambda: wrong)
    assert run(["reproduce", "desktop"]) == 1
    assert capsys.readouterr().out.strip().endswith("NOT reproduced")


def test_unknown_document_lists_the_known():
    """The documents that exist are listed when another one is asked for."""
    with pytest.raises(InputError, match="no document 'other'; there are fk-report, desktop"):
        reproduce("other")


def test_computed_figures_are_counted_apart():
    """Constants read back and simulated figures are distinguished when a document is reproduced.

    The README adds 30 simulated figures of ``energy`` and 2 of ``observer``.
    """
    figures = [figure for name in DOCUMENTS for figure in reproduced(name).figures]
    count = Counter((figure.basis, figure.verdict) for figure in figures)
    assert count == {
        ("computed", "agrees"): 363, ("computed", "erratum"): 26, ("constant", "agrees"): 197,
        ("constant", "erratum"): 6, ("simulated", "agrees"): 6, ("simulated", "erratum"): 1,
    }  # fmt: skip
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert "of 389 computed figures 363 agree with print, 26 are wrong" in readme
    assert "203 constants are read back and 39 figures come from simulations" in readme


def test_the_verb_counts_computed_figures_apart(capsys):
    """The last lines give each basis its count when a document is printed."""
    assert run(["reproduce", "energy-model"]) == 0
    said = capsys.readouterr().out
    assert "15 computed (computed from the document's data): 11 agree, 4 explained" in said
    assert "144 constant (constants of the arm file read back, nothing is computed)" in said
    assert run(["reproduce", "energy-model", "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert counts == {"computed": 15, "constant": 144, "simulated": 0}
