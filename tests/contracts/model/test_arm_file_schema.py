"""The JSON schema, the documented fields and the faults of arm files are those of the reader."""

import importlib.util
import json
import tomllib
from pathlib import Path

import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import ArmFileError
from armtwin.model.catalogue.catalogue import ARMS
from armtwin.model.drive import PARAMETERS, PRESLIDING
from armtwin.model.formats.arm_file.field_texts import FRICTION, TEXTS
from armtwin.model.formats.arm_file.json_schema import SHIPPED, arm_file_schema, schema_text
from armtwin.model.formats.toml import write_toml

DOCS = Path(__file__).parents[3] / "docs"
HEAD = """name = "bad"
convention = "standard-dh"

[[joints]]
name = "one"

[[joints]]
name = "two"
"""


@pytest.fixture(scope="module")
def validator():
    """A validator of arm files by their schema."""
    import jsonschema  # takes seconds to import, and every test process reads this file

    return jsonschema.Draft202012Validator(arm_file_schema())


def page_maker():
    """Return docs/make_arm_files.py as a module; docs is no package."""
    spec = importlib.util.spec_from_file_location("make_arm_files", DOCS / "make_arm_files.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_shipped_schema_is_fresh():
    """The shipped file is what the models give when they are read."""
    assert SHIPPED.read_text(encoding="utf-8") == schema_text()


def test_documented_fields_are_fresh():
    """The page has the models' fields when its tables are made again."""
    page = (DOCS / "arm_files.md").read_text(encoding="utf-8")
    assert page_maker().with_tables(page) == page


def test_every_field_is_explained():
    """Every field of every table has a text when the schema is made, and no text is stale."""
    schema = arm_file_schema()
    tables = {"ArmTable": schema, **schema["$defs"]}
    bare = [
        f"{table}.{name}"
        for table, body in tables.items()
        for name, field in body["properties"].items()
        if not field.get("description")
    ]
    assert bare == []
    assert set(FRICTION) == {
        "smoothing",
        *PRESLIDING,
        *(name for names in PARAMETERS.values() for name in names),
    }
    assert [n for n in TEXTS["JointTable"] if n in ("a", "alpha", "d", "theta")] == [
        "a", "alpha", "d", "theta",
    ]  # fmt: skip


@pytest.mark.parametrize("path", sorted(ARMS.glob("*.toml")), ids=lambda path: path.stem)
def test_catalogue_fits_the_schema(path, validator):
    """Every catalogue file, and what armtwin writes of it, is valid when an editor checks it."""
    validator.validate(tomllib.loads(path.read_text(encoding="utf-8")))
    validator.validate(tomllib.loads(write_toml(at.load(path.stem))))


@pytest.mark.parametrize(
    "line",
    [
        "mas = 2.0",
        'alpha = "90 degrees"',
        'alpha = "x"',
        'kind = "ball"',
        "direction = 2",
        "a = true",
    ],
)
def test_schema_refuses_what_the_reader_refuses(line, tmp_path, validator):
    """Neither the schema nor the reader takes a line when it is wrong."""
    text = HEAD + line + "\n"
    assert not validator.is_valid(tomllib.loads(text))
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ArmFileError):
        at.load(file)


def test_schema_command(tmp_path, monkeypatch):
    """The schema is written whole, and a changed one is kept, when the command runs."""
    monkeypatch.chdir(tmp_path)
    assert run(["schema"]) == 0
    written = tmp_path / "arm_file.schema.json"
    assert json.loads(written.read_text(encoding="utf-8")) == arm_file_schema()
    written.write_text("mine", encoding="utf-8")
    assert run(["schema"]) == 2
    assert written.read_text(encoding="utf-8") == "mine"
    assert run(["schema", "--force"]) == 0


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("mas = 1", "line 9: joints.2.mas: unknown field; did you mean"),
        (
            "[joints.link]\nmas = 1",
            "line 10: joints.2.link.mas: unknown field; did you mean 'mass'?",
        ),
        ("[joints.limits]\nvelocity = 1", "line 10: joints.2.limits.velocity: unknown field"),
        ("[joints.limits]\nspeeed = 1", "did you mean 'speed'? valid: lower, upper, speed"),
        (
            "[joints.link.inertia]\nxx = 1\nyy = 1",
            "line 9: joints.2.link.inertia.zz: this field is mi",
        ),
        ('kind = "revolut"', "line 9: joints.2.kind: got 'revolut'; did you mean 'revolute'?"),
        ('alpha = "90 degrees"', "line 9: joints.2.alpha: '90 degrees' is not an angle"),
        ("a = true", "line 7: joints.2: a is true; expected a number"),
        ("a = nan", "line 9: joints.2.a: Input should be a finite number, got nan"),
        ("a = []", "line 9: joints.2.a: Input should be a valid number, got []"),
        (
            "[joints.limits]\nlower = 1\nupper = 0",
            "line 7: joint 2 (two): limits.lower 1 lies above",
        ),
        (
            '[joints.drive.friction]\nmodel = "x"',
            "line 7: joint 2 (two): unknown friction model 'x'",
        ),
        ("[[joints]]\na = 0", "line 9: joints.3.name: this field is missing"),
    ],
)
def test_faults_name_line_field_and_nearest_name(lines, words, tmp_path):
    """The error names line, field and the nearest valid name when a file is wrong."""
    file = tmp_path / "bad.toml"
    file.write_text(HEAD + lines + "\n", encoding="utf-8")
    with pytest.raises(ArmFileError) as raised:
        at.load(file)
    assert words in str(raised.value)
    assert str(raised.value).startswith(str(file))
