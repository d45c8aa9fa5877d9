"""Errors of URScript programs, with the position and wording that a controller reports."""

from __future__ import annotations

from armtwin.errors import ArmTwinError


class ScriptError(ArmTwinError):
    """A URScript program that cannot be compiled or has failed at run time.

    Attributes:
        text: message without position, as sent in a runtime exception message.
        line: line in the program, from 1; 0 if unknown.
        column: column in that line, from 1; 0 if unknown.
    """

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.text, self.line, self.column = text, line, column

    def __str__(self) -> str:
        """Return ``line:column: text``."""
        return f"{self.line}:{self.column}: {self.text}" if self.line else self.text

    def located(self, line: int, column: int) -> ScriptError:
        """Return this error with a position; one that already has a position is unchanged."""
        return self if self.line else type(self)(self.text, line, column)


class ScriptSyntaxError(ScriptError):
    """Text that is not a URScript program.

    The text is the one a UR controller sends: ``syntax_error_on_line:3:end:``.
    """


class ScriptCompileError(ScriptError):
    """A program that names a function or variable that does not exist, or misuses one."""


class ScriptTypeError(ScriptError):
    """A value of the wrong type, at run time."""


class BudgetError(ScriptError):
    """A program that used more time, memory, recursion or threads than allowed."""


def syntax_error(source: str, line: int, column: int) -> ScriptSyntaxError:
    """Return the syntax error for a line of ``source``, worded as by a controller.

    Args:
        source: text of the program.
        line: from 1.
        column: from 1.
    """
    lines = source.splitlines()
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    return ScriptSyntaxError(f"syntax_error_on_line:{line}:{shown[:200]}:", line, column)


def name_not_found(name: str, line: int, column: int) -> ScriptCompileError:
    """Return the error for an unknown function or variable, worded as by a controller.

    Args:
        name: as the program writes it.
        line: from 1.
        column: from 1.
    """
    return ScriptCompileError(f"compile_error_name_not_found:{name}:", line, column)
