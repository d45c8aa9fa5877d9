"""Errors carry line, column and the wording of a UR controller."""

import pytest
from script_runs import failure

from armtwin.errors import ArmTwinError
from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptSyntaxError
from armtwin.robots.ur_controller.script.program import ScriptProgram


def refused(source):
    """Return the error that a text is refused with."""
    with pytest.raises(ScriptError) as caught:
        ScriptProgram.load(source)
    return caught.value


def test_unknown_function():
    """An unknown function is reported with the text and place that UR's clients expect."""
    error = refused("def illegal_fun():\n  calldoesntexist()\nend")
    assert error.text == "compile_error_name_not_found:calldoesntexist:"
    assert (error.line, error.column) == (2, 3)
    assert str(error) == "2:3: compile_error_name_not_found:calldoesntexist:"
    assert isinstance(error, ArmTwinError)


@pytest.mark.parametrize(
    ("source", "line", "column", "shown"),
    [
        ('def f():\n  textmsg("log ", get_actual_tcp_pose()\nend', 3, 1, "end"),
        ("def f():\n  a = = 1\nend\n", 2, 7, "  a = = 1"),
        ("def f():\n  a = 1\n", 2, 8, "  a = 1"),
        ("def f()\n  a = 1\nend\n", 2, 3, "  a = 1"),
        ("if True:\n  a = 1\n", 2, 8, "  a = 1"),
        ("a = 1 $ 2\n", 1, 7, "a = 1 $ 2"),
        ('a = "open\nb = 1\n', 1, 5, 'a = "open'),
        ("a\n", 1, 1, "a"),
        ("foo() = 1\n", 1, 1, "foo() = 1"),
        ("foo()[0] = 1\n", 1, 1, "foo()[0] = 1"),
        ("break\n", 1, 1, "break"),
        ("def f():\n continue\nend\n", 2, 2, " continue"),
        ("thread t(a):\nend\nrun t()\n", 1, 1, "thread t(a):"),
        ("x = a[1,2,3]\n", 1, 11, "x = a[1,2,3]"),
        ("i = 0\nfor i in [1, 2]:\nend\n", 2, 1, "for i in [1, 2]:"),
        ("switch (1):\nend\n", 1, 11, "switch (1):"),
    ],
)
def test_syntax_errors(source, line, column, shown):
    """A syntax error names the line, quotes it, and gives the column of what is wrong."""
    error = refused(source)
    assert isinstance(error, ScriptSyntaxError)
    assert error.text == f"syntax_error_on_line:{line}:{shown}:"
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ('str_sub("a")', "Type error: str_sub takes at least 2 arguments (1 given)"),
        ("sin()", "Type error: sin takes exactly 1 argument (0 given)"),
        ("sin(1, 2)", "Type error: sin takes exactly 1 argument (2 given)"),
        ("movej([0,0,0,0,0,0], x=1)", "Type error: movej got an unexpected argument 'x'"),
        ("movej([0,0,0,0,0,0], 1, a=1)", "Type error: movej got an unexpected argument 'a'"),
        ("f(1)", "Type error: f takes exactly 2 arguments (1 given)"),
        ("f(1, 2, 3)", "Type error: f takes exactly 2 arguments (3 given)"),
        ("f(1, c=2)", "Type error: f takes exactly 2 arguments (2 given)"),
        ("t()", "Compile error: 't' is a thread, start it with run"),
        ("struct(1)", "Type error: struct takes one or more named arguments"),
        ("missing.append(1)", "compile_error_name_not_found:missing:"),
    ],
)
def test_wrong_calls(call, text):
    """A call is refused before the program starts when its arguments cannot be right."""
    error = refused(f"def f(a, b):\nend\nthread t():\nend\n  {call}\n")
    assert error.text == text
    assert error.line == 5


@pytest.mark.parametrize("source", ["run f()\n", "x = run missing()\n"])
def test_run_needs_a_thread(source):
    """A start with run is refused when the name is no thread."""
    assert refused("def f():\nend\n" + source).line == 3


@pytest.mark.parametrize(
    ("statement", "column", "text"),
    [
        ("x = 1 / 0", 5, "Division by zero"),
        ("x = 1 % 0", 5, "Division by zero"),
        ("x = 1 + sqrt(-1)", 9, "Math error: square root of -1"),
        ("x = [1,2][5]", 5, "Index out of bounds: index 5, length 2"),
        ("x = [1,2][-1]", 5, "Index out of bounds: index -1, length 2"),
        ('x = to_num("abc")', 5, "to_num: 'abc' is not a valid number"),
        ("movej([1,2,3])", 1, "Type error: q has 6 numbers, 3 given"),
        ('sleep("a")', 1, "Type error: t is a number, not a String"),
        ("set_digital_out(12, True)", 1, "Value error: n is 12, allowed are 0 to 9"),
        (
            "write_output_integer_register(0, 1.5)", 1,
            "Type error: value is an Integer, not a Float",
        ),
        (
            'write_output_float_register(0, "a")', 1,
            "Type error: value is a number, not a String",
        ),
        (
            "write_output_boolean_register(0, 1)", 1,
            "Type error: value is a Boolean, not a Integer",
        ),
        ("read_input_float_register(48)", 1, "Value error: address is 48, allowed are 0 to 47"),
    ],
)  # fmt: skip
def test_runtime_errors(statement, column, text):
    """A runtime exception has the place of the call that failed."""
    error = failure(f"def prog():\n  def f():\n{statement}\n  end\n  f()\nend\n")
    assert error.text == text
    assert (error.line, error.column) == (3, column)


def test_error_in_a_thread():
    """The program fails with the thread's line when a thread fails."""
    error = failure(
        "thread t():\n sleep(0.01)\n x = 1 / 0\nend\nrun t()\nwhile True:\n sync()\nend"
    )
    assert (error.text, error.line) == ("Division by zero", 3)


def test_program_with_parameters():
    """A program is refused when its definition takes arguments."""
    assert "takes no arguments" in refused("def prog(a):\nend\n").text
