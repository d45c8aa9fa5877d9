"""A wire between a browser and the app that can be cut: nothing passes any more, nothing ends."""

import contextlib
import selectors
import socket
import threading


class Wire:
    """Carries bytes between connections to ``port`` and a server until it is cut."""

    def __init__(self, server_port):
        self.server_port = server_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs = {}
        self.whole, self.alive = True, True
        self.thread = threading.Thread(target=self._carry, daemon=True)
        self.thread.start()

    def cut(self):
        """Let nothing through from now on; connections stay open and silent."""
        self.whole = False

    def mend(self):
        """Let everything through again."""
        self.whole = True

    def close(self):
        """End the wire."""
        self.alive = False
        self.thread.join(180)
        for end in [self.listener, *self.pairs]:
            end.close()

    def _carry(self):
        with selectors.DefaultSelector() as ready:
            ready.register(self.listener, selectors.EVENT_READ)
            while self.alive:
                for key, _ in ready.select(0.05):
                    if key.fileobj is self.listener:
                        self._join(ready)
                    else:
                        self._pass(ready, key.fileobj)

    def _join(self, ready):
        near, _ = self.listener.accept()
        far = socket.create_connection(("127.0.0.1", self.server_port))
        for one, other in ((near, far), (far, near)):
            self.pairs[one] = other
            ready.register(one, selectors.EVENT_READ)

    def _pass(self, ready, end):
        try:
            data = end.recv(65536)
            if data and self.whole:
                self.pairs[end].sendall(data)
            if data:
                return
        except OSError:
            pass
        for one in (end, self.pairs[end]):
            with contextlib.suppress(KeyError, OSError, ValueError):
                ready.unregister(one)
                one.shutdown(socket.SHUT_RDWR)
