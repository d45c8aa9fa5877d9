"""The API keeps to its own OpenAPI description, whatever it is asked."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

import armtwin as at
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm

EXAMPLES = int(os.environ.get("ARMTWIN_SCHEMA_EXAMPLES", "12"))
OWN = {"Host": "127.0.0.1"}
NOT_SAID = [schemathesis.checks.positive_data_acceptance]
"""How many joints an arm has and how far they turn is not in the description."""
MINE = r"^/api/(arms|fk|ik|lease|move|follow|stop|state)"

APP = create(Session(SimulatedArm(at.load("ur5e"))), AppSettings(), pages=False)
SCHEMA = schemathesis.openapi.from_asgi("/api/openapi.json", APP, headers=OWN)


@pytest.mark.filterwarnings("ignore::armtwin.errors.UnitWarning")
@SCHEMA.include(path_regex=MINE).parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_api_keeps_to_its_description(case):
    """Every answer has a status and shape that the description allows when anything is asked."""
    case.call_and_validate(headers=OWN, excluded_checks=NOT_SAID, timeout=180)
