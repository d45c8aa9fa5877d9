"""Semantics of the language, one by one."""

import pytest
from script_runs import failure, finish, value, variables

from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.runtime.values import List, Pose


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("-2 * -3", 6),
        ("2 - -3", 5),
        ("7 / 2", 3.5),
        ("6 / 3", 2.0),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("-7 % -3", -1),
        ("5.5 % 2", 1.5),
        ("-5.5 % 2", -1.5),
        ("0x1F", 31),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("2147483647 + 1", -2147483648),
        ("65536 * 65536", 0),
        ("3000000000", 3e9),
        ("0000000004000000000000000", 4e15),
        ("000000000000000000000000000007", 7),
        ("0xFFFFFFFFFF", 1099511627775.0),
        ("0x" + 280 * "f", float("inf")),
        (500 * "9", float("inf")),
        ("1 < 2", True),
        ("1 == 1.0", True),
        ('"a" == "a"', True),
        ('"a" != "b"', True),
        ("[1, 2] == [1, 2]", True),
        ("p[1,0,0,0,0,0] == p[1,0,0,0,0,0]", True),
        ("1 < 2 and 2 < 3", True),
        ("True or False and False", True),
        ("True xor True", False),
        ("True xor False", True),
        ("not False and False", False),
        ("not 1 == 2", True),
        ("'single'", "single"),
    ],
)
def test_expressions(expression, expected):
    """An expression has its value and type when operators are combined."""
    found = value(expression)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("expression", "items"),
    [
        ("[1, 2, 3] * 2", (2, 4, 6)),
        ("2 * [1, 2, 3]", (2, 4, 6)),
        ("[1, 2] + [10, 20]", (11, 22)),
        ("[1, 2] - 1", (0, 1)),
        ("[1, 2] * [3, 4]", (3, 8)),
        ("[10, 20] / [4, 5]", (2.5, 4.0)),
        ("10 / [4, 5]", (2.5, 2.0)),
        ("[10, 20] % [3, 7]", (1, 6)),
        ("-[1, 2]", (-1, -2)),
        ("[[1,2],[3,4],[5,6]] * [10, 20]", (50, 110, 170)),
    ],
)
def test_list_arithmetic(expression, items):
    """Lists are combined element by element when they meet in an operator."""
    assert value(expression) == List(items)


def test_matrix_product():
    """A matrix times a matrix is the matrix product when columns match rows."""
    found = value("[[1,2],[3,4]] * [[1,0,1],[0,1,1]]")
    assert found == List((List((1, 2, 3)), List((3, 4, 7))))


def test_matrix_elements():
    """An element of a matrix is read and written by row and column."""
    x = variables("m = [[1,2],[3,4]]\nm[1,0] = 30\na = m[1,0]\nb = m[0]\n")
    assert x("a") == 30
    assert x("b") == List((1, 2))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\n\n\t"])
def test_line_breaks(newline):
    """A program is read when its lines end in any of the usual ways."""
    lines = ["def prog(): # comment", "\tglobal a = 1 # one", "if a == 1:", "a = 2", "end", "end"]
    assert variables(newline.join(lines) + newline)("a") == 2


def test_statements_without_line_breaks():
    """Statements need no separator when the next one begins with a name or keyword."""
    x = variables("global a = # the value follows\n0    global b = 5 c = a + b foo = 1\n")
    assert (x("a"), x("b"), x("c"), x("foo")) == (0, 5, 5, 1)


def test_conditions_over_several_lines():
    """A condition goes on in the next line when the line ends in an operator."""
    source = "a = 3\nif a == 1 or\n   a == 2 or\n   a == 3:\n  b = 1\nelse:\n  b = 0\nend\n"
    assert variables(source)("b") == 1


def test_program_labels_are_skipped():
    """A line that begins with $ is skipped, as in programs made with PolyScope."""
    source = (
        "def prog():\n  set_input_actions_to_default()\n"
        "  step_count = 0.0\n  thread Step_Counter():\n    while (True):\n"
        "      step_count = step_count + 1.0\n      sync()\n    end\n  end\n"
        '  run Step_Counter()\n  $ 1 "Robot Program"\n$ 2 "var_1= True"\n'
        "  global var_1= True\n  sleep(0.01)\nend\n"
    )
    x = variables(source)
    assert x("var_1") is True
    assert x("step_count") == 5.0


def test_strings_keep_backslashes():
    """A string has no escape sequences when it holds a backslash."""
    assert value(r'"a\n"') == "a\\n"


def test_lists_are_copied():
    """A list stays as it was when a copy of it is changed."""
    x = variables("a = [1,2,3]\nb = a\nb[0] = 9\n")
    assert x("a") == List((1, 2, 3))
    assert x("b") == List((9, 2, 3))


def test_arguments_are_copied():
    """A caller's pose stays as it was when the function changes its parameter, even named p."""
    x = variables(
        "def scale(p, k):\n p[0] = p[0] * k\n return p\nend\na = p[1,2,3,0,0,0]\nb = scale(a, 2)\n"
    )
    assert x("a") == Pose((1, 2, 3, 0, 0, 0))
    assert x("b") == Pose((2, 2, 3, 0, 0, 0))


def test_structs():
    """Members of a struct are read, written, indexed and copied when used as documented."""
    x = variables(
        's = struct(n = 1, text = "hi", inner = struct(v = [1,2,3]))\n'
        "t = s\nt.n = 5\nt.inner.v[1] = 20\na = t.inner.v[1]\nb = s.inner.v[1]\nc = t[0]\n"
    )
    assert (x("a"), x("b"), x("c")) == (20, 2, 5)


def test_struct_member_keeps_its_type():
    """A member refuses a value of another type when it is assigned."""
    error = failure('s = struct(n = 1)\ns.n = "text"\n')
    assert "Type error" in error.text
    assert (error.line, error.column) == (2, 1)


def test_list_methods():
    """Methods change their list in place when it has room."""
    x = variables(
        "a = make_list(0, 0, 4)\na.append(1)\na.append(2)\na.insert(0, 5)\n"
        "last = a.pop()\nn = a.length()\nroom = a.excess_capacity()\na.remove(0)\n"
        "a.extend([7, 8])\npart = a.slice(1, 3)\nb = a\nb.clear()\n"
    )
    assert (x("last"), x("n"), x("room")) == (2, 2, 2)
    assert x("a") == List((1, 7, 8))
    assert x("part") == List((7, 8))
    assert x("b") == List(())


def test_list_is_full():
    """A list raises an exception when it would grow beyond its capacity."""
    assert "capacity" in failure("a = [1]\na.append(2)\n").text


def test_default_and_named_arguments():
    """Parameters take named arguments and defaults when some are left out."""
    x = variables(
        "k = 4\ndef f(a, b=k+1, c=[1,2]):\n return [a, b, c[1]]\nend\n"
        "r = f(1)\ns = f(c=[5,6], a=2)\nt = f(1, 2)\n"
    )
    assert x("r") == List((1, 5, 2))
    assert x("s") == List((2, 5, 6))
    assert x("t") == List((1, 2, 2))


def test_recursion():
    """A function calls itself when it has to."""
    source = (
        "def fact(n):\n if n < 2:\n return 1\n end\n return n * fact(n - 1)\nend\nx = fact(10)\n"
    )
    assert variables(source)("x") == 3628800


def test_loops():
    """A loop ends at break and starts over at continue."""
    x = variables(
        "i = 0\ns = 0\nwhile True:\n i = i + 1\n if i == 3:\n continue\n end\n"
        " if i > 5:\n break\n end\n s = s + i\nend\n"
    )
    assert x("s") == 1 + 2 + 4 + 5


def test_branches():
    """The first condition that holds decides when there are several."""
    source = (
        "def f(n):\n if n == 0:\n return 0\n elif n < 5:\n return 1\n"
        " elif n < 10:\n return 2\n else:\n return 3\n end\nend\n"
    )
    calls = "a = f(0)\nb = f(4)\nc = f(7)\nd = f(70)\n"
    x = variables(source + calls)
    assert [x(name) for name in "abcd"] == [0, 1, 2, 3]


def test_return_at_the_end_of_a_line():
    """A return at the end of a line gives nothing when a call stands in the next line."""
    host = finish('def f():\n  return # nothing\n  textmsg("not reached")\nend\nf()\n')
    assert host.messages == []


@pytest.mark.parametrize("condition", ["1", "0.5", '"text"', "not 0", 'not ""'])
def test_conditions_of_other_types(condition):
    """Numbers and strings count as true when they are not zero or empty."""
    assert variables(f"a = 0\nif {condition}:\n a = 1\nend\n")("a") == 1


def test_short_circuit():
    """The second operand is not evaluated when the first decides."""
    source = 'def f():\n textmsg("called")\n return True\nend\na = False and f()\nb = True or f()\n'
    assert finish(source).messages == []


@pytest.mark.parametrize(
    "expression",
    ["True + 1", '"a" + 1', "[1] + [1, 2]", "p[0,0,0,0,0,0] * 2", "-True", '"a" < 1', "[1] < [2]",
     "[1, 2][True]", "1[0]", "[1].x"],
)  # fmt: skip
def test_wrong_types(expression):
    """An operator raises a type error with its position when types do not fit."""
    with pytest.raises((ScriptError, AssertionError)) as caught:
        value(expression)
    assert "Type error" in str(caught.value) or "syntax_error" in str(caught.value)


def test_functions_and_variables_have_separate_names():
    """A variable may have the name of a function when both are used."""
    x = variables("time = 5\nnorm = norm(-3)\nlength = length([1,2])\n")
    assert (x("time"), x("norm"), x("length")) == (5, 3, 2)


def test_keywords_with_brackets():
    """The keyword halt ends a program, with or without brackets."""
    from script_runs import execute

    from armtwin.robots.ur_controller.script.program import State

    for text in ("halt", "halt()"):
        run, host = execute(f'textmsg("a")\n{text}\ntextmsg("b")\n')
        assert (run.state, host.messages) == (State.HALTED, ["a"])
