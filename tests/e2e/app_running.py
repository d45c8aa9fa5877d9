"""The app in a process of its own, and a browser before it."""

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from browsers import PATIENCE, browser_context
from browsers import needs_browser as needs_browser

from armtwin.files import cache_folder

NO_GRAPHICS = "try { localStorage.setItem('armtwin_graphics', 'none'); } catch {}"
"""No pictures of the arm: without a GPU a busy machine takes seconds for one. Other tests draw."""
CACHE = str(cache_folder())
"""Compiled models, which no test shall wait for twice."""
FONTS = str(Path.home() / ".cache" / "matplotlib")
"""Matplotlib's list of fonts, which each new home folder would make again."""
ADDRESS = re.compile(r"http://\S+")
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


@dataclass
class RunningApp:
    """A started app: where it listens (``http://host:port``), its process, what it printed."""

    address: str
    process: subprocess.Popen
    printed: list[str]
    link: str

    def get(self, path):
        """Return the JSON at a path."""
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return json.load(answer)

    def post(self, path, content=None):
        """Return the JSON that a POST of ``content`` is answered with."""
        data = json.dumps(content or {}).encode()
        head = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, head)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)


@contextlib.contextmanager
def running_app(*arguments):
    """Start ``armtwin app`` on a free port with a home folder of its own, and end it.

    It has a session of its own, as a service: a session has a share of the processors, which it
    would divide with busy tests.
    """
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "armtwin.cli", "app", *arguments, "--port", "0"]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"HOME": home, "ARMTWIN_CACHE": CACHE, "MPLCONFIGDIR": FONTS},
            start_new_session=True,
        )
        try:
            yield _started(process)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(5)
                raise
            finally:
                process.stdout.close()


def _started(process):
    """Return the app once it answers."""
    printed, lines = [], queue.Queue()
    threading.Thread(target=_read, args=(process.stdout, printed, lines), daemon=True).start()
    found, end = None, time.monotonic() + PATIENCE
    while found is None:
        try:
            found = ADDRESS.search(lines.get(timeout=max(end - time.monotonic(), 0.01)))
        except queue.Empty:
            raise AssertionError(f"the app did not start:\n{''.join(printed)}") from None
    link = found[0]
    address = link.split("?")[0].rstrip("/")
    app = RunningApp(address, process, printed, link)
    wait_for(lambda: answers(link), "the app to answer", PATIENCE)
    return app


def _read(pipe, printed, lines):
    with contextlib.suppress(ValueError):
        for line in pipe:
            printed.append(line)
            lines.put(line)


def answers(link, refusals=True):
    """Return whether a server answers a link; ``refusals``: whether an HTTP error is an answer."""
    try:
        with urllib.request.urlopen(link, timeout=5):
            return True
    except urllib.error.HTTPError as refusal:
        refusal.close()
        return refusals
    except OSError:
        return False


def children(process, word):
    """Return the processes that a process has started whose command line has a word."""
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    found = []
    for child in " ".join(task.read_text(encoding="ascii") for task in tasks).split():
        with contextlib.suppress(OSError):
            if word.encode() in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    return found


def wait_for(condition, what, seconds=PATIENCE):
    """Return what ``condition()`` returns once it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s for {what}")


def wait_for_picture(page):
    """Wait until the scene is drawn in full; the page is busy until then where there is no GPU."""
    page.locator("[data-testid=canvas][data-quality=fine]").wait_for()


@contextlib.contextmanager
def heartbeats(app, *pages):
    """Send the heartbeats of pages from here, where the load of drawing does not delay them.

    A page that is drawn by software on a busy machine can take more than the 2 s after which
    control is lost.
    """
    clients = [page.evaluate("() => sessionStorage.armtwin_client") for page in pages]
    with heartbeats_of(app, *clients):
        yield


@contextlib.contextmanager
def heartbeats_of(app, *clients):
    """Send the heartbeats of clients, by their names, from a thread."""
    over = threading.Event()

    def send_heartbeats():
        while not over.wait(0.3):
            for client in clients:
                app.post("/api/lease/heartbeat", {"client": client})

    thread = threading.Thread(target=send_heartbeats)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def open_page(browser, address, *, viewport=DESK, **options):
    """Open an address in a browser of its own cookies; an error of the page's scripts fails."""
    faults = []
    with browser_context(browser, viewport=viewport, **options) as context:
        context.add_init_script(NO_GRAPHICS)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address)
        yield page
    assert faults == []
