"""The report of half an hour at 500 Hz stays small and keeps its peaks."""

import base64
import json
import re

import numpy as np

import armtwin as at
from armtwin.validation.comparison import Comparison

ROWS = 900_000
"""Half an hour at 500 Hz."""
PEAK = 123_456


def test_half_an_hour_at_500_hz_is_below_10_mb(tmp_path, monkeypatch):
    """The file has less than 10 MB, says what was reduced and holds the peak, when it is long."""
    monkeypatch.setattr(Comparison, "_lags", lambda *_: {})  # most of the time, and no curve
    arm, time = at.load("desktop5"), np.arange(ROWS) * 0.002
    q = 0.2 + 0.3 * np.sin(time[:, None] * np.array([0.5, 0.7, 0.3, 1.1, 0.9]))
    x, y, z = at.fk(arm, q)[:, :3, 3].T.copy()
    x += 1e-4 * np.random.default_rng(1).normal(size=ROWS)
    x[PEAK] += 0.02
    run = at.Recording.of(time, {"q": q, "x": x, "y": y, "z": z}, arm=arm.name, origin="long")
    check = at.validate(arm, run, limits=("position=1mm",))
    file = check.report(tmp_path / "report.html")
    assert file.stat().st_size < 10_000_000
    text = file.read_text(encoding="utf-8")
    samples = {int(n) for n in re.findall(r"value of every (\d+) samples", text)}
    assert samples and min(samples) > 1
    found = re.search(r'id="plots">(.*?)</script>', text, re.DOTALL)[1]
    content = json.loads(found.replace("<\\/", "</"))
    largest = max(np.nanmax(np.abs(values(one))) for one in errors(content))  # [mm]
    signal = {one.name: one for one in check.signals}["position"]
    assert abs(1e-3 * largest - np.abs(signal.error).max()) < 1e-7


def errors(content):
    """Return the packed error curves of the position chart."""
    chart = content["plots"][2]  # after the overview and the curves
    return [content["arrays"][line["y"]] for line in chart["lines"]]


def values(packed):
    """Return the numbers of a packed array."""
    return np.frombuffer(base64.b64decode(packed["data"]), "<f4") + packed["first"]
