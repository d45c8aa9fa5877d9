"""What one client may ask of the app: budgets, places, rows, time and memory."""

import asyncio
import contextlib
import json
import socket
import subprocess
import sys

import httpx
import numpy as np
import pytest
from httpx import ASGITransport
from pydantic import ValidationError
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import armtwin as at
from armtwin.app.api import stream
from armtwin.app.api.stream import Connection
from armtwin.app.backend.shown import ShownArm, ShownWriter, show
from armtwin.app.backend.worker import MAX_WAITING, Worker
from armtwin.app.control.hub import MAX_WATCHERS, Watcher
from armtwin.app.control.lease import LeaseClient
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.connections.pool import ConnectionPool
from armtwin.app.server.gate import LONGEST_WAIT, REQUEST_BURST, REQUESTS, Gate
from armtwin.app.server.server import create, listen
from armtwin.app.server.token_bucket import TokenBucket
from armtwin.errors import BusyError, LimitError
from armtwin.motion.programs.program import Position, TaughtProgram
from armtwin.motion.programs.program_export import MAX_ROWS, motion
from armtwin.robots.simulated_arm import SimulatedArm

ADDRESS = "http://127.0.0.1:8080"
STREAM = "ws://127.0.0.1:8080/api/stream"
Q = [0.0, -1.5, 1.5, -1.5, -1.5, 0.0]


def session():
    """Return a session with a simulated UR5e."""
    return Session(SimulatedArm(at.load("ur5e")))


def program(count, dwell):
    """Return a program of near positions with a rest at each."""
    rows = tuple(
        Position(name=f"p{k}", q=(0.001 * k, *Q[1:]), dwell=dwell, speed=1.0) for k in range(count)
    )
    return TaughtProgram(name="long", arm="ur5e", positions=rows)


def test_budget_refills_with_time():
    """Tokens come back at the bucket's rate, up to its burst, when time passes."""
    now = [0.0]
    bucket = TokenBucket(10.0, 5.0, lambda: now[0])
    assert [bucket.take() for _ in range(6)] == [True] * 5 + [False]
    now[0] = 0.2
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    now[0] = 100.0
    assert bucket.take_on_credit(5.0, 1.0) == 0.0
    assert bucket.take_on_credit(5.0, 1.0) == pytest.approx(0.5)
    assert bucket.take_on_credit(50.0, 1.0) is None


def flood(gate, path, count):
    """Return how long each of many requests to a path would wait."""
    scope = {"type": "http", "path": path, "client": ("1.2.3.4", 5), "headers": []}
    return [gate._wait(scope) for _ in range(count)]


def test_stop_never_waits():
    """STOP passes at once, and other requests wait or are refused, when an address floods."""
    gate = Gate(None, lambda client: False)
    many = int(REQUEST_BURST + (LONGEST_WAIT + 1) * REQUESTS)
    waits = flood(gate, "/api/state", many)
    assert waits[0] == 0.0
    assert waits[-1] is None
    assert flood(gate, "/api/stop", 2 * many) == [0.0] * 2 * many
    other = {"type": "http", "path": "/api/state", "client": ("1.2.3.5", 5), "headers": []}
    assert gate._wait(other) == 0.0


def test_holder_opens_a_socket_at_once():
    """The client in control connects without waiting when its address has opened too many."""
    gate = Gate(None, lambda client: client == "the-holder")
    scope = {"type": "websocket", "client": ("1.2.3.4", 5), "query_string": b"client=somebody"}
    waits = [gate._wait(scope) for _ in range(300)]
    assert waits[-1] is None
    assert gate._wait(scope | {"query_string": b"client=the-holder"}) == 0.0


def test_states_are_sent_at_once():
    """The protocol is named, so that asyncio sets TCP_NODELAY, when the app listens."""
    with listen(AppSettings(port=0)) as place:
        assert place.proto == socket.IPPROTO_TCP


def test_a_full_hub_takes_a_newcomer_in():
    """The silent watcher of the busiest address makes room, the holder never, when all is full."""

    async def act():
        own = session()
        own.take(LeaseClient("holder-id", "holder"))
        crowd = [Watcher(None, str, f"id-{k}", "10.0.0.1") for k in range(MAX_WATCHERS - 2)]
        holder = Watcher(None, str, "holder-id", "10.0.0.1")
        other = Watcher(None, str, "other-id", "10.0.0.2")
        for place, watcher in enumerate([holder, other, *crowd]):
            watcher.heard = float(place)
            own.hub.add(watcher)
        newcomer = Watcher(None, str, "new-id", "10.0.0.3")
        own.hub.add(newcomer)
        assert crowd[0].evicted.is_set()
        assert own.hub.watchers == {holder, other, newcomer, *crowd[1:]}

    asyncio.run(act())


def test_everybody_gets_in():
    """The 65th client gets the state, and the one silent for longest is closed, when all wait."""
    with (
        TestClient(create(session(), AppSettings(), pages=False), base_url=ADDRESS) as web,
        contextlib.ExitStack() as stack,
    ):
        sockets = [stack.enter_context(web.websocket_connect(STREAM)) for _ in range(MAX_WATCHERS)]
        with web.websocket_connect(STREAM) as last:
            assert last.receive_json()["type"] == "hello"
            with pytest.raises(WebSocketDisconnect) as closed:
                while True:
                    sockets[0].receive_json()
            assert closed.value.code == 1013
            assert "needed" in closed.value.reason


class Line:
    """A WebSocket that keeps what is sent and how it was closed."""

    def __init__(self):
        self.client, self.query_params, self.scope, self.closed = None, {}, {}, None

    async def close(self, code, reason):
        """Note the end."""
        self.closed = code


def test_flood_is_reported_once_and_stop_still_works():
    """One error is reported, STOP is done, and the end comes when messages exceed the budget."""

    async def act():
        own = session()
        stops = []
        own.on_stop.append(lambda: stops.append(1))
        connection = Connection(own, Line())
        connection._budget = TokenBucket(0.001, 10.0)
        text = json.dumps({"type": "preview", "q": Q})
        kept = [await connection.receive(text) for _ in range(20)]
        assert kept == [True] * 20
        assert await connection.receive('{"type": "stop"}')
        assert await connection.receive('{ "type" : "stop", "x": 1}')
        assert len(stops) == 2
        errors = [note for note in connection.watcher._notes if "messages a second" in note]
        assert len(errors) == 1
        while await connection.receive(text):
            assert connection._excess < stream.MAX_EXCESS

    asyncio.run(act())


def test_previews_are_coalesced():
    """Only the newest preview of a client is answered when many come between two ticks."""

    async def act():
        own = session()
        watcher = Watcher(None, str)
        for k in range(100):
            own.hub.preview(watcher, [0.01 * k, *Q[1:]])
        own.hub._answer_previews()
        own.hub._answer_previews()
        assert [json.loads(note)["q"][0] for note in watcher._notes] == [0.99]

    asyncio.run(act())


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/api/teach/export/motion.csv", "/api/teach/hints", "/api/live"])
def test_foreign_pages_cannot_ask(path, headers):
    """A GET below /api is refused, an asset is served, when a page of another site asks."""
    with TestClient(create(session(), AppSettings()), base_url=ADDRESS) as web:
        assert web.get(path, headers=headers).status_code == 403
        assert web.get("/", headers=headers).status_code == 200


def test_an_endless_motion_is_refused():
    """Length, rows and limit are named before anything is sampled when a program is too long."""
    with pytest.raises(LimitError, match=r"149,\d{3},\d{3} rows at 500 Hz.*1,000,000 rows"):
        motion(program(500, 600.0), at.load("ur5e"))
    allowed = motion(program(3, 1.0), at.load("ur5e"))
    assert len(allowed) < MAX_ROWS


def test_an_endless_export_is_refused_over_the_api(tmp_path):
    """The answer is 422 with the limit, and the next export works, when a program is too long."""

    async def act():
        own = Session(SimulatedArm(at.load("ur5e")), folder=tmp_path)
        app = create(own, AppSettings(), pages=False)
        await own.start()
        transport = ASGITransport(app, raise_app_exceptions=False)
        try:
            async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as web:
                own.parts["teaching"].program = program(500, 600.0)
                answer = await web.get("/api/teach/export/motion.csv", timeout=120)
                assert answer.status_code == 422
                assert "1,000,000 rows" in answer.json()["error"]
                own.parts["teaching"].program = program(3, 0.1)
                answer = await web.get("/api/teach/export/motion.csv", timeout=120)
                assert answer.content.startswith(b"time,q1,")
                assert "long.motion.csv" in answer.headers["content-disposition"]
                assert list(own.parts["worker"].folder.iterdir()) == []
        finally:
            await own.close()

    asyncio.run(act())


def test_a_worker_that_takes_too_long_is_ended():
    """The limit is named and the next task is done when one exceeds the time."""

    async def act():
        worker = Worker(seconds=0.0)
        taught = {"program": program(200, 0.0).model_dump(), "arm": "ur5e"}
        with pytest.raises(LimitError, match="longer than 0 s"):
            await worker.run("hints", **taught)
        worker._seconds = 60.0
        few = {"program": program(2, 0.0).model_dump(), "arm": "ur5e"}
        assert isinstance(await worker.run("hints", **few), list)
        worker._waiting = MAX_WAITING
        with pytest.raises(BusyError, match="wait already"):
            await worker.run("hints", **few)
        await asyncio.to_thread(worker.close)

    asyncio.run(act())


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_worker_has_a_memory_limit():
    """The task is refused and the process lives when it needs more memory than it may take."""

    async def act():
        worker = Worker(memory=400_000_000)
        taught = {"program": program(4, 600.0).model_dump(), "arm": "ur5e"}
        with pytest.raises(LimitError, match="more memory"):
            await worker.run("export", form="motion.csv", **taught)
        await asyncio.to_thread(worker.close)

    asyncio.run(act())


def test_the_work_process_knows_what_is_shown(tmp_path):
    """Arm, title and kind are the same in both processes when an arm is in no catalogue."""
    from dataclasses import replace

    arm = at.load("ur5e")
    own = replace(arm, name="mine", title="My arm")
    control = Session(SimulatedArm(own))
    work = Session(ShownArm(arm, "", "simulated"))
    show(work, ShownWriter(control, tmp_path).header())
    assert (work.robot.title, work.robot.kind, work.robot.arm.name) == (
        "My arm",
        "simulated",
        "mine",
    )
    np.testing.assert_allclose(at.fk(work.robot.arm, Q), at.fk(own, Q), atol=1e-12)


WORK_PRIORITY = """
import os
from armtwin.robots import priority
priority.raise_priority()
priority.lower_priority(3)
print(os.sched_getscheduler(0) == os.SCHED_BATCH, os.getpriority(os.PRIO_PROCESS, 0))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="batch processes exist on Linux only")
def test_work_is_a_batch_process():
    """The process is a batch process of low priority when it lowers its priority."""
    done = subprocess.run(
        [sys.executable, "-c", WORK_PRIORITY], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "3"]


def test_bodies_of_others_do_not_delay_small_requests():
    """A heartbeat passes at once when its address announces bodies of hundreds of megabytes."""
    gate = Gate(None, lambda client: False)
    client = ("1.2.3.4", 5)
    large = [(b"content-length", b"200000000")]
    upload = {"type": "http", "path": "/api/uploads", "client": client, "headers": large}
    waits = [gate._wait(upload) for _ in range(22)]
    assert waits[0] == 0.0 and waits[-1] is None
    chunked = {**upload, "headers": [(b"transfer-encoding", b"chunked")]}
    assert gate._wait(chunked) != 0.0
    small = [(b"content-length", b"60")]
    heartbeat = {"type": "http", "path": "/api/lease/heartbeat", "client": client}
    assert gate._wait({**heartbeat, "headers": small}) == 0.0


def test_program_of_many_faults_is_refused_at_the_first():
    """One error is made, not one for each, when positions, joints or fields are wrong."""
    good = {"name": "p", "q": Q}
    many = {f"f{k}": 0 for k in range(1000)}
    for positions in ([{}] * 1000, [{**good, "q": ["a"] * 1000}], [{**good, **many}]):
        with pytest.raises(ValidationError) as refused:
            TaughtProgram.model_validate({"name": "a", "arm": "ur5e", "positions": positions})
        assert refused.value.error_count() <= 2


class OpenTransport:
    """A connection from an address."""

    def __init__(self, address):
        self.address, self.cut = address, False

    def get_extra_info(self, name):
        """Return the address."""
        return (self.address, 5)

    def abort(self):
        """Note that it is closed."""
        self.cut = True


def test_connection_in_control_is_spared():
    """The most silent one of the busiest address leaves, never the holder's, when all are taken."""
    pool = ConnectionPool(20)
    pool.spare(lambda client: client == "holder")
    holder, other, *flood = (OpenTransport(a) for a in ("1", "2", *["1"] * 20))
    pool.admit(holder)
    pool.name(holder, "holder")
    pool.admit(other)
    for transport in flood[:-2]:
        pool.admit(transport)
    pool.note(flood[0])
    for transport in flood[-2:]:
        pool.admit(transport)
    assert not holder.cut and not other.cut
    assert [k for k, transport in enumerate(flood) if transport.cut] == [1, 2]
    for transport in (holder, other, *flood):
        pool.forget(transport)
    assert not len(pool) and not pool._counts
