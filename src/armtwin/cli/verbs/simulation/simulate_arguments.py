"""Options of ``armtwin simulate`` in groups: path, plant, control loop and output."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import Com, Force
from armtwin.cli.verbs.simulation.scenario import (
    make_flexibility,
    read_path,
    read_post,
    read_push,
    read_vector,
)
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.motion.motion import Motion
    from armtwin.motion.motion import Path as MotionPath
    from armtwin.simulation.options import SimulateOptions

VECTORS = ("centre", "normal", "tool", "start", "end")


@dataclass(frozen=True)
class PathArguments:
    """The path to follow."""

    path: Annotated[
        str,
        typer.Option(
            help="circle, line, waypoints, quintic, hold (one joint vector), or a motion's file "
            "with columns time, q1, q2, ... (.csv, .parquet)."
        ),
    ] = "circle"
    radius: Annotated[float | None, typer.Option(help="Radius of the circle [m].")] = None
    period: Annotated[float | None, typer.Option(help="Time of one turn of the circle [s].")] = None
    seconds: Annotated[float | None, typer.Option(help="Duration of the motion [s].")] = None
    centre: Annotated[str | None, typer.Option(help="Centre of the circle in base, x,y,z [m].")] = (
        None
    )
    normal: Annotated[
        str | None, typer.Option(help="Normal of the circle's plane in base, x,y,z.")
    ] = None
    tool: Annotated[
        str | None, typer.Option(help="Direction of the tool's z axis in base, x,y,z.")
    ] = None
    turn: Annotated[
        float | None, typer.Option(help="Rotation of the tool about its z axis [rad].")
    ] = None
    ramp: Annotated[float | None, typer.Option(help="Time to full speed on the circle [s].")] = None
    start: Annotated[str | None, typer.Option(help="Start of the line in base, x,y,z [m].")] = None
    end: Annotated[str | None, typer.Option(help="End of the line in base, x,y,z [m].")] = None
    points: Annotated[str | None, typer.Option(help='Joint vectors "q1,q2,..;q1,q2,..".')] = None
    vmax: Annotated[float | None, typer.Option(help="Speed limit between waypoints [rad/s].")] = (
        None
    )
    amax: Annotated[
        float | None, typer.Option(help="Acceleration limit between waypoints [rad/s2].")
    ] = None

    def motion(self, arm: Arm, rate: float) -> Motion:
        """Return the motion of an arm along the path, or that of the file.

        Args:
            arm: the simulated arm.
            rate: control periods per second [Hz].
        """
        from armtwin.motion.motion_file import read_motion

        if "." in self.path or "/" in self.path:
            return read_motion(self.path, arm, rate=rate)
        return self.read().motion(arm, rate)

    def read(self) -> MotionPath:
        """Return the path."""
        given = asdict(self)
        for name in VECTORS:
            if given[name] is not None:
                given[name] = read_vector(given[name], f"--{name}")
        return read_path(given.pop("path"), given)


@dataclass(frozen=True)
class PlantArguments:
    """The simulated arm."""

    payload: Annotated[
        float, typer.Option(help="Mass on the flange, unknown to the controller [kg].")
    ] = 0.0
    com: Com = None
    drives: Annotated[
        str, typer.Option(help="own: the arm file's; real: rotors and friction of a real UR10e.")
    ] = "own"
    stiffness: Annotated[
        str | None,
        typer.Option(
            metavar="K", help="Springs in the joints [Nm/rad], K1,K2,... or own (the arm file's)."
        ),
    ] = None
    joint_damping: Annotated[float, typer.Option(help="Damping of the springs [Nms/rad].")] = 0.0
    encoder: Annotated[
        str, typer.Option(help="Side of a spring that its encoder measures: motor or link.")
    ] = "motor"
    built: Annotated[
        int | None,
        typer.Option(
            metavar="SEED",
            help="Plant random errors of lengths (0.3 mm) and zero positions (0.5 mrad) in the "
            "simulated arm.",
        ),
    ] = None

    def bare(self, arm: Arm) -> Arm:
        """Return the plant without its payload."""
        from armtwin.simulation.as_built import as_built
        from armtwin.simulation.typical_drives import with_real_drives

        if self.drives not in ("own", "real"):
            raise InputError(f"--drives is own or real, got {self.drives!r}")
        plant = with_real_drives(arm) if self.drives == "real" else arm
        return plant if self.built is None else as_built(plant, self.built)

    def notes(self) -> tuple[str, ...]:
        """Return what the recording notes about the plant."""
        from armtwin.simulation.as_built import planted_note

        return () if self.built is None else (planted_note(self.built),)


@dataclass(frozen=True)
class LoopArguments:
    """Controller, sensors, rates, pushes and posts."""

    controller: Annotated[str, typer.Option(help="computed-torque or gravity-pd or none.")] = (
        "computed-torque"
    )
    model: Annotated[
        str,
        typer.Option(
            help="Model of the controller: exact, datasheet, cylinders, or a catalogue name or "
            "file."
        ),
    ] = "exact"
    kp: Annotated[float | None, typer.Option(help="Stiffness [1/s2], gravity-pd [Nm/rad].")] = None
    kv: Annotated[float | None, typer.Option(help="Damping [1/s], gravity-pd [Nms/rad].")] = None
    push: Annotated[
        list[str] | None,
        typer.Option(
            help="joint=2,torque=20,start=6,duration=0.5, or "
            "link=3,force=0:0:-30,point=0:0:0,start=6,duration=0.5."
        ),
    ] = None
    post: Annotated[
        list[str] | None, typer.Option(help="Obstacle: position=x:y:z,radius=0.05,height=0.5.")
    ] = None
    hulls: Annotated[
        bool, typer.Option("--hulls", help="Collide with convex hulls of collision meshes.")
    ] = False
    noise: Annotated[str, typer.Option(help="none, typical or real.")] = "typical"
    delay: Annotated[int, typer.Option(help="Delay of measurements [control periods].")] = 0
    command_delay: Annotated[
        int, typer.Option(help="Delay of torque commands [control periods].")
    ] = 0
    rate: Annotated[float, typer.Option(help="Rate of the controller [Hz].")] = 500.0
    physics: Annotated[
        float | None,
        typer.Option(help="Longest physics step [s]; 1 ms with rk4, 0.25 ms with the others."),
    ] = None
    integrator: Annotated[
        str | None,
        typer.Option(help="rk4, implicitfast, implicit or euler; rk4 unless the model is stiff."),
    ] = None
    error_estimate: Annotated[
        bool, typer.Option(help="Run again with half the step to estimate the integration error.")
    ] = True
    seed: Annotated[
        int, typer.Option(help="Seed of the sensor noise; the same seed gives the same run.")
    ] = 0

    def options(self, plant: Arm, model: Arm, how: PlantArguments) -> SimulateOptions:
        """Return the options of ``armtwin.simulate``.

        Args:
            plant: the simulated arm.
            model: the arm as the controller knows it.
            how: what the simulated arm was made of.
        """
        from armtwin.control.controller import named_controller
        from armtwin.simulation.options import Clock, SimulateOptions
        from armtwin.simulation.typical_drives import named_sensors

        sensors = named_sensors(plant, self.noise)
        return SimulateOptions(
            controller=named_controller(self.controller, model, self.kp, self.kv),
            pushes=tuple(read_push(text) for text in self.push or ()),
            posts=tuple(read_post(text) for text in self.post or ()),
            sensors=replace(sensors, delay=self.delay, command_delay=self.command_delay),
            clock=Clock(self.rate, self.physics),
            integrator=self.integrator,
            flexibility=make_flexibility(how.stiffness, how.joint_damping, how.encoder),
            seed=self.seed,
            hulls=self.hulls,
            notes=how.notes(),
        )


@dataclass(frozen=True)
class OutputArguments:
    """Files to write."""

    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the recording (.parquet, .csv).")
    ] = None
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML report.")] = (
        None
    )
    pdf: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a PDF report.")] = None
    video: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a video (.mp4, .gif).")
    ] = None
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture (.png, .jpg).")
    ] = None
    force: Force = False

    @property
    def reports(self) -> list[Path]:
        """The reports to write."""
        return [file for file in (self.report, self.pdf) if file]

    @property
    def files(self) -> list[Path]:
        """All files to write."""
        drawn = [file for file in (self.video, self.picture) if file]
        return [*([self.out] if self.out else []), *self.reports, *drawn]
