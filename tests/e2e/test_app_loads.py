"""The app after many page loads: its memory, and connections that stay open."""

import http.client
import statistics

import pytest
from benchmarks.app_loads import load_pages, tree_memory
from e2e.app_running import running_app

FIRST, LOADS, EVERY = 60, 180, 15
MAX_GROWTH = 6.0
"""Growth of all processes' memory over these loads that is no leak [MB]: 33 kB a load."""


@pytest.fixture(scope="module")
def app():
    """The app with a simulated arm."""
    with running_app("ur3e") as found:
        yield found


def test_memory_does_not_grow_with_page_loads(app):
    """The processes are as large as before when pages are loaded and left again and again."""
    host, sizes = app.address.removeprefix("http://"), []
    load_pages(host, FIRST, lambda _: None, FIRST)
    load_pages(host, LOADS, lambda _: sizes.append(tree_memory(app.process.pid)), EVERY)
    assert statistics.median(sizes[-4:]) - statistics.median(sizes[:4]) < MAX_GROWTH


def test_connection_stays_open_between_files(app):
    """A browser gets several files over one connection, with one date each, from either process."""
    connection = http.client.HTTPConnection(app.address.removeprefix("http://"), timeout=60)
    for path in ("/", "/api/arms", "/api/state", "/no/such/page"):
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert not answer.will_close, path
        assert len(answer.headers.get_all("date")) == 1
    connection.close()
