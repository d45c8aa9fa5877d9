"""A network between the app and a robot that can pause: then nothing is lost, all comes late."""

import contextlib
import selectors
import socket
import threading


class PausingNetwork:
    """Carries the ports of a robot at ``server`` to another loopback address, ``host``."""

    def __init__(self, server, host, ports):
        self.server, self.host = server, host
        self._ready = selectors.DefaultSelector()
        for port in ports:
            listener = socket.create_server((host, port))
            self._ready.register(listener, selectors.EVENT_READ, port)
        self._other = {}
        self._open, self._paused, self._alive = threading.Lock(), False, True
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def pause(self):
        """Hold everything back from now on; what is being delivered has arrived."""
        self._open.acquire()
        self._paused = True

    def resume(self):
        """Deliver what was held back, at once and in order."""
        if self._paused:
            self._paused = False
            self._open.release()

    def __enter__(self):
        """Return the running network."""
        return self

    def __exit__(self, *_):
        """End it."""
        self._alive = False
        self.resume()
        self._thread.join(180)
        for key in list(self._ready.get_map().values()):
            key.fileobj.close()
        self._ready.close()

    def _carry(self):
        while self._alive:
            for key, _ in self._ready.select(0.05):
                with self._open:
                    if not self._alive:
                        return
                    if key.data is None:
                        self._pass(key.fileobj)
                    else:
                        self._join(key.fileobj, key.data)

    def _join(self, listener, port):
        near, _ = listener.accept()
        far = socket.create_connection((self.server, port))
        for one, other in ((near, far), (far, near)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._other[one] = other
            self._ready.register(one, selectors.EVENT_READ)

    def _pass(self, end):
        other = self._other.get(end)
        with contextlib.suppress(OSError):
            data = end.recv(1 << 16)
            if data and other is not None:
                other.sendall(data)
                return
        for one in (end, other):
            with contextlib.suppress(KeyError, ValueError, OSError):
                self._ready.unregister(one)
                self._other.pop(one, None)
                one.close()
