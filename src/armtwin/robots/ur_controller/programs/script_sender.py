"""Connections that send programs, and ur_rtde's wait for the end of a script."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

CONTROL_SCRIPT, CONTROL_LOOP = "def rtde_control():", "# NODE_CONTROL_LOOP_ENDS"
"""Marks of ur_rtde's control script."""
DONE = 2
"""Value that a script of ur_rtde writes into its output register at its end."""
BEGINNING = 4096
"""Characters of a control script that are searched for the number of its first register."""
_OFFSET = re.compile(r"\breg_offset_int\s*=\s*(?:#[^\n]*)?\s*(\d{1,2})\b")
_HANDSHAKE = re.compile(
    r"write_output_integer_register\((\d{1,2})\s*\+\s*(\d{1,2}),\s*2\)\s*end\s*$"
)
"""Last lines of what sendCustomScriptFunction makes; other clients do not write them like this."""


def is_control_script(text: str) -> bool:
    """Return whether a text is ur_rtde's control script."""
    return CONTROL_SCRIPT in text and CONTROL_LOOP in text


@dataclass(eq=False)
class ScriptSender:
    """A connection that sends programs.

    ur_rtde's sendCustomScript stops its control script, sends the script, waits until an output
    register says done, whatever happens to the program, and uploads its control script again, all
    over one connection. So a connection that has sent a control script waits for every other
    program that it sends.

    Attributes:
        register: output register by which the client waits; None before a control script.
        failed: whether its last program failed, so that the next control script is not played.
    """

    register: int | None = None
    failed: bool = False

    def take_control_script(self, text: str) -> bool:
        """Note that a control script has come; return whether it is to be played."""
        offset = _OFFSET.search(text, 0, BEGINNING)
        self.register = int(offset[1]) if offset else 0
        played, self.failed = not self.failed, False
        return played

    def end_wait(self, controller: VirtualController, text: str) -> None:
        """Let sendCustomScript raise instead of waiting forever for a script that failed.

        The register is written, and the upload that follows is not played: ur_rtde raises "Failed
        to start control script" after 5 s.

        Args:
            controller: the controller.
            text: the script; where no control script has come before (ur_rtde with a URCap) its
                last lines show whether it is ur_rtde's.
        """
        register = _awaited(text) if self.register is None else self.register
        name = f"output_int_register_{register}"
        if register is not None and name in controller.registers.fields:
            controller.stop_program()
            controller.registers[name] = DONE
            self.failed = True


def _awaited(text: str) -> int | None:
    """Return the output register by whose value a client sees a script's end."""
    found = _HANDSHAKE.search(text[-200:])
    return int(found[1]) + int(found[2]) if found else None
