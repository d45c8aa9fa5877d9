"""Optional dependencies: which extra of armtwin installs which module."""

from __future__ import annotations

import importlib.util

from armtwin.errors import MissingDataError

EXTRAS: dict[str, tuple[str, ...]] = {
    "recordings": ("pyarrow", "fastexcel", "rosbags"),  # first: the extra named for pyarrow
    "app": (
        "fastapi",
        "uvicorn",
        "websockets",
        "multipart",
        "orjson",
        "ruckig",
        "segno",
    ),
    "cluster": ("ray", "grpc"),
    "derive": ("casadi",),
    "fmu": ("fmpy", "lief"),
    "gpu": ("cupy",),
    "history": ("duckdb", "pyarrow"),
    "identify": ("clarabel",),
    "meshes": ("trimesh", "collada"),
    "notebook": ("anywidget",),
    "report": ("matplotlib", "plotly", "typst"),
    "servo": ("serial",),
    "simulate": ("mujoco", "imageio_ffmpeg", "PIL"),
    "study": ("joblib", "pyarrow"),
    "wasm": ("ziglang", "wasmtime"),
}
"""Extras of pyproject.toml with the modules that their packages are imported as."""


def require(purpose: str, *modules: str) -> None:
    """Raise MissingDataError where a module is not installed, naming the extra that installs it.

    Args:
        purpose: what needs the modules; the beginning of the message.
        modules: names as in ``EXTRAS``.
    """
    missing = [name for name in modules if not _installed(name)]
    if missing:
        raise MissingDataError(message(purpose, missing))


def installed(*modules: str) -> bool:
    """Return whether all of the modules are installed."""
    return all(_installed(name) for name in modules)


def message(purpose: str, missing: list[str]) -> str:
    """Return the message: what is missing and how to install it."""
    text = f"{purpose} needs {' and '.join(missing)}, not installed"
    extras = _extras_of(missing)
    return f"{text}; pip install 'armtwin[{','.join(extras)}]'" if extras else text


def _extras_of(missing: list[str]) -> list[str]:
    """Return the one extra that installs all missing modules, else an extra for each of them."""
    whole = [extra for extra, names in EXTRAS.items() if set(missing) <= set(names)]
    return whole[:1] or sorted({extra_of(name) or "" for name in missing} - {""})


def extra_of(module: str) -> str | None:
    """Return the extra that installs a module, or None."""
    top = module.partition(".")[0]
    return next((extra for extra, names in EXTRAS.items() if top in names), None)


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
