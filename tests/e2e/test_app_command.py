"""armtwin app starts, ends and refuses as a command should."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from e2e.app_running import PATIENCE, children, running_app, wait_for
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from armtwin.cli.main import run


def refused(*arguments):
    """Run ``armtwin app`` with arguments that it refuses; return what it said."""
    command = [sys.executable, "-m", "armtwin.cli", "app", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2, done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_arm_and_ends_the_app(number):
    """The arm's last state is at rest and the app is gone when it is told to end mid-move."""
    with running_app("ur5e") as app:
        address = app.address.replace("http", "ws") + "/api/stream"
        with connect(address, proxy=None) as stream:
            for request in ({"type": "take"}, {"type": "move", "q": [6.0] * 6, "speed": 0.5}):
                stream.send(json.dumps(request))
            wait_for(lambda: app.get("/api/state")["moving"], "the arm to set out")
            work = children(app.process, "backend_process")
            os.kill(app.process.pid, number)
            state = {}
            with pytest.raises(ConnectionClosed):
                while True:
                    state = json.loads(stream.recv(timeout=PATIENCE))
        assert app.process.wait(PATIENCE) in (0, -number)
        assert len(work) == 1
        wait_for(lambda: not Path(f"/proc/{work[0]}").exists(), "the work process to end")
    assert state["q"][0] < 5.0
    assert not state["moving"]
    assert "leaked" not in "".join(app.printed)


def test_requests_that_are_cut_off_print_nothing():
    """No traceback is printed when the app ends while an export and previews are under way."""
    rest = {"name": "p", "q": [0.0, -1.5, 1.5, -1.5, -1.5, 0.0], "dwell": 60.0}
    positions = [{**rest, "name": f"p{k}"} for k in range(20)]
    with running_app("ur5e") as app:
        program = {"name": "long", "arm": "ur5e", "positions": positions}
        put(app, "/api/teach/program", {"client": "test-test", "program": program})
        exports = [in_thread(app.get, "/api/teach/export/motion.csv") for _ in range(2)]
        address = app.address.replace("http", "ws") + "/api/stream"
        with connect(address, proxy=None) as stream:
            for _ in range(50):
                stream.send(json.dumps({"type": "preview", "q": rest["q"]}))
            wait_for(lambda: children(app.process, "multiprocessing"), "the export to begin")
            os.kill(app.process.pid, signal.SIGINT)
        assert app.process.wait(PATIENCE) == 0
        for export in exports:
            export.join(PATIENCE)
    assert "Traceback" not in "".join(app.printed), "".join(app.printed)


def put(app, path, content):
    """Put ``content`` at a path."""
    head = {"Content-Type": "application/json"}
    data = json.dumps(content).encode()
    request = urllib.request.Request(app.address + path, data, head, method="PUT")
    urllib.request.urlopen(request, timeout=PATIENCE).close()


def in_thread(call, *arguments):
    """Return a started thread that calls a function; a connection that breaks is no error."""

    def work():
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            call(*arguments)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_port_in_use_is_reported():
    """The port and a way out are named when somebody else listens there."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused("--port", str(taken.getsockname()[1]))
    assert "cannot be used" in said
    assert "--port 0" in said


def test_two_sources_are_refused(capsys):
    """The command is refused when two arms are to be shown at once."""
    assert run(["app", "--robot", "127.0.0.9", "--serial", "/dev/null"]) == 2
    assert "one of" in capsys.readouterr().err


def test_missing_recording_is_reported(capsys):
    """The file is named when there is none."""
    assert run(["app", "--recording", "nothing.csv"]) == 2
    assert "nothing.csv" in capsys.readouterr().err
