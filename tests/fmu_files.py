"""FMUs for tests, exported once per process."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import armtwin
from armtwin.fmu.export.export import export_fmu

MODELS = (
    "fk", "ik", "inverse-dynamics", "forward-dynamics", "computed-torque", "momentum-observer",
)  # fmt: skip


@functools.cache
def folder():
    """Return a folder that is gone with the process."""
    place = Path(tempfile.mkdtemp(prefix="armtwin-test-fmu-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def fmu(model="fk", fmi=2, arm="ur10e", platform="host"):
    """Return an exported FMU."""
    return _exported(model, fmi, arm, platform)


@functools.cache
def _exported(model, fmi, arm, platform):
    place = folder() / f"{arm}-{model}-{fmi}-{platform}.fmu"
    return export_fmu(armtwin.load(arm), place, model=model, fmi=fmi, platform=platform).path
