"""TOML files of thousands of arrays or tables within each other are refused."""

import pytest

from armtwin.errors import ArmFileError, InputError, RecordingError
from armtwin.files import DEEPEST, parse_toml
from armtwin.model.formats.toml import read_toml
from armtwin.recording.columns.dialects import content_of
from armtwin.robots.servo.servo_settings import read_settings
from armtwin.studies.planning.study_file import read_study

MANY = 5000
DEEP = {
    "open arrays": "a=" + "[" * MANY,
    "arrays": "a=" + "[" * MANY + "]" * MANY,
    "inline tables": "a=" + "{b=" * MANY,
    "dotted keys": "name" + ".b" * MANY + "=1",
    "headers": "[name" + ".b" * MANY + "]",
}
READERS = {
    read_toml: ArmFileError,
    content_of: RecordingError,
    read_settings: InputError,
    read_study: InputError,
}


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("reader", READERS)
def test_deep_files_are_refused(tmp_path, reader, kind):
    """A short error names the file and the nesting when values are nested thousands deep."""
    path = tmp_path / "deep.toml"
    path.write_text(DEEP[kind], encoding="utf-8")
    with pytest.raises(READERS[reader], match=r"deep\.toml.*nested more than") as caught:
        reader(path)
    assert len(str(caught.value)) < 300
    assert caught.value.__cause__.__suppress_context__ or not caught.value.__cause__.__context__


def test_usual_depth_is_read():
    """The content comes back when values are nested less deeply than the bound."""
    deep = DEEPEST - 2
    value = parse_toml("a=" + "[" * deep + "]" * deep)["a"]
    for _ in range(deep - 1):
        (value,) = value
    assert value == []
