"""Scope of variables."""

import pytest
from script_runs import failure, variables

from armtwin.robots.ur_controller.script.errors import ScriptCompileError
from armtwin.robots.ur_controller.script.program import ScriptProgram


def test_function_writes_a_variable_declared_before():
    """A function changes the program's variable when that is declared above it."""
    source = "def prog():\n a = 1\n def f():\n  a = 2\n end\n f()\nend\n"
    assert variables(source)("a") == 2


def test_function_has_its_own_variable_when_declared_below():
    """A function's variable is its own when the program's is declared below it only."""
    source = "def prog():\n def f():\n  a = 2\n  return a\n end\n a = 1\n b = f()\nend\n"
    x = variables(source)
    assert (x("a"), x("b")) == (1, 2)


def test_local_hides_a_global():
    """A variable is the function's own when it is declared local."""
    source = "global a = 1\ndef f():\n local a = 5\n a = a + 1\n return a\nend\nb = f()\n"
    x = variables(source)
    assert (x("a"), x("b")) == (1, 6)


def test_global_from_within_a_function():
    """A variable can be read everywhere when a function declares it global."""
    source = "def f():\n global a = 7\nend\ndef g():\n return a\nend\nf()\nb = g()\n"
    assert variables(source)("b") == 7


def test_function_reads_a_variable_declared_below():
    """A function reads the program's variable when it only reads it."""
    source = "def prog():\n def f():\n  return a + 1\n end\n a = 1\n b = f()\nend\n"
    assert variables(source)("b") == 2


def test_nested_functions_share_the_enclosing_call():
    """An inner function changes the variable of the enclosing call when that has it."""
    source = (
        "def outer(n):\n local total = n\n def add(k):\n  total = total + k\n end\n"
        " add(1)\n add(2)\n return total\nend\na = outer(10)\nb = outer(20)\n"
    )
    x = variables(source)
    assert (x("a"), x("b")) == (13, 23)


def test_locals_of_two_calls_are_separate():
    """Each call has its own variables when a function calls itself."""
    source = (
        "def f(n):\n local mine = n\n if n > 0:\n  f(n - 1)\n end\n return mine\nend\nx = f(3)\n"
    )
    assert variables(source)("x") == 3


def test_thread_shares_the_program_variables():
    """A thread and the program see each other's writes when the variable is declared above."""
    source = (
        "def prog():\n n = 0\n thread t():\n  n = n + 1\n end\n"
        " h = run t()\n join h\n h = run t()\n join h\nend\n"
    )
    assert variables(source)("n") == 2


def test_method_changes_a_global_list():
    """A method changes the program's list when it is called within a function."""
    source = "a = make_list(0, 0, 3)\ndef f(v):\n a.append(v)\nend\nf(1)\nf(2)\nn = a.length()\n"
    assert variables(source)("n") == 2


def test_function_defined_anew():
    """The last definition counts when a function is defined twice."""
    source = "def f():\n a = 1\n return a\nend\ndef f():\n b = 2\n return b\nend\nx = f()\n"
    assert variables(source)("x") == 2


def test_unknown_variable():
    """A program is refused when it reads a variable that nothing declares."""
    with pytest.raises(ScriptCompileError) as caught:
        ScriptProgram.load("def prog():\n  a = 1\n  b = a + missing\nend\n")
    assert caught.value.text == "compile_error_name_not_found:missing:"
    assert (caught.value.line, caught.value.column) == (3, 11)


def test_variable_without_value():
    """A program fails when it reads a variable before its first assignment."""
    error = failure("if False:\n a = 1\nend\nb = 2 * a\n")
    assert error.text == "name 'a' is not defined"
    assert (error.line, error.column) == (4, 9)


def test_local_variable_without_value():
    """A function fails when it reads its variable before the first assignment."""
    error = failure("def f():\n if False:\n  local a = 1\n end\n return a\nend\nf()\n")
    assert error.text == "name 'a' is not defined"
    assert error.line == 5
