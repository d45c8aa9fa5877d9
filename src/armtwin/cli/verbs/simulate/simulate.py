"""``armtwin simulate``: an arm under control in MuJoCo, with pushes and sensors."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import ArmName, Com, Force, Json, carrying
from armtwin.cli.output import say_json
from armtwin.cli.verbs.simulate.scenario import CONTROLLERS
from armtwin.cli.verbs.simulate.simulate_result import print_all, result_of
from armtwin.errors import InputError, UnstableError

if TYPE_CHECKING:
    from armtwin.detection.detect import Detection
    from armtwin.model.arm import Arm
    from armtwin.recording.recording import Recording
    from armtwin.simulation.simulate import Simulation

EXAMPLES = """
armtwin simulate ur10e --path circle --radius 0.2 --period 4 --seconds 12 --out run.parquet
armtwin simulate ur10e --model cylinders --push joint=2,torque=20,start=6,duration=0.5 --report run.html
armtwin simulate ur10e --built 3 --out run.parquet
armtwin simulate ur10e --drives real --model datasheet --noise real --out real_like.parquet
armtwin simulate ur10e --post position=0.45:-0.2:0.4,radius=0.05,height=0.8 --video bump.mp4
armtwin simulate ur5e --path line --start 0.4,-0.2,0.3 --end 0.4,0.3,0.4 --seconds 3
armtwin simulate ur5e --path waypoints --points "0,-1.5,1.5,-1.5,-1.5,0;1,-1,1,-1.5,-1.5,0" --vmax 1
"""  # noqa: E501

CLEAN_SEED = 1000


def command(
    arm: ArmName,
    path: Annotated[str, typer.Option(help="circle, line, waypoints or quintic.")] = "circle",
    radius: Annotated[float | None, typer.Option(help="Of the circle [m].")] = None,
    period: Annotated[float | None, typer.Option(help="Of a lap [s].")] = None,
    seconds: Annotated[float | None, typer.Option(help="How long it lasts [s].")] = None,
    centre: Annotated[str | None, typer.Option(help="Of the circle, x,y,z [m].")] = None,
    normal: Annotated[str | None, typer.Option(help="Across the circle, x,y,z.")] = None,
    tool: Annotated[str | None, typer.Option(help="Where the tool points, x,y,z.")] = None,
    turn: Annotated[float | None, typer.Option(help="Of the tool about itself [rad].")] = None,
    ramp: Annotated[float | None, typer.Option(help="To full speed on the circle [s].")] = None,
    start: Annotated[str | None, typer.Option(help="Of the line, x,y,z [m].")] = None,
    end: Annotated[str | None, typer.Option(help="Of the line, x,y,z [m].")] = None,
    points: Annotated[str | None, typer.Option(help='Joint vectors "q1,q2,..;q1,q2,..".')] = None,
    vmax: Annotated[float | None, typer.Option(help="Of waypoints [rad/s].")] = None,
    amax: Annotated[float | None, typer.Option(help="Of waypoints [rad/s2].")] = None,
    controller: Annotated[str, typer.Option(help=" or ".join(CONTROLLERS) + ".")] = CONTROLLERS[0],
    model: Annotated[
        str, typer.Option(help="What the controller takes the arm to be: exact, datasheet, "
                          "cylinders, or a catalogue name or file.")
    ] = "exact",
    kp: Annotated[float | None, typer.Option(help="Stiffness [1/s2], gravity-pd [Nm/rad].")] = None,
    kv: Annotated[float | None, typer.Option(help="Damping [1/s], gravity-pd [Nms/rad].")] = None,
    push: Annotated[
        list[str] | None, typer.Option(help="joint=2,torque=20,start=6,duration=0.5, or "
                                       "link=3,force=0:0:-30,point=0:0:0,start=6,duration=0.5.")
    ] = None,
    post: Annotated[
        list[str] | None, typer.Option(help="In the way: position=x:y:z,radius=0.05,height=0.5.")
    ] = None,
    payload: Annotated[
        float, typer.Option(help="Mass on the flange that the controller does not know [kg].")
    ] = 0.0,
    com: Com = None,
    drives: Annotated[
        str, typer.Option(help="own: the arm file's; real: rotors and friction of a real UR10e.")
    ] = "own",
    built: Annotated[
        int | None, typer.Option(metavar="SEED", help="Plant random errors of lengths (0.3 mm) and "
                                 "zero positions (0.5 mrad) in the simulated arm.")
    ] = None,
    noise: Annotated[str, typer.Option(help="none, typical or real.")] = "typical",
    delay: Annotated[int, typer.Option(help="Of measurements [control periods].")] = 0,
    command_delay: Annotated[int, typer.Option(help="Of torques [control periods].")] = 0,
    rate: Annotated[float, typer.Option(help="Of control [Hz].")] = 500.0,
    physics: Annotated[float, typer.Option(help="Longest physics step [s].")] = 2.5e-4,
    seed: Annotated[int, typer.Option(help="Of the noise; same seed, same run.")] = 0,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help=".parquet or .csv.")] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help=".html report.")] = None,
    pdf: Annotated[Path | None, typer.Option(metavar="FILE", help=".pdf report.")] = None,
    video: Annotated[Path | None, typer.Option(metavar="FILE", help=".mp4 or .gif.")] = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help=".png or .jpg.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:  # fmt: skip
    """Lead an arm along a path in MuJoCo, push it, and record what its sensors say.

    The recording has origin "simulated" and the true external torques tau_ext1... With --report
    the contacts are felt, too, by a detector that learned from a clean run of the same motion.
    """
    from armtwin.cli.options import refuse_existing
    from armtwin.cli.verbs.simulate.scenario import (
        make_controller,
        make_sensors,
        read_path,
        read_post,
        read_push,
        read_vector,
    )
    from armtwin.control.controller_models import model_of
    from armtwin.model.catalogue.catalogue import load
    from armtwin.simulation.as_built import as_built, planted_note
    from armtwin.simulation.simulate import Clock, Simulation
    from armtwin.simulation.typical_drives import with_real_drives

    files = [file for file in (out, report, pdf, video, picture) if file]
    refuse_existing(files, force=force)
    known = load(arm)
    known.require_masses()
    if drives not in ("own", "real"):
        raise InputError(f"--drives is own or real, got {drives!r}")
    plant = with_real_drives(known) if drives == "real" else known
    plant = plant if built is None else as_built(plant, built)
    believed = model_of(plant, model)
    plant = carrying(plant, payload, com)
    vectors = {"centre": centre, "normal": normal, "tool": tool, "start": start, "end": end}
    given: dict[str, Any] = {
        name: None if text is None else read_vector(text, f"--{name}")
        for name, text in vectors.items()
    }
    given |= {
        "radius": radius, "period": period, "seconds": seconds, "turn": turn, "ramp": ramp,
        "points": points, "vmax": vmax, "amax": amax,
    }  # fmt: skip
    motion = read_path(path, given).motion(plant, rate)
    posts = [read_post(text) for text in post or ()]
    settings: dict[str, Any] = {
        "sensors": make_sensors(plant, noise, delay, command_delay), "clock": Clock(rate, physics),
    }  # fmt: skip
    pushes = [read_push(text) for text in push or ()]
    run = Simulation(
        plant, motion, controller=make_controller(controller, believed, kp, kv), pushes=pushes,
        posts=posts, seed=seed, **settings,
    )  # fmt: skip
    notes = () if built is None else (planted_note(built),)
    recording, speed = _recorded(run, out, force, notes)
    found = None
    if report or pdf:
        clean = Simulation(
            plant, motion, controller=make_controller(controller, believed, kp, kv),
            seed=seed + CLEAN_SEED, **settings,
        )  # fmt: skip
        found = _felt(believed, recording, clean)
        _write_reports(known, recording, found, [report, pdf], force)
    _draw(plant, recording, posts, video, picture, force)
    result = result_of(known, recording, speed, found, files)
    say_json(result) if json else print_all(result, recording)


def _recorded(
    run: Simulation, out: Path | None, force: bool, notes: tuple[str, ...]
) -> tuple[Recording, float]:
    """Return the recording, saved, and how much faster than real time it was made."""
    from armtwin.cli.progress import progress

    begin = time.perf_counter()
    try:
        for _ in progress(run.parts(), "simulating"):
            pass
    except UnstableError as error:
        if out is None or error.recording is None:
            raise
        error.recording.save(out, force=force)
        raise UnstableError(
            f"{error}; the recording so far is in {out}", error.recording
        ) from error
    recording = run.recording().with_account(*notes)
    speed = recording.duration / (time.perf_counter() - begin)
    if out is not None:
        recording.save(out, force=force)
    return recording, speed


def _felt(model: Arm, recording: Recording, clean: Simulation) -> Detection:
    from armtwin.cli.progress import progress, show_step
    from armtwin.detection.detect import calibrate, detect

    for _ in progress(clean.parts(), "simulating a clean run to learn from"):
        pass
    show_step("learning and detecting")
    found = detect(model, recording, clean=calibrate(model, clean.recording()))
    show_step("")
    return found


def _write_reports(
    arm: Arm, run: Recording, found: Detection, files: list[Path | None], force: bool
) -> None:
    from armtwin.cli.progress import show_step
    from armtwin.detection.page import write

    for file in files:
        if file is not None:
            show_step(f"writing {file}")
            write(arm, run, found, file, force=force)
    show_step("")


def _draw(
    arm: Arm,
    run: Recording,
    posts: list[Any],
    video: Path | None,
    picture: Path | None,
    force: bool,
) -> None:
    from armtwin.cli.progress import progress
    from armtwin.simulation.rendering.picture import film, still
    from armtwin.simulation.simulate import Part

    if picture is not None:
        path = run.group("target_position")
        still(arm, run.q[len(run) // 2], picture, path=path, posts=posts, force=force)
    if video is not None:
        frames = (Part(done) for done in film(arm, run, video, posts=posts, force=force))
        for _ in progress(frames, "drawing"):
            pass
