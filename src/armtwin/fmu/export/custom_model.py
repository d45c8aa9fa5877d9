"""A user's own controller or observer as a model to export."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.errors import ArmTwinError, InputError
from armtwin.fmu.export.model import FmuModel, as_model
from armtwin.model.arm import Arm
from armtwin.model.convert import with_dh_rows

if TYPE_CHECKING:
    from armtwin.equations.blocks.custom_block import CustomBlock


def load_custom_block(place: str) -> CustomBlock:
    """Return an instance of a class in a Python file, given as ``my_controller.py:Impedance``.

    The file is run, as ``python my_controller.py`` would run it: load only files that you trust.

    Raises:
        InputError: no such file or class, a file that fails, or a class that is no ``CustomBlock``.
    """
    from armtwin.equations.blocks.custom_block import CustomBlock

    file, _, name = place.rpartition(":")
    path = Path(file)
    if not file or not path.is_file() or path.suffix != ".py":
        raise InputError(f"{place}: give a Python file and a class in it, as my_law.py:Impedance")
    spec = importlib.util.spec_from_file_location(f"armtwin_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: cannot be loaded as a Python module")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ArmTwinError:
        raise
    except Exception as error:
        raise InputError(f"{path}: fails when it is loaded: {error!r}") from error
    found = getattr(module, name, None)
    if not (inspect.isclass(found) and issubclass(found, CustomBlock)):
        has = [
            k for k, v in vars(module).items() if inspect.isclass(v) and issubclass(v, CustomBlock)
        ]
        own = ", ".join(k for k in has if k != "CustomBlock") or "none"
        raise InputError(f"{path}: no class {name!r} of armtwin.CustomBlock; it has: {own}")
    return found()


def custom_model(arm: Arm, own: CustomBlock | type[CustomBlock]) -> FmuModel:
    """Return the model of a user's own law for an arm.

    Raises:
        InputError: a law that does not fit its signals, or that fails.
        MissingDataError: the arm lacks masses.
    """
    from armtwin.equations.blocks.custom_block import CustomBlock, custom_block

    instance = own() if inspect.isclass(own) else own
    if not isinstance(instance, CustomBlock):
        raise InputError(f"expected a subclass of armtwin.CustomBlock, got {own!r}")
    arm.require_masses()
    given = with_dh_rows(arm)
    try:
        block = custom_block(given, instance)
    except (ArmTwinError, NotImplementedError) as error:
        raise InputError(str(error)) from error
    except Exception as error:
        where = _line(error)
        raise InputError(f"{type(instance).__name__}.law fails{where}: {error!r}") from error
    return as_model(given, block, about=inspect.cleandoc(type(instance).__doc__ or ""))


def _line(error: Exception) -> str:
    """Return where in the user's file an error arose."""
    trace, line = error.__traceback__, ""
    package = str(Path(sys.modules["armtwin"].__file__ or "").parent)
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(package) and not re.search("casadi", file):
            line = f" in {Path(file).name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return line
