"""The container file and the workflow refer to what exists, and to every supported Python."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer
import yaml

import armtwin
from armtwin.cli.main import application

ROOT = Path(__file__).parents[2]


def instructions():
    """Return the instructions of the container file, continued lines joined."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    joined = lines.replace("\\\n", " ")
    return [line.split(maxsplit=1) for line in joined.splitlines() if line.strip()]


def stages():
    """Return the instructions of each stage of the container file, by name."""
    found = {}
    for word, rest in instructions():
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            found[name] = list(found.get(image, []))
        found[name].append((word, rest))
    return found


@pytest.mark.parametrize("name", ["app", "robot"])
def test_image_runs_without_root_and_checks_its_health(name):
    """An image has a user, a health check and a verb of armtwin when its stage is read."""
    found = dict(stages()[name])
    assert found["USER"] == "10001"
    assert '"python", "-c"' in found["HEALTHCHECK"]
    assert found["ENTRYPOINT"] == '["armtwin"]'
    assert found["CMD"].startswith(f'["{name}", ')


@pytest.mark.parametrize("name", ["app", "robot"])
def test_image_starts_a_command_that_exists(name):
    """Verb and options are accepted by the command line when an image starts them."""
    words = json.loads(dict(stages()[name])["CMD"])
    command = typer.main.get_command(application(words))
    context = command.make_context("armtwin", list(words))
    verb, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
    found.make_context(verb, rest, parent=context)


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").iterdir()), ids=lambda path: path.stem
)
def test_issue_template_is_a_form(path):
    """A template has a title, and fields with a name of their own, when it is read."""
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"] and form["description"]
    names = [field["id"] for field in form["body"]]
    assert names and len(names) == len(set(names))
    assert all(field["attributes"]["label"] for field in form["body"])


def test_citation_names_this_version():
    """The citation has the package's version, and the changelog's date, when both are read."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    head = f"## {armtwin.__version__} ({cited['date-released']})"
    assert cited["version"] == armtwin.__version__
    assert head in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_copied_files_exist():
    """Every file that the container file copies from the repository is there."""
    copied = [shlex.split(rest) for word, rest in instructions() if word == "COPY"]
    own = [words[:-1] for words in copied if not words[0].startswith("--from")]
    assert own
    assert [path for words in own for path in words if not (ROOT / path).exists()] == []


def test_workflow_runs_every_supported_python():
    """The workflow's versions are the package's and its scripts exist when both are read."""
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    minors = [line.split(":: ")[-1] for line in project["classifiers"] if ":: 3." in line]
    assert jobs["test"]["strategy"]["matrix"]["python"] == minors
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert "./test" in commands
    scripts = [path for line in commands for path in re.findall(r"\S+\.(?:py|txt)", line)]
    assert scripts
    assert [path for path in scripts if not (ROOT / path.rstrip(")")).exists()] == []
    (extras,) = re.findall(r'pip install "\.\[([\w,]+)\]"', "\n".join(commands))
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
