"""Where real recordings lie: beside the project, or in the folder that ARMTWIN_DATA names."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


class RecordingAbsent(pytest.skip.Exception):
    """A test is skipped because a real recording is not there, which CI=true allows.

    The recordings are not part of the project: whoever has only the project gets a green run that
    says which tests were left out.
    """


def shared_folder():
    """Return the folder of shared data, or None where there is none."""
    chosen = os.environ.get("ARMTWIN_DATA")
    folder = Path(chosen) if chosen else ROOT.parent / "shared"
    return folder if folder.is_dir() else None


def recordings_folder():
    """Return the folder of real recordings; skip the test where there is none."""
    shared = shared_folder()
    if shared is None:
        raise RecordingAbsent(
            "no real recordings: neither ../shared nor the folder ARMTWIN_DATA exists"
        )
    inner = shared / "recordings"
    return inner if inner.is_dir() else shared


def recording_file(name):
    """Return the path of one real recording; skip the test where it is absent."""
    path = recordings_folder() / name
    if not path.exists():
        raise RecordingAbsent(f"no real recording {name} in {path.parent}")
    return path
