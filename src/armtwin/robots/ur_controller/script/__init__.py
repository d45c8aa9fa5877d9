"""URScript: parser, compiler and scheduler of programs for the virtual UR controller.

``Program.load(text)`` compiles a program, ``program.start(host)`` makes a ``ScriptRun``, and
``run.step()`` executes it for one control cycle. A program reaches its controller only through a
``ScriptHost``.

Modules:
    program: compiled programs and their runs.
    compiler_process: long programs, compiled in a separate process.
    host, motions, commands: the port to the controller, its motions and commands.
    fake: a controller and sockets for tests.
    errors: errors with the position and wording that a controller reports.
    language: text to Python code.
    runtime: values, threads, sockets and limits of running programs.
    builtins: the functions that programs can call.
"""

from armtwin.robots.ur_controller.script.builtins import BUILTINS
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.host import ScriptHost
from armtwin.robots.ur_controller.script.program import ScriptProgram, ScriptRun, State
from armtwin.robots.ur_controller.script.runtime.budget import Budget
from armtwin.robots.ur_controller.script.runtime.tcp_sockets import SocketPort, TcpSockets

__all__ = [
    "BUILTINS", "Budget", "ScriptError", "ScriptHost", "ScriptProgram", "ScriptRun", "SocketPort",
    "State", "TcpSockets",
]  # fmt: skip
