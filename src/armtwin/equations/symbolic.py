"""CasADi, imported on first use: naming an equation is cheap, deriving one needs the library."""

from __future__ import annotations

import importlib
from typing import Any

from armtwin.extras import require


class _CasADi:
    """Forwards every attribute to the module ``casadi``."""

    def __getattr__(self, name: str) -> Any:
        """Import CasADi, and keep the attribute for the next time.

        Raises:
            MissingDataError: CasADi is not installed.
        """
        require("deriving equations that do not come with armtwin", "casadi")
        value = getattr(importlib.import_module("casadi"), name)
        setattr(self, name, value)
        return value


ca: Any = _CasADi()
"""The module ``casadi``; ``ca.SX`` is its type of scalar expressions."""
