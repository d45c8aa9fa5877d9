"""Makes the film of the README: ``python docs/make_demo_film.py [FILE]``.

A simulated UR10e with friction, rotors and sensor noise of a real one draws a circle and is pushed.
Left: the arm; right: the external torques that ``armtwin.detect`` estimates from joint positions
and motor torques after it has learned from an undisturbed run, and the contact.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import armtwin as at
from armtwin.simulation.rendering.drawing import drawn
from armtwin.simulation.typical_drives import named_sensors, with_real_drives

FPS, SECONDS, COLOURS = 12, 6.0, 128
PUSH = at.Push(joint=2, torque=25, start=3.0, duration=0.6)
PICTURE = Path(__file__).parent / "pictures" / "demo.gif"


def main(file: Path) -> None:
    """Simulate, detect, draw and write the film."""
    arm = at.load("ur10e")
    path = at.Circle(radius=0.2, period=4, seconds=SECONDS)
    plant = with_real_drives(arm)
    sensors = named_sensors(plant, "real")
    clean = at.simulate(plant, path, sensors=sensors, seed=1)
    run = at.simulate(plant, path, sensors=sensors, pushes=[PUSH])
    found = at.detect(arm, run, clean=clean)
    times = np.arange(0, run.time[-1], 1 / FPS)
    rows = np.minimum(np.searchsorted(run.time, times), len(run) - 1)
    tool = at.fk(arm, run.q)[:, :3, 3]
    arms = drawn(arm, run.q[rows], tool)
    frames = [beside(frame, chart(found, time)) for frame, time in zip(arms, times, strict=True)]
    palette = Image.fromarray(frames[-1]).quantize(COLOURS)
    pictures = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    data = io.BytesIO()
    pictures[0].save(
        data, "GIF", save_all=True, append_images=pictures[1:], duration=1000 // FPS, loop=0
    )
    file.write_bytes(data.getvalue())
    sys.stdout.write(f"{file}: {len(frames)} frames, {len(data.getvalue()) / 1e6:.2f} MB\n")


def chart(found: at.Detection, time: float) -> Image.Image:
    """Return the estimated torques up to a time [s], with the contact once it is detected."""
    figure = Figure(figsize=(4.8, 4.0), dpi=100)
    axes = figure.add_subplot()
    past = found.time <= time
    for joint, torque in enumerate(found.residual[past].T, 1):
        axes.plot(found.time[past], torque, lw=1.6, label=f"joint {joint}")
    for alarm in found.alarms:
        if alarm.time <= time:
            axes.axvspan(alarm.time, time if alarm.end > time else alarm.end, color="#e4572e33")
            text = f"contact at joint {alarm.joint}\ndetected at {alarm.time:.3f} s"
            axes.text(alarm.time - 0.1, 20, text, ha="right", color="#b3321a")
    axes.set(xlim=(0, SECONDS), ylim=(-12, 30), xlabel="time [s]")
    axes.set_title("external torque estimated by armtwin [Nm]", fontsize=11)
    axes.legend(loc="lower left", ncols=3, fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    data = io.BytesIO()
    figure.savefig(data, format="png")
    return Image.open(data).convert("RGB")


def beside(frame: np.ndarray, right: Image.Image) -> np.ndarray:
    """Return the arm's frame and a chart side by side."""
    left = Image.fromarray(frame)
    left = left.resize((round(left.width * right.height / left.height), right.height))
    both = Image.new("RGB", (left.width + right.width, right.height), "white")
    both.paste(left, (0, 0))
    both.paste(right, (left.width, 0))
    return np.asarray(both)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
