"""Obstacles and the files that list them."""

import numpy as np
import pytest

from armtwin.errors import InputError
from armtwin.motion.clearance.obstacles import Capsule, read_obstacles


def test_file_lists_capsules(tmp_path):
    """Every line is a capsule when a file has comments, commas, empty lines and a BOM."""
    path = tmp_path / "cell.txt"
    path.write_text(
        "# table\n0 0 -0.1  1 0 -0.1  0.05\n\n0.5, 0, 0, 0.5, 0, 1, 0.1  # post\n", "utf-8-sig"
    )
    table, post = read_obstacles(path)
    np.testing.assert_array_equal(table.numbers, [0, 0, -0.1, 1, 0, -0.1, 0.05])
    np.testing.assert_array_equal(post.numbers, [0.5, 0, 0, 0.5, 0, 1, 0.1])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0 0 0 1 1 1", "line 2 has 6 numbers; an obstacle is x y z x y z radius"),
        ("0 0 0 1 1 1 -0.1", "line 2 has 7 numbers"),
        ("0 0 0 1 1 nan 0.1", "line 2 has 7 numbers"),
        ("0 0 zero 1 1 1 0.1", "line 2: could not convert string to float: 'zero'"),
    ],
)
def test_wrong_line_is_named(tmp_path, line, reason):
    """The line and what is wrong with it are named when a line is no obstacle."""
    path = tmp_path / "cell.txt"
    path.write_text(f"0 0 0 0 0 1 0.1\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=reason):
        read_obstacles(path)


def test_unreadable_file_is_named(tmp_path):
    """The file is named when it is not there or no text."""
    binary = tmp_path / "cell.bin"
    binary.write_bytes(b"\xff\xfe\xfd")
    for path in (tmp_path / "none.txt", binary):
        with pytest.raises(InputError, match=f"{path.name}: obstacles cannot be read"):
            read_obstacles(path)


@pytest.mark.parametrize("radius", [-0.1, np.nan, np.inf])
def test_radius_is_checked(radius):
    """A capsule is refused when its radius is negative or not finite."""
    with pytest.raises(InputError, match="radius is 0 or more"):
        _ = Capsule((0, 0, 0), (0, 0, 1), radius).numbers
