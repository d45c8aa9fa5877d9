"""Builtin functions of values: numbers, strings, lists and poses."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from script_runs import failure, finish, value

from armtwin.robots.ur_controller.script.builtins import BUILTINS, poses
from armtwin.robots.ur_controller.script.runtime.values import List, Pose


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("acos(0)", math.pi / 2),
        ("asin(1)", math.pi / 2),
        ("atan(1)", math.pi / 4),
        ("atan2(1, -1)", 3 * math.pi / 4),
        ("cos(0)", 1.0),
        ("sin(0.5)", math.sin(0.5)),
        ("tan(0.5)", math.tan(0.5)),
        ("ceil(1.2)", 2),
        ("ceil(-1.2)", -1),
        ("floor(1.8)", 1),
        ("floor(-1.2)", -2),
        ("d2r(180)", math.pi),
        ("r2d(1)", math.degrees(1)),
        ("log(2, 8)", 3.0),
        ("pow(2, 10)", 1024.0),
        ("sqrt(16)", 4.0),
        ("norm(-3)", 3),
        ("norm(-1.5)", 1.5),
        ("norm([3, 4])", 5.0),
        ("norm(p[1,2,2,0,0,0])", 3.0),
        ("binary_list_to_integer([True, False, True])", 5),
        ("binary_list_to_integer([])", 0),
        ("binary_list_to_integer(integer_to_binary_list(-7))", -7),
    ],
)
def test_numbers(expression, expected):
    """A function of numbers returns its value and type."""
    found = value(expression)
    assert found == pytest.approx(expected, abs=1e-15)
    assert type(found) is type(expected)


def test_bits():
    """An integer has 32 bits, the least significant first."""
    bits = value("integer_to_binary_list(6)").items
    assert len(bits) == 32
    assert bits[:4] == (False, True, True, False)


@pytest.mark.parametrize(
    "expression",
    ["acos(2)", "asin(-1.1)", "sqrt(-1)", "log(1, 2)", "log(2, -1)", "pow(-8, 0.5)", "pow(0, -1)",
     "pow(10, 400)", "normalize([0,0])", "inv([[1,2],[2,4]])"],
)  # fmt: skip
def test_undefined_results(expression):
    """A function raises a runtime exception when its value is not defined."""
    assert "Math error" in failure(f"x = {expression}\n").text


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('str_cat("a", "b")', "ab"),
        ('str_cat("v=", 2.5)', "v=2.5"),
        ("str_cat(1, True)", "1True"),
        ('str_cat("", [1, 2.25, 3])', "[1, 2.25, 3]"),
        ('str_cat("", p[1,2,3,0,0,0.5])', "p[1, 2, 3, 0, 0, 0.5]"),
        ("to_str(2.123456123456)", "2.123456"),
        ("to_str(1.0)", "1"),
        ("to_str(-0.0)", "0"),
        ("to_str([True, False])", "[True, False]"),
        ('str_len("hello")', 5),
        ('str_len("ä")', 2),
        ('str_sub("hello", 1, 3)', "ell"),
        ('str_sub("hello", 3)', "lo"),
        ('str_sub("hello", 3, 100)', "lo"),
        ('str_sub("hello", 5)', ""),
        ('str_at("hello", 1)', "e"),
        ('str_find("hello", "l")', 2),
        ('str_find("hello", "l", 3)', 3),
        ('str_find("hello", "z")', -1),
        ('str_empty("")', True),
        ('str_empty("a")', False),
        ('to_num("10")', 10),
        ('to_num(" -5")', -5),
        ('to_num("0xb5")', 0xB5),
        ('to_num("2.5E-5")', 2.5e-5),
        ('to_num("10e3")', 10e3),
        ('to_num("INF")', math.inf),
    ],
)
def test_strings(expression, expected):
    """A function of strings returns its value and type."""
    found = value(expression)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "expression",
    ['str_at("a", 1)', 'str_sub("a", 2)', 'str_sub("a", 0, -1)', 'to_num("1x")', 'to_num("")',
     'to_num("99999999999")', "str_len(5)", "to_str(textmsg(1))"],
)  # fmt: skip
def test_strings_out_of_bounds(expression):
    """A function of strings raises a runtime exception when its arguments are wrong."""
    assert failure(f"x = {expression}\n").text


def test_log_text():
    """A log message joins its arguments as a controller's log does."""
    host = finish('textmsg("pose ", p[0.605825, -0.01113681, 1, 0, 0, 0])\ntextmsg("a=", 1.5)\n')
    assert host.messages == ["pose p[0.605825,-0.0111368,1,0,0,0]", "a=1.5"]


def test_lists():
    """Functions of lists and matrices return lengths, sizes and transposes."""
    assert value("get_list_length([1,2,3])") == 3
    assert value('length("abc")') == 3
    assert value("size([[1,2,3],[4,5,6]])") == List((2, 3))
    assert value("size([1,2])") == 2
    assert value("transpose([[1,2],[3,4]])") == List((List((1, 3)), List((2, 4))))
    assert value("make_list(3, 0.5)") == List((0.5, 0.5, 0.5))
    assert value("normalize([3, 4])") == List((0.6, 0.8))


def test_inverse_matrix():
    """A matrix times its inverse is the identity."""
    product = value("m * inv(m)", "m = [[2,1,0],[1,3,1],[0,1,4]]")
    rows = [row.items for row in product.items]
    assert np.allclose(rows, np.eye(3), atol=1e-12)


def test_least_squares():
    """The normal equations solve a linear system when written with matrix functions."""
    before = "A = [[1,1],[1,2],[1,3]]\nb = [6, 0, 0]\n"
    found = value("inv(transpose(A) * A) * transpose(A) * b", before)
    assert np.allclose(found.items, [8, -3])


def rotation(p):
    """Return position and rotation of a pose."""
    return np.array(p.items[:3]), Rotation.from_rotvec(p.items[3:])


def same(p, position, turn):
    """Return whether a pose has a position and rotation."""
    x, R = rotation(p)
    return np.allclose(x, position, atol=1e-9) and (R.inv() * turn).magnitude() < 1e-9


numbers = st.floats(-1.5, 1.5)
some_poses = st.tuples(*[numbers] * 6).map(Pose)


@settings(max_examples=60, deadline=None)
@given(a=some_poses, b=some_poses, share=st.floats(-0.5, 1.5))
def test_poses_agree_with_scipy(a, b, share):
    """Functions of poses agree with SciPy's rotations for random poses."""
    (x, R), (y, S) = rotation(a), rotation(b)
    assert same(poses.pose_trans(a, b), x + R.apply(y), R * S)
    assert same(poses.pose_inv(a), -R.inv().apply(x), R.inv())
    assert same(poses.pose_add(a, b), x + y, R * S)
    assert same(poses.pose_sub(a, b), x - y, R * S.inv())
    turn = Rotation.from_rotvec(share * (R.inv() * S).as_rotvec())
    assert same(poses.interpolate_pose(a, b, share), x + share * (y - x), R * turn)
    assert poses.point_dist(a, b) == pytest.approx(np.linalg.norm(x - y))
    back = poses.rpy2rotvec(poses.rotvec2rpy(List(a.items[3:])))
    assert (Rotation.from_rotvec(back.items).inv() * R).magnitude() < 1e-9


@settings(max_examples=30, deadline=None)
@given(a=some_poses, w=st.tuples(*[numbers] * 6))
def test_wrench_keeps_its_power(a, w):
    """A wrench and a twist have the same power when both are seen from another frame."""
    p, R = rotation(a)
    v, omega = np.array([0.3, -0.2, 0.1]), np.array([0.5, 0.4, -0.3])
    moved = np.array(poses.wrench_trans(a, List(w)).items)
    v_there, omega_there = R.inv().apply(v + np.cross(omega, p)), R.inv().apply(omega)
    power = np.dot(w[:3], v) + np.dot(w[3:], omega)
    assert moved[:3] @ v_there + moved[3:] @ omega_there == pytest.approx(power, abs=1e-9)


def test_rpy():
    """Roll, pitch and yaw are extrinsic rotations about x, y and z."""
    found = value("rpy2rotvec([0.1, 0.2, 0.3])").items
    expected = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_rotvec()
    assert np.allclose(found, expected)


def test_random_is_repeatable():
    """Random numbers lie between 0 and 1 and repeat in the next run."""
    first = value("[random(), random()]")
    assert first == value("[random(), random()]")
    assert all(0 <= item < 1 for item in first.items)


@pytest.mark.parametrize("builtin", BUILTINS.values(), ids=lambda b: b.name)
def test_every_builtin_is_documented(builtin):
    """A builtin has a signature, and a docstring unless it only reads a field."""
    assert builtin.signature.startswith(f"{builtin.name}(")
    assert builtin.function.__doc__ or builtin.function.__name__ == "read"
