"""What the API says about watching holds, whatever it is asked; robots do not start here."""

import os
import threading

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import allow_header_conformance
from virtual_robots import wait_until

import armtwin as at
from armtwin.app.api import live
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create, listen
from armtwin.errors import InputError
from armtwin.robots.replay import ReplayedRobot
from armtwin.robots.simulated_arm import SimulatedArm

EXAMPLES = int(os.environ.get("ARMTWIN_SCHEMA_EXAMPLES", "12"))
NOT_SAID = [schemathesis.checks.positive_data_acceptance, allow_header_conformance]
"""Which arm is shown, and what it can do, is not in the description; and Starlette's Allow names
one method of an address only."""


def shown(kind):
    """Return an arm of a kind."""
    arm = at.load("ur5e")
    if kind == "simulated":
        return SimulatedArm(arm)
    time = [0.0, 0.5, 1.0]
    return ReplayedRobot(arm, at.Recording.of(time, {"q": [[0.1] * 6, [0.2] * 6, [0.3] * 6]}))


SCHEMA = schemathesis.openapi.from_dict(
    create(Session(shown("simulated")), AppSettings(), pages=False).openapi()
)


@pytest.fixture(scope="module", params=["simulated", "recording"])
def address(request):
    """Where an app runs in which no robot can be started."""

    async def refuse(_):
        raise InputError("no robot in this test")

    place = listen(AppSettings(port=0))
    app = create(Session(shown(request.param)), AppSettings(), pages=False)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="websockets-sansio"))
    running = threading.Thread(target=lambda: server.run([place]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "start_virtual_robot", refuse)
        running.start()
        wait_until(lambda: server.started, what="the server")
        yield f"http://127.0.0.1:{place.getsockname()[1]}"
        server.should_exit = True
        running.join()
    place.close()


@SCHEMA.include(path_regex="^/api/live").parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_watching_keeps_to_its_description(case, address):
    """Every answer has a status and shape that the description allows when anything is asked."""
    case.call_and_validate(base_url=address, excluded_checks=NOT_SAID, timeout=180)
