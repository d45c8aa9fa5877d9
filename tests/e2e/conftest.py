"""Fixtures of the tests that use a browser."""

import pytest
from browsers import chromium


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of a file."""
    with chromium() as opened:
        yield opened
