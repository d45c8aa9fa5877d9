"""Build of wheel and sdist: makes the front end and the catalogue's programs first.

A source distribution holds both, so that a wheel is built from it without Node and
without deriving anything.
"""

import importlib
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).parent
PACKAGE = ROOT / "src" / "armtwin"


def make_generated_files() -> None:
    """Make what the package holds and the repository does not; in an sdist it is there already."""
    made = {
        "build_web": PACKAGE / "viewer" / "dist" / ".built",
        "build_programs": PACKAGE / "compile" / "programs.zip",
    }
    scripts = ROOT / "requirements"
    sys.path.insert(0, str(scripts))
    for name, result in made.items():
        if (scripts / f"{name}.py").is_file():
            importlib.import_module(name).build()
        elif not result.is_file():
            raise SystemExit(
                f"neither requirements/{name}.py nor what it makes, {result}, is there"
            )


class BuildWithGeneratedFiles(build_py):
    """Copies the package after its generated files were made."""

    def run(self) -> None:
        """Make the generated files unless this is an editable install, then the package."""
        if not self.editable_mode:
            make_generated_files()
        super().run()


class SourcesWithGeneratedFiles(sdist):
    """Collects the sources after their generated files were made."""

    def run(self) -> None:
        """Make the generated files, then the archive."""
        make_generated_files()
        super().run()


setup(cmdclass={"build_py": BuildWithGeneratedFiles, "sdist": SourcesWithGeneratedFiles})
