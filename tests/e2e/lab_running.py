"""JupyterLab in a process of its own, with folders of its own; nothing is left at home."""

import contextlib
import json
import os
import socket
import subprocess
import sys

from e2e.app_running import CACHE, PATIENCE, answers, wait_for

TOKEN = "only-for-this-test"
NOTEBOOK = "twin.ipynb"
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
"""No news, no search for updates; cells outside the window stay in the page."""
OPTIONS = [
    "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0",
    "--ServerApp.terminals_enabled=False", f"--IdentityProvider.token={TOKEN}",
    "--LabApp.extension_manager=readonly", "--LabApp.expose_app_in_browser=True",
]  # fmt: skip


def write_notebook(folder, cells):
    """Write a notebook of code cells into a folder."""
    import nbformat  # its validators take seconds to import, and every test process reads this

    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel}
    )
    nbformat.write(made, folder / NOTEBOOK)


@contextlib.contextmanager
def running_lab(folder, home, settings=SETTINGS):
    """Start JupyterLab in a folder, yield the server's address, and end it with its kernels."""
    for name, values in settings.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    places = {
        "HOME": home, "IPYTHONDIR": home / "ipython", "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data", "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces", "ARMTWIN_CACHE": CACHE,
    }  # fmt: skip
    port = free_port()
    where = [f"--ServerApp.port={port}", f"--ServerApp.root_dir={folder}"]
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *OPTIONS, *where],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | {name: str(value) for name, value in places.items()},
            cwd=folder,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(lambda: lab_answers(server, address, home), "JupyterLab to answer", PATIENCE)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(5)
                raise


def free_port():
    """Return a port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def lab_answers(server, address, home):
    """Return whether the server answers; fail with what it printed where it has ended."""
    if server.poll() is not None:
        raise AssertionError((home / "server.log").read_text(encoding="utf-8"))
    return answers(f"{address}/api/status?token={TOKEN}", refusals=False)


def open_notebook(page, address):
    """Open the notebook in a page, and wait until its kernel has nothing to do.

    The page shows an idle kernel before it has one; a cell that is run then asks for a kernel.
    """
    page.goto(f"{address}/lab/tree/{NOTEBOOK}?token={TOKEN}")
    page.wait_for_function(
        """() => {
          const shown = window.jupyterapp?.shell.currentWidget?.sessionContext;
          return shown?.isReady && shown.session?.kernel?.status === "idle";
        }"""
    )


def run_cell(page, number):
    """Start a cell, counted from 0, and return its output area."""
    page.evaluate(
        """number => {
          const { shell, commands } = window.jupyterapp;
          shell.currentWidget.content.activeCellIndex = number;
          void commands.execute("notebook:run-cell");
        }""",
        number,
    )
    return page.locator(".jp-CodeCell").nth(number).locator(".jp-OutputArea")
