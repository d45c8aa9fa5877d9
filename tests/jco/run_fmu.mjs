// Runs an FMU's WebAssembly component through jco: node run_fmu.mjs COMPONENT FOLDER <task >answers
// The task is a list of runs; each makes an instance, calls methods in turn, and keeps what they
// return: [["method", argument ...] ...]. Errors are kept as their text.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { transpileBytes } from "@bytecodealliance/jco-transpile";

const [component, folder] = process.argv.slice(2);
const options = { name: "fmu", instantiation: "sync", emitTypescriptDeclarations: false };
const made = await transpileBytes(readFileSync(component), { ...options, wasiShim: false });
for (const [name, data] of Object.entries(made.files)) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, data);
}
writeFileSync(join(folder, "package.json"), '{"type": "module"}');
const { instantiate } = await import(pathToFileURL(join(folder, "fmu.js")));
const log = [];
const callbacks = { logMessage: (...words) => log.push(words) };
const load = (name) => new WebAssembly.Module(readFileSync(join(folder, name)));
const fmu = instantiate(load, { "fmi:fmi3/callbacks": callbacks });

const KINDS = {
  cs: [fmu.coSimulation?.CoSimulationInstance, "instantiateCoSimulation"],
  me: [fmu.modelExchange?.ModelExchangeInstance, "instantiateModelExchange"],
};
const typed = (x) => (x?.u32 ? new Uint32Array(x.u32) : x?.f64 ? new Float64Array(x.f64) : x);
const plain = (_, x) =>
  ArrayBuffer.isView(x) ? Array.from(x) : typeof x === "bigint" ? Number(x) : x;

// Classical Runge-Kutta steps of model exchange, as the compiled loop takes them.
function rungeKutta(instance, run) {
  const { inputs, outputs, rows, times, longest } = run;
  const set = (values) => instance.setFloat64(inputs, new Float64Array(values));
  const found = [];
  let x = Array.from(instance.getContinuousStates());
  for (let row = 0; row < times.length; row++) {
    instance.setTime(times[row]);
    set(rows[row]);
    found.push(Array.from(instance.getFloat64(outputs)));
    if (row === times.length - 1) break;
    const [a, b] = [times[row], times[row + 1]];
    const slopes = (at, state) => {
      const s = (at - a) / (b - a);
      instance.setTime(at);
      set(rows[row].map((u, i) => u + s * (rows[row + 1][i] - u)));
      instance.setContinuousStates(new Float64Array(state));
      return Array.from(instance.getContinuousStateDerivatives());
    };
    let at = a;
    while (at < b) {
      const parts = (b - at) / longest;
      const count = Math.trunc(parts) + (Math.trunc(parts) < parts * (1 - 1e-12) ? 1 : 0);
      const next = count > 1 ? at + (b - at) / count : b;
      const h = next - at;
      const k = [slopes(at, x)];
      for (const reach of [0.5, 0.5, 1])
        k.push(slopes(at + reach * h, x.map((v, i) => v + reach * h * k.at(-1)[i])));
      x = x.map((v, i) => v + (h / 6) * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]));
      instance.setTime(next);
      instance.setContinuousStates(new Float64Array(x));
      at = next;
    }
  }
  return found;
}

function answers(run) {
  const [type, make] = KINDS[run.mode];
  const instance = type[make](...run.made.map(typed));
  if (!instance) return null;
  const found = run.calls.map(([method, ...given]) => {
    try {
      if (method === "rungeKutta") return rungeKutta(instance, ...given);
      return instance[method](...given.map(typed)) ?? null;
    } catch (error) {
      return `${error.payload ?? error}`;
    }
  });
  instance[Symbol.dispose]();
  return found;
}

const task = JSON.parse(readFileSync(0, "utf8"));
const found = { version: fmu.common.getVersion(), runs: task.map(answers), log };
process.stdout.write(JSON.stringify(found, plain));
