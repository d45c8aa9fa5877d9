"""A page in Chromium computes with an arm's WebAssembly module what wasmtime computes."""

import numpy as np
import pytest
import wasm_engines
from browsers import chromium, needs_browser

import armtwin as at

pytest.importorskip("ziglang", reason="ziglang is not installed")
pytest.importorskip("wasmtime", reason="wasmtime is not installed")
pytestmark = needs_browser


def test_chromium_and_wasmtime_give_equal_bits():
    """Numbers are the same to the last bit when a page runs the module, parameters changed."""
    made = at.wasm_module("ur5e-energy")
    q, qd, tau = np.random.default_rng(1).uniform(-1.5, 1.5, (3, 5, 6))
    inputs = {"q": q, "qd": qd, "tau": tau, "tau_ext": 0 * tau}
    names = ("link_poses", "plant", "friction")
    engine, calls, expected = wasm_engines.InWasmtime(made), [], []
    for values in ({}, {"payload_mass": 2.5, "a2": -0.42, "viscous1": 0.01}):
        engine.set(values)
        calls.append(["set", values])
        expected.append(None)
        for name in names:
            ports = made.to_dict()["functions"][name]["inputs"]
            given = {p["name"]: inputs[p["name"]].ravel().tolist() for p in ports if p["per_row"]}
            calls.append(["run", name, given])
            found = engine.run(name, given)
            expected.append({key: y.ravel().tolist() for key, y in found.items()})
    with chromium() as browser:
        assert wasm_engines.in_chromium(browser, made, calls) == expected
    assert expected[1:4] != expected[5:]
