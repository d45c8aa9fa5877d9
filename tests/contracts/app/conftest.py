"""Control of the arm for tests of the API."""

import pytest

from armtwin.app.control import lease


@pytest.fixture(autouse=True)
def control_lasts(monkeypatch):
    """Let no lease expire between two requests of a test that a busy machine held up.

    Leases expire in tests/laws, by a clock of the tests, and in tests/e2e.
    """
    monkeypatch.setattr(lease, "EXPIRY", 600.0)
    monkeypatch.setattr(lease, "REQUEST_EXPIRY", 600.0)
