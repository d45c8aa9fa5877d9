"""URScript: parser, compiler and scheduler of programs for the virtual UR controller.

``Program.load(text)`` compiles a program, ``program.start(host)`` makes a ``Run``, and
``run.step()`` executes it for one control cycle. A program reaches its controller only through a
``ScriptHost``.

Modules:
    grammar.lark, parser, nodes: text to syntax tree.
    scopes, expressions, compiler, python_nodes: syntax tree to Python code.
    values, operators, list_methods, formatting: values and what can be done with them.
    scheduler, runtime, program, interpreter: execution.
    host, motions, commands, sockets: ports to the controller and the network.
    fake: a controller and sockets for tests.
    budget, errors: limits and errors.
    builtins: the functions that programs can call.
"""

from armtwin.robots.ur_controller.script.budget import Budget
from armtwin.robots.ur_controller.script.builtins import BUILTINS
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.host import ScriptHost
from armtwin.robots.ur_controller.script.program import Program, Run, State
from armtwin.robots.ur_controller.script.sockets import SocketPort, TcpSockets

__all__ = [
    "BUILTINS", "Budget", "Program", "Run", "ScriptError", "ScriptHost", "SocketPort", "State",
    "TcpSockets",
]  # fmt: skip
