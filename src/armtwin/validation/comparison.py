"""Comparison of one twin with one recording: signals, lag, limits, causes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from armtwin.errors import MissingColumnError
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.columns.names import listed
from armtwin.recording.recording import Recording
from armtwin.recording.slopes import between, local_slopes
from armtwin.report.numbers import with_unit
from armtwin.validation.causes import Cause, find_causes, ranked
from armtwin.validation.efforts import effort_signals
from armtwin.validation.lags.signal_lag import Lag, estimate_lag
from armtwin.validation.limits import judge, with_default_limits
from armtwin.validation.metrics import Metrics, Signal, moves
from armtwin.validation.options import ValidateOptions
from armtwin.validation.recorded_poses import (
    RecordedPoses,
    pose_signals,
    recorded_poses,
    twin_coordinates,
)
from armtwin.validation.result import Check

MIN_ROWS = 10
"""Complete rows; fewer do not support a verdict."""
LOOK_CLOSER = 1e-4
"""Pose errors above this [m, rad] are explained even where every limit is kept."""
SURE = 0.99
"""A cause that explains this share ends the search."""


class Comparison:
    """Comparison of one twin with one recording."""

    def __init__(
        self, arm: Arm, recording: Recording, options: ValidateOptions, inputs: tuple[Path, ...]
    ) -> None:
        self.arm, self.recording, self.options, self.inputs = arm, recording, options, inputs
        self.notes: list[str] = []
        self.fitted: dict[str, list[list[float]]] = {}
        self.poses = recorded_poses(recording)
        if recording.arm is not None and recording.arm != arm.name:
            self.notes.append(f"the recording says that it is of arm {recording.arm!r}")

    def check(self, on_progress: OnProgress | None = None) -> Check:
        """Return the finished check; ``on_progress`` is called before each step."""
        limits = with_default_limits(self.options.limits)
        report_step(on_progress, "computing the twin's signals", 0.2)
        self._fit_frames()
        signals = self._signals(0.0)
        report_step(on_progress, "estimating the lag", 0.4)
        lags = self._lags(signals)
        if self.options.remove_lag and "pose" in lags:
            signals = self._signals(lags["pose"].seconds)
        table = tuple(signal.metrics for signal in signals)
        lag = next(iter(lags.values()), None)
        judged, idle = judge(limits, table, lag)
        broken = [str(j) for j in judged if not j.kept]
        failures = [*self._gaps(), *idle, *broken, *self._nothing(signals, len(judged))]
        report_step(on_progress, "ranking possible causes", 0.7)
        causes = self._causes(bool(broken), table, lags.get("pose"))
        return Check(
            arm=self.arm,
            recording=self.recording,
            signals=tuple(signals),
            table=table,
            lag=lag,
            lags=lags,
            limits=tuple(judged),
            failures=tuple(failures),
            causes=tuple(causes),
            notes=(*self.recording.notes, *self.notes),
            fitted=self.fitted,
            settings=self.options.shown(),
            inputs=self.inputs,
        )

    def _fit_frames(self) -> None:
        """Fit tool and base where the options require it, and keep the result."""
        options = self.options
        if not (options.fit_tool or options.fit_base):
            return
        if self.poses is None or self.poses.position is None:
            raise MissingColumnError(
                "fitting a tool or base needs the recorded position x, y, z; "
                f"the recording has {listed(self.recording.columns)}"
            )
        from armtwin.calibration.data.frames import aligned
        from armtwin.validation.other_arms import as_measured

        measured = as_measured(self.poses, self.poses.rows.size)
        self.arm = aligned(self.arm, measured, base=options.fit_base, tool=options.fit_tool)
        for name in ("base", "tool"):
            if getattr(options, f"fit_{name}"):
                self.fitted[name] = [list(row) for row in getattr(self.arm, name)]
                self.notes.append(f"{name} fitted to this recording")

    def _signals(self, shift: float) -> list[Signal]:
        """Return every signal of both sides, the twin's pose ``shift`` seconds later."""
        signals: list[Signal] = []
        if self.poses is not None and self.poses.rows.size:
            poses = self.poses if shift == 0 else self._later(self.poses, shift)
            signals += pose_signals(poses, twin_coordinates(self.arm, poses.q))
        if self.options.efforts:
            found, notes = effort_signals(self.arm, self.recording)
            signals += found
            self.notes += [note for note in notes if note not in self.notes]
        return signals

    def _later(self, poses: RecordedPoses, shift: float) -> RecordedPoses:
        """Return the recorded poses with the joints of ``shift`` seconds before."""
        time = self.recording.require_clock()[poses.rows]
        at = time - shift
        inside = (at >= time[0]) & (at <= time[-1])
        q = between(time, poses.q, local_slopes(time, poses.q, 1), at[inside])
        parts = (poses.position, poses.quaternion, poses.rpy)
        self.notes.append(f"twin shifted by the lag of {shift * 1e3:.4g} ms before it was judged")
        return RecordedPoses(
            poses.rows[inside], q, *[None if x is None else x[inside] for x in parts]
        )

    def _lags(self, signals: list[Signal]) -> dict[str, Lag]:
        """Return the lag of every kind of signal that moves enough to determine it."""
        lags: dict[str, Lag] = {}
        if not self.recording.timed:
            return lags
        for kind in dict.fromkeys(signal.kind for signal in signals):
            if kind == "pose":
                lag = self._pose_lag()
                lags.update({} if lag is None else {"pose": lag})
                continue
            part = [s for s in signals if s.kind == kind]
            part = [s for s in part if s.rows.size == part[0].rows.size]
            time = self.recording.time[part[0].rows]
            sides = (np.column_stack([getattr(s, side) for s in part]) for side in ("twin", "real"))
            found = estimate_lag(time, *sides)
            if found is not None:
                lags[kind] = found
        return lags

    def _pose_lag(self) -> Lag | None:
        """Return the lag of the recorded pose, apart from errors of the twin's geometry."""
        from armtwin.validation.lags.pose_lag import estimate_pose_lag

        assert self.poses is not None
        return estimate_pose_lag(self.arm, self.recording.time[self.poses.rows], self.poses)

    def _gaps(self) -> Iterator[str]:
        """Yield the gaps of the recording in the joints or in the pose."""
        for group in ("q", "position", "quaternion", "rotation_vector", "rpy"):
            if not self.recording.has(group):
                continue
            empty = ~np.isfinite(self.recording.group(group)).all(axis=1)
            if empty.any():
                yield (
                    f"{group} has no value in {int(empty.sum())} rows, first in row "
                    f"{int(empty.argmax()) + 1}; close the gaps with 'armtwin prepare'"
                )

    def _nothing(self, signals: list[Signal], judged: int) -> Iterator[str]:
        """Yield why nothing can be judged: no common signal, too few rows, no limit."""
        if not signals:
            yield (
                "twin and recording have no signal in common; the twin has a pose, and torques "
                f"where the arm has masses; the recording has {listed(self.recording.columns)}"
            )
            return
        rows = max(signal.rows.size for signal in signals)
        if rows < MIN_ROWS:
            yield f"{rows} complete rows are too few to judge by; {MIN_ROWS} are needed"
        if not judged:
            names = ", ".join(dict.fromkeys(s.name.rstrip("0123456789") for s in signals))
            yield f"no limit is set for what was compared ({names}); give one, such as tau=5Nm"
        poses = self.poses
        if poses is None or poses.position is None or rows < MIN_ROWS:
            return
        if moves(poses.q) and not moves(poses.position):
            yield "the recorded position is constant while the joints move: a placeholder?"

    def _causes(self, broken: bool, table: tuple[Metrics, ...], lag: Lag | None) -> list[Cause]:
        """Return the causes of the pose error, where it is large enough."""
        rmse = {row.signal: row.rmse for row in table}
        large = rmse.get("position", 0.0) > LOOK_CLOSER or rmse.get("angle", 0.0) > LOOK_CLOSER
        if self.poses is None or not self.poses.rows.size or not large:
            return []
        causes = find_causes(self.arm, self.poses, lag, tuple(self.fitted))
        if not broken:
            return causes
        exact = list(self._exact_arm())
        if exact:
            return ranked([*exact, *causes])
        unsure = not (causes and causes[0].removed > SURE)
        return [*self._other_arm(), *causes] if unsure else causes

    def _exact_arm(self) -> Iterator[Cause]:
        """Yield the arm of the catalogue that fits with this base and tool, if there is one."""
        from armtwin.validation.other_arms import exact_arm

        found = exact_arm(self.arm, self.poses) if self.poses else None
        if found is not None:
            own, best = found
            text = (
                f"the recording fits arm {best.name!r} with the same base and tool: "
                f"{with_unit(best.distance, 'm', 3)} RMS, against "
                f"{with_unit(own.distance, 'm', 3)} of {own.name!r}"
            )
            share = 1 - (best.distance / own.distance) ** 2
            yield Cause("other arm", text, share, 0, arm=best.name)

    def _other_arm(self) -> Iterator[Cause]:
        from armtwin.validation.other_arms import better_arm

        found = better_arm(self.arm, self.poses) if self.poses else None
        if found is not None:
            own, best = found
            text = (
                f"the recording fits arm {best.name!r} best: {best.distance * 1e3:.3g} mm RMS with "
                f"the best base and tool, against {own.distance * 1e3:.3g} mm of {own.name!r}"
            )
            share = 1 - (best.distance / own.distance) ** 2
            yield Cause("other arm", text, share, 12, arm=best.name)
