"""``armtwin simulate``: an arm under control in MuJoCo, with pushes and sensors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.argument_groups import grouped
from armtwin.cli.options import ArmName, Com, Force, Json, carrying, refuse_existing
from armtwin.cli.results import show_result, show_step, write_reports
from armtwin.cli.verbs.simulate.scenario import (
    CONTROLLERS,
    make_controller,
    make_sensors,
    read_path,
    read_post,
    read_push,
    read_vector,
)
from armtwin.errors import InputError, UnstableError

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.motion.motion import Path as MotionPath
    from armtwin.simulation.options import SimulateOptions
    from armtwin.simulation.result import SimulationResult

EXAMPLES = """
armtwin simulate ur10e --path circle --radius 0.2 --period 4 --seconds 12 --out run.parquet
armtwin simulate ur10e --model cylinders --push joint=2,torque=20,start=6,duration=0.5 --report run.html
armtwin simulate ur10e --built 3 --out run.parquet
armtwin simulate ur10e --drives real --model datasheet --noise real --out real_like.parquet
armtwin simulate ur10e --post position=0.45:-0.2:0.4,radius=0.05,height=0.8 --video bump.mp4
armtwin simulate ur5e --path line --start 0.4,-0.2,0.3 --end 0.4,0.3,0.4 --seconds 3
armtwin simulate ur5e --path waypoints --points "0,-1.5,1.5,-1.5,-1.5,0;1,-1,1,-1.5,-1.5,0" --vmax 1
"""  # noqa: E501

VECTORS = ("centre", "normal", "tool", "start", "end")


@dataclass(frozen=True)
class PathArguments:
    """The path to follow."""

    path: Annotated[str, typer.Option(help="circle, line, waypoints or quintic.")] = "circle"
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

    controller: Annotated[str, typer.Option(help=" or ".join(CONTROLLERS) + ".")] = CONTROLLERS[0]
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
    physics: Annotated[float, typer.Option(help="Longest physics step [s].")] = 2.5e-4
    seed: Annotated[
        int, typer.Option(help="Seed of the sensor noise; the same seed gives the same run.")
    ] = 0

    def options(self, plant: Arm, model: Arm, notes: tuple[str, ...]) -> SimulateOptions:
        """Return the options of ``armtwin.simulate``.

        Args:
            plant: the simulated arm.
            model: the arm as the controller knows it.
            notes: processing notes for the recording.
        """
        from armtwin.simulation.options import Clock, SimulateOptions

        return SimulateOptions(
            controller=make_controller(self.controller, model, self.kp, self.kv),
            pushes=tuple(read_push(text) for text in self.push or ()),
            posts=tuple(read_post(text) for text in self.post or ()),
            sensors=make_sensors(plant, self.noise, self.delay, self.command_delay),
            clock=Clock(self.rate, self.physics),
            seed=self.seed,
            hulls=self.hulls,
            notes=notes,
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


@grouped
def command(
    arm: ArmName,
    path: PathArguments,
    plant: PlantArguments,
    loop: LoopArguments,
    output: OutputArguments,
    json: Json = False,
) -> None:
    """Simulate an arm under control along a path in MuJoCo, and record what its sensors measure.

    The recording has origin "simulated" and the true external torques tau_ext1... With --report
    contacts are detected as well, by a detector calibrated on a clean run of the same motion.
    """
    from armtwin.control.controller_models import model_of
    from armtwin.model.catalogue.catalogue import as_arm
    from armtwin.simulation.result import run_simulation

    refuse_existing(output.files, force=output.force)
    known = as_arm(arm)
    known.require_masses()
    bare = plant.bare(known)
    model = model_of(bare, loop.model)
    simulated = carrying(bare, plant.payload, plant.com)
    motion = path.read().motion(simulated, loop.rate)
    options = loop.options(simulated, model, plant.notes())
    try:
        found = run_simulation(simulated, motion, arm=known, options=options, on_progress=show_step)
    except UnstableError as error:
        raise _kept(error, output) from error
    if output.out is not None:
        found.recording.save(output.out, force=output.force)
    if output.reports:
        found = found.detected(model, show_step)
    write_reports(found, output.reports, force=output.force)
    _draw(simulated, found, options, output)
    show_result(found, output.files, json=json)


def _kept(error: UnstableError, output: OutputArguments) -> UnstableError:
    """Return the error, with the recording so far saved where one was asked for."""
    if output.out is None or error.recording is None:
        return error
    error.recording.save(output.out, force=output.force)
    return UnstableError(f"{error}; the recording so far is in {output.out}", error.recording)


def _draw(
    arm: Arm, found: SimulationResult, options: SimulateOptions, output: OutputArguments
) -> None:
    from armtwin.simulation.rendering.picture import film, still

    run, posts, force = found.recording, options.posts, output.force
    if output.picture is not None:
        q, path = run.q[len(run) // 2], run.group("target_position")
        still(arm, q, output.picture, path=path, posts=posts, force=force)
    if output.video is not None:
        film(arm, run, output.video, posts=posts, force=force, on_progress=show_step)
