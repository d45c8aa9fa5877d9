"""Reachability maps against workspaces that are known, and against a plain count."""

import dataclasses

import numpy as np
import pytest
from strict_arrays import StrictDevice

import armtwin as at
from armtwin.equations.kinematics.manipulability import AXES_INSIDE
from armtwin.errors import InputError
from armtwin.model.arm import Joint, Limits
from armtwin.workspace import device as devices
from armtwin.workspace import reachability
from armtwin.workspace.cell_grid import CellGrid
from armtwin.workspace.joint_ranges import joint_ranges

UPPER, FORE = 0.5, 0.3
TURN = (-np.pi, np.pi)


def planar(limits=(TURN, TURN)):
    """Return an arm of two links that moves in the plane z = 0."""
    rows = [
        Joint(f"joint{k}", a=length, limits=Limits(low, high))
        for k, (length, (low, high)) in enumerate(zip((UPPER, FORE), limits, strict=True), 1)
    ]
    return at.Arm("planar", "standard-dh", tuple(rows))


def elbow():
    """Return an arm of three joints whose tool fills a ball without its core."""
    base = Joint("turn", alpha=np.pi / 2, limits=Limits(*TURN))
    return planar().with_(joints=(base, *planar().joints))


def exact_cells(grid, inner, outer):
    """Return which cells lie wholly within an annulus, and which touch it (nx, ny)."""
    x, y = (grid.edges(axis) for axis in (0, 1))
    near = [
        np.maximum(0, np.maximum(low, -high)) for low, high in ((e[:-1], e[1:]) for e in (x, y))
    ]
    far = [np.maximum(abs(e[:-1]), abs(e[1:])) for e in (x, y)]
    nearest, farthest = (
        np.hypot(*np.meshgrid(*near, indexing="ij")),
        np.hypot(*np.meshgrid(*far, indexing="ij")),
    )
    return (nearest >= inner) & (farthest <= outer), (farthest > inner) & (nearest < outer)


def test_annulus_of_two_links():
    """Reached cells are those of the annulus, and its area is found, when two links turn freely."""
    found = at.reachability(planar(), poses=400_000, cell=0.02)
    inner, outer = UPPER - FORE, UPPER + FORE
    whole, touched = exact_cells(found.grid, inner, outer)
    reached = found.reached[:, :, 0]
    assert found.grid.is_flat and found.outside == 0 and found.hits.sum() == 400_000
    assert (reached[whole]).all()
    assert not reached[~touched].any()
    area = np.pi * (outer**2 - inner**2)
    low, high = found.volume_bounds
    assert low < area < high
    assert found.volume == pytest.approx(area, rel=0.01)


def test_sector_within_joint_limits():
    """Only the part within the limits is reached when joints are limited."""
    limited = planar(((0.0, np.pi / 2), (0.0, np.pi / 2)))
    found = at.reachability(limited, poses=200_000, cell=0.02)
    inner, outer = np.hypot(UPPER, FORE), UPPER + FORE
    # The area swept: |dA| = l1 l2 |sin q2| dq1 dq2, and no point is reached twice.
    area = UPPER * FORE * np.pi / 2
    assert found.volume == pytest.approx(area, rel=0.03)
    cells = found.cells()
    radius = np.hypot(cells["x"], cells["y"])
    assert radius.min() > inner - 0.03 and radius.max() < outer + 0.03


def test_ball_of_three_joints():
    """The volume of a ball without its core is found when three joints turn freely."""
    found = at.reachability(elbow(), poses=1_000_000, cell=0.05)
    exact = 4 / 3 * np.pi * ((UPPER + FORE) ** 3 - (UPPER - FORE) ** 3)
    low, high = found.volume_bounds
    assert low < exact < high
    assert found.volume == pytest.approx(exact, rel=0.03)
    assert found.missed_cells < 0.02 * found.reached.sum()


def test_map_of_a_six_joint_arm_by_hand():
    """Hits, directions, manipulability and condition equal a plain count when samples are few."""
    arm, count = at.load("ur10e"), 20_000
    found = at.reachability(arm, poses=count, cell=0.2, seed=3, device="cpu")
    low, span = joint_ranges(arm)
    shift = np.random.default_rng(3).uniform(size=6)
    roots = np.roots([1, 0, 0, 0, 0, 0, -1, -1])  # x^7 = x + 1
    golden = float(roots[roots.real > 1].real[0])
    steps = golden ** -np.arange(1.0, 7)
    q = low + span * ((shift + np.arange(count)[:, None] * steps) % 1)
    T, J = at.fk(arm, q), at.jacobian(arm, q)
    places = np.floor((T[:, :3, 3] - found.grid.corner) / found.grid.cell).astype(int)
    cell = np.ravel_multi_index(places.T, found.grid.shape)
    sizes = np.linalg.svd(J, compute_uv=False)
    w = sizes.prod(axis=1)
    np.testing.assert_array_equal(found.hits.ravel(), np.bincount(cell, minlength=found.grid.count))
    z = T[:, :3, 2] @ np.array(AXES_INSIDE).T
    part = 3 * ((z >= 0) @ [4, 2, 1]) + np.abs(z).argmax(axis=1)
    pairs = np.unique(np.stack([cell, part]), axis=1)[0]
    np.testing.assert_array_equal(
        found.directions.ravel(), np.bincount(pairs, minlength=found.grid.count)
    )
    for number in np.unique(cell):
        own = np.flatnonzero(cell == number)
        best = own[np.argmax(w[own])]
        place = np.unravel_index(number, found.grid.shape)
        assert found.best[place] == pytest.approx(w[best], rel=1e-6, abs=1e-9)
        assert found.mean[place] == pytest.approx(w[own].mean(), rel=1e-6)
        assert found.condition[place] == pytest.approx(sizes[best, 0] / sizes[best, -1], rel=1e-4)


def test_chunks_and_memory(monkeypatch):
    """The same map results when it is computed in chunks of another size."""
    whole = at.reachability("ur10e", poses=30_000, cell=0.1, device="cpu")
    monkeypatch.setattr(devices.Processor, "rows", 7_001)
    parts = at.reachability("ur10e", poses=30_000, cell=0.1, device="cpu")
    for name in ("hits", "directions", "best", "condition"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_arrays_of_a_device(monkeypatch):
    """The same map results when arrays are those of a device, which never meet NumPy's."""
    expected = at.reachability("ur10e", poses=30_000, cell=0.1, device="cpu")
    monkeypatch.setattr(reachability, "choose", lambda name, states: StrictDevice())
    found = at.reachability("ur10e", poses=30_000, cell=0.1, device="gpu")
    assert found.device == "gpu"
    for name in ("hits", "directions", "best", "condition"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_directions_of_a_fixed_axis():
    """One direction counts in every cell when the tool's axis does not move, even by rounding."""
    found = at.reachability(planar(), poses=50_000, cell=0.05)
    assert set(np.unique(found.directions[found.reached])) == {1}
    assert not found.dexterous.any()


def test_cells_outside_of_a_box_are_counted():
    """Poses outside of the given box are counted as such when a box is given."""
    found = at.reachability(planar(), poses=20_000, box=((0, 0, -0.1), (1, 1, 0.1)), cell=0.05)
    assert found.outside + found.hits.sum() == 20_000
    assert found.outside / 20_000 == pytest.approx(0.75, abs=0.02)


def test_joint_ranges():
    """One turn is sampled where a joint has more, and the limits where it has less."""
    arm = planar(((-2 * np.pi, 2 * np.pi), (0.5, 1.5)))
    low, span = joint_ranges(arm)
    np.testing.assert_allclose(low, [-np.pi, 0.5])
    np.testing.assert_allclose(span, [2 * np.pi, 1.0])
    endless = dataclasses.replace(arm.joints[0], kind="prismatic", limits=Limits())
    with pytest.raises(InputError, match="prismatic and has no limits"):
        joint_ranges(arm.with_(joints=(endless, arm.joints[1])))


def test_border_of_cells():
    """A cell is at the border when a neighbour, also across a corner, is not inside."""
    inside = np.ones((4, 4, 1), bool)
    inside[3, 3, 0] = False
    border = CellGrid((0, 0, 0), 1.0, (4, 4, 1)).border(inside)[:, :, 0]
    expected = inside[:, :, 0].copy()
    expected[1:3, 1:3] = [[False, False], [False, True]]
    np.testing.assert_array_equal(border, expected)
