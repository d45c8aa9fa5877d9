"""Build of the wheel: builds the front end first, where its sources are there."""

import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SCRIPT = ROOT / "requirements" / "build_web.py"


class BuildWithFrontEnd(build_py):
    """Copies the package after the front end was built into it."""

    def run(self) -> None:
        """Build the front end unless this is an editable install, then the package."""
        if not self.editable_mode:
            if (ROOT / "web" / "package.json").is_file():
                runpy.run_path(str(SCRIPT))["build"]()
            elif not (ROOT / "src" / "armtwin" / "viewer" / "dist" / ".built").is_file():
                raise SystemExit("no front end: neither web/ nor src/armtwin/viewer/dist is there")
        super().run()


setup(cmdclass={"build_py": BuildWithFrontEnd})
