"""How the control process accepts connections: STOP first, others once they have sent something."""

import asyncio
import contextlib
import errno
import socket

from armtwin.app.server.connections import acceptor
from armtwin.app.server.connections.acceptor import STARTED, Acceptor

STOP = b"POST /api/stop HTTP/1.1\r\n\r\n"
GET = b"GET /api/state HTTP/1.1\r\n\r\n"


class Started(asyncio.Protocol):
    """A protocol that notes what it gets, in which step of the event loop."""

    def __init__(self, log, step):
        self.log, self.step = log, step

    def data_received(self, data):
        """Note the first line's path."""
        self.log.append((self.step(), data.split()[1].decode()))


class Served:
    """An acceptor on a free port, and what its connections receive."""

    def __init__(self, listener, limit):
        self.listener, self.log, self.steps = listener, [], 0
        self.acceptor = Acceptor(
            listener, lambda: Started(self.log, lambda: self.steps), limit=limit
        )

    async def pass_steps(self, count):
        """Let the event loop take some steps."""
        for _ in range(count):
            await asyncio.sleep(0)
            self.steps += 1

    def client(self, text=b""):
        """Return a connected socket that has sent a text."""
        made = socket.create_connection(self.listener.getsockname())
        made.sendall(text)
        return made


def serve(act, limit=1000):
    """Return what an asynchronous function makes of an acceptor and a list for its clients."""

    async def run():
        with contextlib.ExitStack() as opened:
            listener = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=500))
            served = Served(listener, limit)
            opened.callback(served.acceptor.close)
            return await act(served, opened)

    return asyncio.run(run())


def is_open(client):
    """Return whether the other side has not closed a connection."""
    client.setblocking(False)
    try:
        return bool(client.recv(1))
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


def test_stop_overtakes_requests():
    """STOP is read before most of 200 requests that came before it, which all are read."""

    async def act(served, opened):
        for _ in range(200):
            opened.enter_context(served.client(GET))
        opened.enter_context(served.client(STOP))
        await served.pass_steps(400)
        return served.log

    paths = [path for _, path in serve(act)]
    assert paths.count("/api/state") == 200
    assert paths.index("/api/stop") < 30


def test_few_requests_are_started_between_two_steps():
    """No step of the event loop starts more than the given number when hundreds wait."""

    async def act(served, opened):
        for _ in range(200):
            opened.enter_context(served.client(GET))
        await served.pass_steps(400)
        return served.log

    steps = [step for step, _ in serve(act)]
    assert len(steps) == 200
    assert max(map(steps.count, steps)) <= 2 * STARTED


def test_silent_connections_make_room():
    """The oldest silent connections are closed, a late STOP is read, when there are too many."""

    async def act(served, opened):
        clients = []
        for _ in range(50):
            clients.append(opened.enter_context(served.client()))
            await served.pass_steps(3)
        clients[-1].sendall(STOP)
        await served.pass_steps(10)
        return [is_open(client) for client in clients], served.log

    opened, log = serve(act, limit=20)
    assert opened == [False] * 30 + [True] * 20
    assert [path for _, path in log] == ["/api/stop"]


def test_room_is_made_where_files_run_out(monkeypatch):
    """STOP is read when the system has no file left for a connection while others are silent."""

    class Full:
        """A listening socket for which the system has three files."""

        def __init__(self, listener):
            self.listener, self.refused = listener, 0

        def __getattr__(self, name):
            return getattr(self.listener, name)

        def accept(self):
            """Accept, unless three connections are open."""
            if len(served_pools[0]) >= 3:
                self.refused += 1
                raise OSError(errno.EMFILE, "Too many open files")
            return self.listener.accept()

    served_pools = []
    pool = acceptor.ConnectionPool

    def noted(limit):
        served_pools.append(pool(limit))
        return served_pools[-1]

    monkeypatch.setattr(acceptor, "ConnectionPool", noted)

    async def act(served, opened):
        full = served.acceptor._listener = Full(served.listener)
        for _ in range(3):
            opened.enter_context(served.client())
        await served.pass_steps(10)
        opened.enter_context(served.client(STOP))
        await served.pass_steps(20)
        return full.refused, served.log

    refused, log = serve(act)
    assert refused
    assert [path for _, path in log] == ["/api/stop"]


def test_gone_clients_are_forgotten():
    """No connection is kept when clients leave without a word."""

    async def act(served, opened):
        for _ in range(30):
            served.client().close()
        await served.pass_steps(50)
        return len(served.acceptor._silent), served.log

    assert serve(act) == (0, [])


def test_closing_ends_what_waits():
    """Silent connections are closed and nobody is accepted when the acceptor closes."""

    async def act(served, opened):
        silent = opened.enter_context(served.client())
        await served.pass_steps(10)
        served.acceptor.close()
        late = opened.enter_context(served.client(GET))
        await served.pass_steps(10)
        return is_open(silent), is_open(late), served.log

    assert serve(act) == (False, True, [])
