"""``view``: an arm, and a recording with its twin, as one HTML file or in a notebook."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from armtwin import __version__
from armtwin.detection.result import Detection
from armtwin.files import write_output
from armtwin.model.appearance.appearance import appearance
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.motion.paths import reach
from armtwin.progress import OnProgress, report_step
from armtwin.recording.read import RecordingLike, as_recording
from armtwin.report.viewing import page_path
from armtwin.spatial import Array
from armtwin.validation.efforts import recorded_payload
from armtwin.validation.options import ValidateOptions
from armtwin.validation.result import Check
from armtwin.validation.validate import validate
from armtwin.viewer import marks
from armtwin.viewer.adjustment.identified_intervals import (
    Identified,
    Intervals,
    identified_intervals,
)
from armtwin.viewer.adjustment.sliders import sliders
from armtwin.viewer.arrays import packed_bytes
from armtwin.viewer.comparison import comparison
from armtwin.viewer.description import describe_arm, has_meshes
from armtwin.viewer.document import MOST_CONTENT, content_bytes, document
from armtwin.viewer.kernels import page_kernels
from armtwin.viewer.meshes import compact_glb

VERSION = 1
"""Version of the data that ``web/src/file`` reads."""
SPARE = 2000
"""Bytes for figures that have more digits over fewer rows."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What a page shows besides the arm and its comparison with a recording.

    Attributes:
        result: description of the result (``results/result_view.py``); None without one.
        contacts: marks as ``marks.contact_marks`` returns them.
        more: further arrays over the recording's rows, by name.
    """

    result: dict[str, Any] | None = None
    contacts: Sequence[dict[str, Any]] = ()
    more: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class View:
    """An arm, and a recording with its twin, to look at.

    Attributes:
        arm: the arm that is drawn; the twin.
        check: the comparison with the recording; None without one.
        content: everything that the page needs, as plain data.
        notes: what was left out, and why.
    """

    arm: Arm
    check: Check | None
    content: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Title of the page."""
        name = self.arm.title or self.arm.name
        return name if self.check is None else f"{name}: {self.content['recording']['name']}"

    def html(self) -> bytes:
        """Return the page as one HTML file that needs no network.

        Raises:
            NotBuiltError: the front end is not built.
        """
        return document(self.title, self.content, f"armtwin {__version__}")

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the page and return the file's path.

        Raises:
            InputError: the name does not end in .html, or cannot be written.
            OutputExistsError: the file exists and ``force`` is not set.
        """
        target = page_path(path)
        write_output(target, self.html(), force=force)
        return target

    def open(self) -> Path:
        """Write the page to a temporary file, open it in the browser and return its path."""
        folder = Path(tempfile.mkdtemp(prefix="armtwin-"))
        path = self.save(folder / f"{self.arm.name}.html")
        webbrowser.open(path.as_uri())
        return path

    def widget(self) -> Any:
        """Return the page as a notebook widget (anywidget).

        Raises:
            MissingDataError: the extra ``notebook`` is not installed.
        """
        from armtwin.viewer.widget import make_widget

        return make_widget(self.content)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the widget for a notebook."""
        return self.widget()._repr_mimebundle_(**options)


def view(
    arm: ArmLike,
    recording: RecordingLike | None = None,
    *,
    options: ValidateOptions | None = None,
    contacts: bool | Detection = True,
    identified: Identified | Sequence[Identified] = (),
    on_progress: OnProgress | None = None,
) -> View:
    """Return an arm, and a recording with its twin, as a page to save, open or show in a notebook.

    The page draws the arm, plays the recording, and computes the twin again in the reader's
    browser while sliders change payload, friction and geometry. It needs no network.

    Args:
        arm: the arm, its catalogue name or its file.
        recording: what is played and compared; the arm alone if not given.
        options: how the twin is compared, as in ``validate``.
        contacts: whether contacts are detected and marked, where the recording has torques; or
            what ``detect`` found in it.
        identified: what ``identify`` or ``calibrate`` returned, or the JSON files that the
            commands printed: sliders then cover the 95 % intervals.
        on_progress: called before each step; raise from it to cancel.

    Raises:
        MissingColumnError: the recording has no joints.
        InputError: it has another number of joints than the arm, or ``identified`` does not belong
            to the arm.
        MissingDataError: the packages of the extra ``wasm`` are not installed.
    """
    twin = as_arm(arm)
    if recording is None:
        return build_view(twin, None, identified=identified, on_progress=on_progress)
    report_step(on_progress, "comparing the twin with the recording", 0.0)
    check = validate(twin, as_recording(recording, twin), options=options)
    return view_check(check, contacts=contacts, identified=identified, on_progress=on_progress)


def view_check(
    check: Check,
    *,
    contacts: bool | Detection = True,
    identified: Identified | Sequence[Identified] = (),
    on_progress: OnProgress | None = None,
) -> View:
    """Return what ``view`` returns, of a comparison that was made before; arguments as there.

    Args:
        check: what ``validate`` returned.
        contacts: whether contacts are detected and marked, or what ``detect`` found.
        identified: results with intervals for the sliders.
        on_progress: called before each step; raise from it to cancel.
    """
    given = contacts if isinstance(contacts, Detection) else None
    found, note = marks.contacts(check.arm, check.recording, given) if contacts else ([], "")
    return build_view(
        check.arm,
        check,
        shown=Shown(contacts=found),
        identified=identified,
        notes=(note,) if note else (),
        on_progress=on_progress,
    )


def build_view(
    twin: Arm,
    check: Check | None,
    *,
    shown: Shown | None = None,
    identified: Identified | Sequence[Identified] = (),
    notes: tuple[str, ...] = (),
    on_progress: OnProgress | None = None,
) -> View:
    """Return the view of an arm and, where there is one, its comparison with a recording.

    Args:
        twin: the arm.
        check: the comparison; None for the arm alone.
        shown: what is shown besides.
        identified: results with intervals for the sliders.
        notes: what was left out, and why.
        on_progress: called before each step; raise from it to cancel.
    """
    shown = shown or Shown()
    known = identified_intervals(twin, identified) if identified else Intervals({})
    report_step(on_progress, "preparing the drawing", 0.3)
    content = _arm_content(twin)
    report_step(on_progress, "compiling the arm's equations", 0.4)
    kernels = page_kernels(twin)
    notes = (*known.notes, *notes)
    payload = None if check is None else recorded_payload(check.recording)
    content |= {
        "kernels": kernels,
        "sliders": sliders(twin, kernels, payload or (0.0, np.zeros(3)), known.found),
        "contacts": list(shown.contacts),
        "result": shown.result,
        "notes": list(notes),
    }
    if check is not None:
        report_step(on_progress, "packing the recording", 0.7)
        content["recording"] = _fitting(check, content, shown.more)
    return View(twin, check, content, notes)


def _fitting(check: Check, content: dict[str, Any], more: Mapping[str, Array]) -> dict[str, Any]:
    """Return the recording with as many rows as the page has room for.

    Args:
        check: the comparison with all rows.
        content: everything else on the page.
        more: further arrays over the recording's rows, by name.
    """
    found = comparison(check, more=more)
    excess = content_bytes(content | {"recording": found}) - MOST_CONTENT
    if excess <= 0:
        return found
    return comparison(check, len(found["packed"]["data"]) - excess - SPARE, more)


def _arm_content(arm: Arm) -> dict[str, Any]:
    shapes = appearance(arm)
    glb = compact_glb(shapes, len(arm.joints), reach(arm)) if has_meshes(shapes) else None
    return {
        "version": VERSION,
        "generator": f"armtwin {__version__}",
        "arm": describe_arm(arm, shapes),
        "meshes": None if glb is None else packed_bytes(glb),
        "recording": None,
        "home": np.clip(_home(arm), arm.lower, arm.upper).tolist(),
    }


def _home(arm: Arm) -> Any:
    """Return joint positions in which an arm shows its shape: bent, not stretched (dof,)."""
    bends = [0.4, -1.2, 1.5, -1.1, -0.9, 0.3, 0.2]
    middle = (arm.lower + arm.upper) / 2
    usable = np.isfinite(middle) & (arm.upper - arm.lower < 1.5 * np.pi)
    wanted = np.array([bends[k % len(bends)] for k in range(arm.dof)])
    return np.where(usable & ((wanted < arm.lower) | (wanted > arm.upper)), middle, wanted)
