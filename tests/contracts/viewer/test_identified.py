"""Sliders of a page over the 95 % intervals of an identification or a calibration."""

import json
from dataclasses import asdict

import numpy as np
import pytest

import armtwin as at
from armtwin.calibration.pose_errors import FittedParameter
from armtwin.codegen.functions import arm_functions
from armtwin.errors import InputError
from armtwin.identification.result.estimates import Estimate
from armtwin.viewer.adjustment.identified_intervals import identified_intervals
from armtwin.viewer.adjustment.sliders import sliders
from armtwin.viewer.kernels import GROUPS

ARM = "ur5e-energy"


def made(found=None, payload=0.0):
    """Return the sliders of the arm by group and name."""
    arm = at.load(ARM)
    kernels = {"manifest": {"parameters": list(arm_functions(arm, (), GROUPS).numbers)}}
    given = sliders(arm, kernels, (payload, np.zeros(3)), found)
    return {f"{slider['group']} {slider['name']}": slider for slider in given}


def friction_rows(arm, joint):
    """Return estimates of a joint's friction, 10 % to each side of the arm's own."""
    law = arm.driven[joint - 1].drive.friction
    numbers = [(n, v) for n, v in law.parameters if n != "smoothing"]
    return [Estimate(f"{n}{joint}", "Nm", v, 0.9 * v, 1.1 * v, v, "data", joint)
            for n, v in numbers]  # fmt: skip


def fit_file(folder, rows, **changes):
    """Write what ``armtwin identify --json`` prints, and return the file."""
    data = {"arm": ARM, "fingerprint": "", "estimates": [asdict(row) for row in rows], **changes}
    path = folder / changes.get("file", "fit.json")
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_ranges_are_defaults_without_intervals():
    """No slider names a source when nothing was identified."""
    found = made()
    assert all(slider["interval"] is None and not slider["source"] for slider in found.values())
    assert found["Friction all joints"]["parameters"]


def test_sliders_cover_identified_intervals(tmp_path):
    """Payload and friction go from end to end of their intervals when a fit is given."""
    arm = at.load(ARM)
    rows = friction_rows(arm, 2)
    rows.append(Estimate("payload_mass", "kg", 2.0, 1.8, 2.2, None, "data", 0))
    rows.append(Estimate("offset2", "A", 0.1, 0.0, 0.2, None, "data", 2))
    known = identified_intervals(arm, fit_file(tmp_path, rows))
    found = made(known.found, payload=2.0)
    mass = found["Payload mass"]
    assert (mass["lower"], mass["value"], mass["upper"]) == (1.8, 2.0, 2.2)
    assert mass["source"] == "fit.json"
    own = dict(arm.driven[1].drive.friction.parameters)
    viscous = found["Friction J2 viscous"]
    assert (viscous["lower"], viscous["upper"]) == (0.9 * own["viscous"], 1.1 * own["viscous"])
    assert not {"viscous2", "viscous1"} <= set(found["Friction other torques"]["parameters"])
    assert found["Joint zeros joint 2"]["interval"] is None  # a sensor's offset is no joint's zero


def test_a_value_outside_its_interval_widens_the_range(tmp_path):
    """The range holds interval and value when the arm's number is not inside."""
    rows = [Estimate("payload_mass", "kg", 2.0, 1.8, 2.2, None, "data", 0)]
    known = identified_intervals(at.load(ARM), fit_file(tmp_path, rows))
    mass = made(known.found)["Payload mass"]
    assert (mass["lower"], mass["value"], mass["upper"]) == (0.0, 0.0, 2.2)
    assert mass["interval"] == [1.8, 2.2]


def test_a_payload_inside_the_last_link_is_said(tmp_path):
    """Its interval is not used, and a note says why, when the arm is the identified one."""
    arm = at.load(ARM)
    rows = [*friction_rows(arm, 1), Estimate("payload_mass", "kg", 2, 1.8, 2.2, None, "data", 0)]
    known = identified_intervals(arm, fit_file(tmp_path, rows, fingerprint=arm.fingerprint))
    assert "payload_mass" not in known.found
    assert "part of this arm's last link" in known.notes[0]


def test_geometry_covers_calibrated_intervals(tmp_path):
    """Lengths, twists, zeros and tool have their intervals when a calibration is given."""
    arm = at.load(ARM)
    rows = [
        FittedParameter(name, unit, value, value, value - 1e-4, value + 1e-4)
        for name, unit, value in (
            ("a2", "m", arm.joints[1].a), ("alpha2", "rad", arm.joints[1].alpha),
            ("theta3", "rad", arm.joints[2].theta), ("tool_z@here", "m", 0.0),
            ("base_x@here", "m", 0.0),
        )
    ]  # fmt: skip
    data = {"arm": ARM, "chosen": "geometry", "parameters": [asdict(row) for row in rows]}
    path = tmp_path / "fit.json"
    path.write_text(json.dumps(data | {"placements": [{"name": "here"}]}), encoding="utf-8")
    found = made(identified_intervals(arm, [path]).found)
    for name in ("Link lengths a2", "Link twists alpha2", "Joint zeros joint 3", "Tool z"):
        assert found[name]["upper"] - found[name]["lower"] == pytest.approx(2e-4)
    assert found["Joint zeros joint 3"]["parameters"] == ["theta3"]
    assert found["Tool x"]["interval"] is None


def test_what_is_no_result_is_refused(tmp_path):
    """The error says what to give when a file is cut, is something else, or of another arm."""
    arm, cut = at.load(ARM), tmp_path / "cut.json"
    cut.write_text('{"estimates": [', encoding="utf-8")
    with pytest.raises(InputError, match=r"cut\.json: not a JSON file, or cut short"):
        identified_intervals(arm, cut)
    cut.write_text('{"rows": 3}', encoding="utf-8")
    with pytest.raises(InputError, match="no result of identify or calibrate"):
        identified_intervals(arm, cut)
    with pytest.raises(InputError, match="cannot be read"):
        identified_intervals(arm, tmp_path / "missing.json")
    with pytest.raises(InputError, match="identified is a float"):
        identified_intervals(arm, 3.0)
    stribeck = [Estimate("stribeck_speed1", "rad/s", 1.0, 0.5, 1.5, None, "data", 1)]
    with pytest.raises(InputError, match="none of its 95 % intervals belongs"):
        identified_intervals(arm, fit_file(tmp_path, stribeck))
