"""Fixtures: the built firmware, and a board that runs it."""

import pytest
from simavr_runner.simulated_board import SimulatedBoard, build


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Return the firmware and the runner."""
    return build(tmp_path_factory.mktemp("firmware"))


@pytest.fixture
def uno(built, tmp_path):
    """Return a simulated UNO that runs."""
    board = SimulatedBoard(built, tmp_path)
    board.start()
    yield board
    board.cut_power()
