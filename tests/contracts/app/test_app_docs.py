"""docs/api.md says what the API is, and its examples work."""

import json
import re
import shlex
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import armtwin as at
from armtwin.app.api.stream import StreamRequest
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm

PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (GET|POST|PUT|DELETE) \| `(/api/[^`]*)` \|", re.MULTILINE)
EXAMPLES = re.findall(r"^    (curl .*)$", PAGE, re.MULTILINE)
MESSAGES = re.findall(r'`(\{"type": "\w+".*?\})`', PAGE)


@pytest.fixture(scope="module")
def web():
    """A client of an app with a simulated UR5e."""
    app = create(Session(SimulatedArm(at.load("ur5e"))), AppSettings(), pages=False)
    with TestClient(app, base_url="http://127.0.0.1:8080") as found:
        yield found


def test_every_address_is_documented(web):
    """The page lists every address of the description and no other when both are read."""
    paths = web.get("/api/openapi.json").json()["paths"]
    described = {(verb.upper(), path) for path, verbs in paths.items() for verb in verbs}
    assert set(ROW.findall(PAGE)) == described


def test_examples_succeed(web):
    """Every curl example succeeds when it is typed in the page's order."""
    assert len(EXAMPLES) >= 8
    for example in EXAMPLES:
        words = shlex.split(example)
        address = next(word for word in words if word.startswith("http"))
        path = address.removeprefix("http://127.0.0.1:8080")
        if "-d" in words:
            answer = web.post(path, json=json.loads(words[words.index("-d") + 1]))
        else:
            answer = web.request("POST" if "-X" in words else "GET", path)
        assert answer.status_code == 200, (example, answer.text)


def test_stream_messages_are_understood():
    """Every message of the page is one that the stream takes when it is sent."""
    kinds = set()
    for text in MESSAGES:
        kinds.add(StreamRequest.validate_json(text.replace("[...]", "[0, 0, 0, 0, 0, 0]")).type)
    assert kinds == {
        "heartbeat",
        "take",
        "request",
        "release",
        "follow",
        "move",
        "jog",
        "end_motion",
        "stop",
        "preview",
    }


def test_state_has_what_is_promised(web):
    """A state holds every name that the page promises when it is read."""
    row = next(line for line in PAGE.splitlines() if line.startswith("| `state`"))
    state = web.get("/api/state").json()
    for name in re.findall(r"`(\w+)`", row.split("|")[2]):
        parts = (state, state["pose"], state["lease"])
        assert name == "target_links" or any(name in part for part in parts), name
