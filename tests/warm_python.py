"""Scripts in processes of their own, forked from one Python that has the usual libraries loaded.

To start Python and to load NumPy, SciPy and Matplotlib takes more than a second of processor time,
often more than the script itself. Only libraries are loaded before; every script imports armtwin
anew, is ``__main__`` and runs with warnings as errors, all of them or those of one category.
"""

import atexit
import contextlib
import multiprocessing
import os
import sys
import traceback
import types
import warnings
from pathlib import Path

LIBRARIES = (
    "numpy", "scipy.interpolate", "scipy.linalg", "scipy.optimize", "scipy.signal", "scipy.spatial",
    "scipy.spatial.transform", "matplotlib.figure", "matplotlib.pyplot", "mujoco", "casadi",
    "pyarrow.parquet", "clarabel",
)  # fmt: skip
PATIENCE = 300.0
"""Longest time that a script may take [s], on a busy machine."""


def run_script(code, folder, file=None, category=Warning):
    """Run Python code in a folder; return its exit code and what it printed.

    Args:
        code: the text of the script.
        folder: an empty folder to run in; what is printed is kept beside it.
        file: the script's own file, where it has one.
        category: warnings that are errors.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(LIBRARIES))
    printed = folder.with_name(f"{folder.name}.printed")
    process = context.Process(target=_run, args=(code, str(folder), str(printed), file, category))
    process.start()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode, printed.read_text("utf-8") if printed.exists() else ""


def _run(code, folder, printed, file, category):
    """Run the code as ``__main__``, with its output in a file, and end as Python itself does."""
    to = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(to, stream)
    os.chdir(folder)
    main = types.ModuleType("__main__")
    if file is not None:
        main.__file__ = str(file)
        sys.path.insert(0, str(Path(file).parent))
    sys.argv, sys.modules["__main__"] = [str(file or "-c")], main
    warnings.simplefilter("error", category)
    status = 0
    try:
        exec(compile(code, str(file or "<script>"), "exec"), main.__dict__)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - whatever a script ends with is reported
        traceback.print_exc()
        status = 1
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()
    sys.exit(status)
