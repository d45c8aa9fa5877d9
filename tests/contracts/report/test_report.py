"""What reports promise: one file, everything in it, whole or not at all."""

import dataclasses
import errno
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from measured_runs import poses_of, run_of

import armtwin as at
from armtwin import files
from armtwin.cli.main import run
from armtwin.errors import InputError, OutputExistsError
from armtwin.report import page as parts
from armtwin.report.charts.plots import packed, plot
from armtwin.report.charts.thinning import thinned
from armtwin.report.renderers.html import html
from armtwin.report.renderers.pdf import pdf
from armtwin.report.result import Result
from armtwin.report.write import write_page

ARM = at.load("ur10e")
T = np.arange(30_000) * 0.002


@pytest.fixture(scope="module")
def page():
    """A page with every kind of part."""
    line = parts.Curve("twin", T, np.sin(T))
    view = parts.MapView(
        "above", "x [m]", "y [m]", [0, 1, 2, 3], [0, 1, 2], [[1, np.nan, 3], [4, 5, 6]],
        (("base", 0.5, 0.5),),
    )  # fmt: skip
    return parts.Page(
        title="A <b>bold</b> title",
        verdict=parts.Verdict(False, "x & y differ"),
        facts=(("Arm", "ur10e"),),
        sections=(
            parts.Section(
                "Everything",
                (
                    parts.Text("plain </script> text"),
                    parts.Facts((("rate", "500 Hz"),)),
                    parts.Table(("name", "value"), (("a", 1.23456789), ("b", None)), "caption"),
                    parts.Chart("Overlay", "time [s]", (parts.Panel("x [mm]", (line,)),)),
                    parts.Histogram("Errors", "error [mm]", (("x", np.cos(T)),)),
                    parts.Bars("Sizes", "Nm", ("1", "2"), (("tau", [1.0, 2.0]),)),
                    parts.Paths("Path", "m", (("twin", np.c_[T, np.sin(T), np.cos(T)]),)),
                    parts.Map("Error", "error [mm]", (view, view)),
                ),
            ),
        ),
        inputs=(("run.csv", "sha256:0123"),),
        settings=(("limits", "position=1mm"),),
    )


def plots_in(text):
    """Return the data of the plots in an HTML report."""
    found = re.search(r'<script type="application/json" id="plots">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1].replace("<\\/", "</"))


def test_html_needs_nothing_else(page):
    """No address is fetched and every part is there when the page is one HTML file."""
    text = html(page).decode()
    outside = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["'](?!#)""", outside)
    assert "@import" not in outside
    assert "url(" not in outside
    assert len(plots_in(text)["plots"]) == 5
    assert "A &lt;b&gt;bold&lt;/b&gt; title" in text
    assert "x &amp; y differ" in text
    assert "plain &lt;/script&gt; text" in text
    for needle in ("sha256:0123", "position=1mm", "armtwin", "numpy", "Prepared by", "1.235"):
        assert needle in outside


def test_all_samples_are_in_the_page(page):
    """Every sample can be zoomed into when a line has 30,000 of them."""
    import base64

    content = plots_in(html(page).decode())
    line = content["plots"][0]["lines"][0]
    array = content["arrays"][line["y"]]
    y = np.frombuffer(base64.b64decode(array["data"]), "<f4") + array["first"]
    assert y.size == T.size
    assert np.abs(y - np.sin(T)).max() < 1e-6
    assert len(html(page)) < 8_000_000


def test_time_is_stored_once(page):
    """Equal arrays are stored once when many lines share their time."""
    lines = tuple(parts.Curve(str(k), T, np.sin(k * T)) for k in range(5))
    chart = parts.Chart("c", "t", (parts.Panel("y", lines),))
    content = plots_in(html(parts.Page("t", sections=(parts.Section("s", (chart,)),))).decode())
    assert len(content["arrays"]) == 6


def test_packing_keeps_small_steps_of_large_numbers():
    """Differences keep their digits when the values are large."""
    import base64

    x = 1.6e9 + T
    data = packed(x)
    back = np.frombuffer(base64.b64decode(data["data"]), "<f4").astype(float) + data["first"]
    assert np.abs(back - x).max() < 1e-5


def test_thinning_keeps_every_peak():
    """The highest and lowest values stay when a curve is thinned."""
    y = np.sin(T)
    y[12_345], y[20_001] = 9.0, -7.0
    x_few, y_few = thinned(T, y, 1000)
    assert len(x_few) <= 1001
    assert y_few.max() == 9.0
    assert y_few.min() == -7.0
    assert (np.diff(x_few) > 0).all()


def test_pdf_has_its_pages(page):
    """A PDF with vector pictures comes out when the page is set."""
    data = pdf(page)
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) >= 2
    assert len(data) < 2_000_000


def test_gaps_in_a_line_stay_gaps():
    """NaN is kept and the page stays valid when a line has gaps."""
    y = np.sin(T)
    y[100:200] = np.nan
    chart = parts.Chart("c", "t", (parts.Panel("y", (parts.Curve("l", T, y),)),))
    assert plot(chart)["lines"][0]["y"]["data"]
    page = parts.Page("t", sections=(parts.Section("s", (chart,)),))
    assert plots_in(html(page).decode())
    assert pdf(page).startswith(b"%PDF-")


def test_rows_must_fit_their_heads():
    """A table is refused when a row has another length than the heads."""
    with pytest.raises(InputError, match="row 2 has 1 cells for 2 heads"):
        parts.Table(("a", "b"), ((1, 2), (3,)))


def test_maps_have_one_scale(page):
    """Cells without a value stay empty, and views share colours and scale, when a map is drawn."""
    drawn = plot(page.sections[0].parts[-1])
    assert [trace["z"][0] for trace in drawn["traces"]] == [[1.0, None, 3.0]] * 2
    assert {(trace["zmin"], trace["zmax"]) for trace in drawn["traces"]} == {(1.0, 6.0)}
    assert [drawn["layout"][name]["scaleanchor"] for name in ("yaxis", "yaxis2")] == ["x", "x2"]
    with pytest.raises(InputError, match="give \\(ny, nx\\) values"):
        parts.MapView("above", "x", "y", [0, 1], [0, 1], [[1, 2]]).arrays()
    empty = parts.MapView("above", "x", "y", [0, 1], [0, 1], [[np.nan]])
    with pytest.raises(InputError, match="no finite value"):
        parts.Map("Error", "mm", (empty,)).limits()


def test_lines_must_have_one_length():
    """A line is refused when x and y differ in length."""
    with pytest.raises(InputError, match="line 'l'"):
        parts.Curve("l", [1, 2], [1]).arrays()


@pytest.mark.parametrize("ending", ["html", "pdf"])
def test_validation_report(tmp_path, ending):
    """Figures, lag, cause and settings are in the report when a check is written."""
    offset = np.deg2rad([0, 0, 1.0, 0, 0, 0])
    check = at.validate(ARM, run_of(ARM, offset=offset, lag=0.3, rows=600))
    path = check.report(tmp_path / f"report.{ending}")
    data = path.read_bytes()
    if ending == "pdf":
        assert data.startswith(b"%PDF-")
        return
    text = data.decode()
    for needle in ("NOT PASSED", "joint 3 (elbow_joint)", "lag [samples]", "RMSE", "fit tool",
                   check.arm.fingerprint):  # fmt: skip
        assert needle in text
    titles = re.findall(r"<h3>(.*?)</h3>", text)
    assert "Position: twin over recorded" in titles
    assert "The tool&#x27;s path in base" in titles


def test_calibration_report(tmp_path):
    """Every fitted number and every held one is in the report when a calibration is written."""
    truth = ARM.with_(tool=at.pose((0.1, 0, 0.1)))
    fit = at.calibrate(ARM, poses_of(truth, count=40, noise=1e-4, turn_noise=1e-4))
    text = fit.report(tmp_path / "fit.html").read_text(encoding="utf-8")
    assert all(p.name in text for p in fit.parameters)
    assert all(u.name in text for u in fit.unidentifiable)
    assert fit.report(tmp_path / "fit.pdf").read_bytes().startswith(b"%PDF-")


def test_picture_comes_before_the_tables():
    """The position error, else the worst torque, is drawn before figures when a check is shown."""
    time = 0.01 * np.arange(400)
    q = 0.1 * np.sin(time[:, None] + np.arange(6))
    torque = at.Recording.of(time, {"q": q, "tau": 10 * q}, arm="ur10e")
    pose = at.Recording.of(time, {"q": q, "position": np.ones((400, 3))}, arm="ur10e")
    for given, first in ((pose, "Position error of the twin"), (torque, "the largest error")):
        shown = at.validate("ur10e", given).page().sections[0].parts
        kinds = [type(part).__name__ for part in shown]
        assert kinds.index("Chart") < kinds.index("Table")
        assert first in shown[kinds.index("Chart")].title


def test_report_links_a_view(page, tmp_path):
    """The link is a path from the report's folder, whatever its name, when a view was saved."""
    linked = dataclasses.replace(page, view='../x/javascript:a" onclick=b().html')
    text = html(linked).decode()
    assert 'href="./../x/javascript%3Aa%22%20onclick%3Db%28%29.html"' in text
    assert 'class="view"' not in html(page).decode()
    check = at.validate("ur10e", at.Recording.of([0, 1], {"q": np.zeros((2, 6))}, arm="ur10e"))
    (tmp_path / "a").mkdir()
    made = check.report(tmp_path / "a" / "report.html", view=tmp_path / "twin.html")
    assert 'href="./../twin.html"' in made.read_text(encoding="utf-8")


@dataclasses.dataclass(frozen=True)
class SmallResult(Result):
    """What a verb would have computed: passed, with a page."""

    arm: at.Arm
    passed: bool = True
    reason: str = ""

    def page(self):
        """Return a page without parts."""
        return parts.Page(title="Found")

    def to_dict(self):
        """Return no data."""
        return {}


VIEWED = {
    "validate ur10e RUN": "armtwin.validation.validate.validate",
    "detect ur10e RUN": "armtwin.detection.detect.detect",
    "energy ur10e RUN": "armtwin.energy.recorded.recorded_energy",
    "identify ur10e RUN": "armtwin.identification.identify.identify",
    "calibrate ur10e RUN": "armtwin.calibration.calibrate.calibrate",
    "calibrate ur10e --plan 3": "armtwin.calibration.plan.plan_poses",
    "optimize ur10e --from 0 0 0 0 0 0 --to 1 1 1 1 1 1": "armtwin.energy.optimize.optimize",
}
"""Verbs with an interactive page, and the function of the library that each calls."""


@pytest.mark.parametrize("line", VIEWED)
def test_verbs_write_the_page_that_their_report_links(line, tmp_path, monkeypatch, capsys):
    """Both files are written, and neither over an older one, when a view is asked for."""
    played = []

    def viewer(result, recording, on_progress):
        played.append(recording)
        return SimpleNamespace(save=lambda path, force: Path(path).write_text("page") and path)

    monkeypatch.setattr("armtwin.report.viewing.viewer", viewer)
    monkeypatch.setattr(VIEWED[line], lambda *given, **more: SmallResult(ARM))
    at.Recording.of(T[:50], {"q": np.zeros((50, 6))}, arm="ur10e").save(tmp_path / "run.csv")
    report, view = tmp_path / "report.html", tmp_path / "twin.html"
    words = line.replace("RUN", str(tmp_path / "run.csv")).split()
    words += ["--report", str(report), "--view"]
    assert run([*words, str(tmp_path / "twin.pdf")]) == 2
    assert "end its name in .html" in capsys.readouterr().err
    assert run([*words, str(view)]) == 0
    assert view.read_text(encoding="utf-8") == "page"
    assert 'href="./twin.html"' in report.read_text(encoding="utf-8")
    assert [len(each) for each in played if each] == [50] * line.startswith("identify")
    report.unlink()
    assert run([*words, str(view)]) == 2
    assert not report.exists() and len(played) == 1


def test_full_disk_leaves_the_old_report(page, tmp_path, monkeypatch):
    """The old report survives, and no part of the new one is left, when the disk is full."""
    path = tmp_path / "report.html"
    path.write_text("the old report")
    real_open = files.Path.open

    def full(self, mode="r", *args, **kwargs):
        file = real_open(self, mode, *args, **kwargs)
        if "x" in mode:

            def write(data):
                file.flush()
                raise OSError(errno.ENOSPC, "No space left on device")

            return _Full(file, write)
        return file

    monkeypatch.setattr(files.Path, "open", full)
    with pytest.raises(InputError, match="No space left"):
        write_page(page, path, force=True)
    monkeypatch.undo()
    assert path.read_text() == "the old report"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


class _Full:
    """A file on a full disk."""

    def __init__(self, file, write):
        self._file, self.write = file, write

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()


def test_existing_report_is_not_overwritten(page, tmp_path, capsys):
    """An existing report stays, and nothing is computed, when force is not given."""
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(OutputExistsError):
        write_page(page, path)
    run_of(ARM, rows=50).save(tmp_path / "run.csv")
    words = ["validate", "ur10e", str(tmp_path / "run.csv"), "--report", str(path)]
    assert run(words) == 2
    assert path.read_text() == "mine"
    assert run([*words, "--force"]) == 0
    assert path.stat().st_size > 1_000_000


def test_other_endings_are_refused(page, tmp_path):
    """The message names the endings when a report is asked for as another kind of file."""
    with pytest.raises(InputError, match=r"\.html or \.pdf"):
        write_page(page, tmp_path / "report.docx")
