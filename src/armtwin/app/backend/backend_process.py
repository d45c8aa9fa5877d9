"""The work process: ``python -m armtwin.app.backend.backend_process``, started by ``Backend``.

It serves pages, assets, uploads, jobs and kinematics on a private socket. The first line of its
standard input holds the address; it ends when that input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import uvicorn

from armtwin.app.backend.backend_app import create_backend
from armtwin.app.backend.shown import ShownArm
from armtwin.app.control.session import Session
from armtwin.app.server.connections.protocols import quiet_logs
from armtwin.app.server.plain_text import protect_terminal
from armtwin.model.catalogue.catalogue import load
from armtwin.processes import limit_memory
from armtwin.robots.priority import lower_priority

MAX_MEMORY = 3_000_000_000
"""Memory of this process [bytes]; jobs have a separate limit."""
NICE = 2
"""Pages and uploads wait for the control process, and run before jobs."""
BACKLOG = 256
"""Connections that may wait to be accepted: as many as the control process forwards at a time."""
FAREWELL = 1
"""Time that open requests have to finish when the server ends [s]; 1.5 s later it is ended."""
PLACEHOLDER = "ur5e"
"""Arm until the first request names another."""


def main() -> None:
    """Serve until standard input ends."""
    settings = json.loads(sys.stdin.buffer.readline())
    protect_terminal()
    lower_priority(NICE)
    limit_memory(MAX_MEMORY, hard=False)
    session = Session(ShownArm(load(PLACEHOLDER), "", "simulated"), folder=Path(settings["folder"]))
    app = create_backend(session, settings["secret"])
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=FAREWELL,
        )
    )
    threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[_listening(settings)])


def _listening(settings: dict[str, Any]) -> socket.socket:
    if settings["socket"] is None:
        return socket.create_server(("127.0.0.1", settings["port"]), backlog=BACKLOG)
    place = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    place.bind(settings["socket"])
    place.listen(BACKLOG)
    return place


def _end_with_input(server: uvicorn.Server) -> None:
    """End the server when the control process is gone; at once if it does not end by itself."""
    while sys.stdin.buffer.read(4096):
        pass
    quiet_logs()
    server.should_exit = True
    threading.Event().wait(FAREWELL + 1.5)
    os._exit(1)


if __name__ == "__main__":
    main()
