"""Programs and jobs keep to the API's own description, whatever is asked of them."""

import asyncio
import os

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import allow_header_conformance

import armtwin as at
from armtwin.app.control.session import Session
from armtwin.app.jobs.queue import Jobs
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm

EXAMPLES = int(os.environ.get("ARMTWIN_SCHEMA_EXAMPLES", "12"))
OWN = {"Host": "127.0.0.1"}
NOT_SAID = [
    schemathesis.checks.positive_data_acceptance,
    allow_header_conformance,
]
"""Which arms, files, jobs and positions there are is not in the description; and Starlette's Allow
header names one method where an address has two."""
MINE = r"^/api/(teach|programs|uploads|jobs)"


SESSION = Session(SimulatedArm(at.load("ur5e")))
APP = create(SESSION, AppSettings(), pages=False)
SCHEMA = schemathesis.openapi.from_asgi("/api/openapi.json", APP, headers=OWN)


@pytest.fixture(scope="module", autouse=True)
def own_folder(tmp_path_factory):
    """Programs go to a folder of their own; jobs wait for ever, as their work is not meant here."""
    with pytest.MonkeyPatch.context() as patch:
        folder = SESSION.parts["teaching"].folder
        patch.setattr(folder, "folder", tmp_path_factory.mktemp("programs"))
        patch.setattr(Jobs, "_next", lambda self: None)
        yield
    SESSION.parts["jobs"].uploads.close()
    asyncio.run(SESSION.parts["jobs"].jobs.close())


@SCHEMA.include(path_regex=MINE).parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_api_keeps_to_its_description(case):
    """Every answer has a status and shape that the description allows when anything is asked."""
    case.call_and_validate(headers=OWN, excluded_checks=NOT_SAID, timeout=180)
