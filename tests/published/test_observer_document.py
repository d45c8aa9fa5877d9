"""Figures 3 to 5 of the momentum-observer document, with the exact model and with its own."""

import pytest

from armtwin.model.catalogue.catalogue import load
from armtwin.reproduce.observer.cases import documents_model
from armtwin.reproduce.observer.figures import duration_error, make_observer
from armtwin.reproduce.observer.observer_page import HEADS, row


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the reproduction and the folder of its report."""
    folder = tmp_path_factory.mktemp("observer")
    return *make_observer(folder), folder


def test_reproduced(made):
    """Every figure agrees and every bound holds when the experiment is repeated."""
    done = made[0].reproduction
    assert done.passed
    assert done.count("agrees") == 2


def test_exact_model(made):
    """20 Nm are read as 20 at once and for as long as they act when the model is exact."""
    exact = made[0].cases[0]
    assert exact.reading == pytest.approx(20.0, abs=0.3)
    assert duration_error(exact) <= 0.01
    assert exact.tool_error < 1e-4
    assert exact.at_rest[0] < 0.1
    assert 0 < exact.default_delay <= 0.006


def test_residual_rests_at_zero_only_with_the_exact_model(made):
    """The residual at rest and the tracking error grow when the model is the document's."""
    exact, wrong, rubbed = made[0].cases
    assert exact.at_rest[0] < 0.5 * wrong.at_rest[0] < 0.05 * rubbed.at_rest[0]
    assert exact.tool_error < 0.01 * wrong.tool_error < 0.01 * rubbed.tool_error


def test_friction_hides_the_push_from_the_plain_observer_only(made):
    """The first-order observer is late, the default detector is not, when friction is unknown."""
    rubbed = made[0].cases[2]
    assert not rubbed.first_order_delay <= 0.1
    assert rubbed.default_delay <= 0.01
    assert [alarm.joint for alarm in rubbed.found.alarms] == [2]


def test_documents_model_is_wrong_as_printed():
    """Wrist lengths are Table 2's and link 1 is a cylinder when the document's model is made."""
    model = documents_model(load("ur10e"))
    assert [joint.d for joint in model.joints[3:]] == [0.1639, 0.1157, 0.0922]
    xx, yy, zz, *_ = model.joints[0].link.inertia
    assert len({round(value, 12) for value in (xx, yy, zz)}) == 2


def test_report_is_written(made):
    """The report holds the three figures and the table when a folder is given."""
    _, files, folder = made
    assert {path.name for path in files.values()} == {"observer.html", "observer.pdf"}
    text = (folder / "observer.html").read_text(encoding="utf-8")
    for word in ("Figure 3", "Figure 4", "Figure 5", "20 Nm read as"):
        assert word in text
    assert all(len(row(case)) == len(HEADS) for case in made[0].cases)
