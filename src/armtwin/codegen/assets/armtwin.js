/* Runs a WebAssembly module that armtwin wrote: functions of an arm over rows of numbers.
   Works in pages, workers, Node and Deno; needs no other file but the module and its manifest. */

const ALIGNMENT = 16;
const PAGE = 65536;
const aligned = (bytes) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/* Loads a module. `code`: its bytes, a fetch Response, or a WebAssembly.Module. */
export async function loadArm(code, manifest) {
  if (manifest?.format !== "armtwin-wasm" || manifest.version !== 1)
    throw new TypeError("the manifest is not one of armtwin-wasm, version 1");
  const known = await code;
  const module =
    known instanceof WebAssembly.Module
      ? known
      : await WebAssembly.compile("arrayBuffer" in known ? await known.arrayBuffer() : known);
  return new Arm(await WebAssembly.instantiate(module, {}), manifest);
}

export class Arm {
  #exports;
  #constants = new Map(); // of functions, for the parameters as they are
  #free; // where memory that no bound function keeps begins

  constructor(instance, manifest) {
    this.#exports = instance.exports;
    this.#free = aligned(instance.exports[manifest.heap].value);
    this.manifest = manifest;
    this.parameters = Float64Array.from(manifest.parameters, (p) => p.value);
    this.places = new Map(manifest.parameters.map((p, i) => [p.name, i]));
  }

  /* Sets numbers of the arm by name, such as {payload_mass: 2}; functions use them from now on. */
  set(values) {
    for (const [name, value] of Object.entries(values)) {
      const place = this.places.get(name);
      if (place === undefined) throw new RangeError(`the arm has no parameter ${name}`);
      if (!Number.isFinite(value)) throw new RangeError(`${name} is ${value}, not a number`);
      this.parameters[place] = value;
    }
    this.#constants.clear();
  }

  /* Sets every number back to the arm's own. */
  reset() {
    this.manifest.parameters.forEach((p, i) => (this.parameters[i] = p.value));
    this.#constants.clear();
  }

  /* Runs a function on one state or on rows of states, given one after the other.
     Inputs that the manifest has a value for may be left out. Returns the outputs by name. */
  run(name, inputs) {
    const about = this.manifest.functions[name];
    if (!about) throw new RangeError(`the module has no function ${name}`);
    const rows = this.#rows(name, about, inputs);
    const given = about.inputs.map((port) => this.#input(name, about, port, inputs, rows));
    return this.#call(about.export, rows, given, about.outputs);
  }

  /* Returns a function with memory of its own for a number of rows: write into `inputs`, call
     `run()`, read `outputs`, without copies. Inputs are 0 until they are set, or the arm's own values.
     For loops that call it many times. */
  bind(name, rows = 1) {
    const about = this.manifest.functions[name];
    if (!about) throw new RangeError(`the module has no function ${name}`);
    if (!(Number.isInteger(rows) && rows > 0)) throw new RangeError(`rows is ${rows}`);
    const ports = [...about.inputs, ...about.outputs];
    const lengths = ports.map((port) => (port.per_row === false ? port.size : rows * port.size));
    const places = this.#places(lengths);
    this.#free = places.at(-1) + aligned(8 * lengths.at(-1));
    const view = (i) => new Float64Array(this.#exports.memory.buffer, places[i], lengths[i]);
    const exported = this.#exports[about.export];
    const place = about.inputs.findIndex((port) => port.name === "c" && about.constants);
    let constants = null;
    const run = () => {
      const now = place < 0 ? null : this.#constantsOf(about.constants, ports[place]);
      if (now !== constants) view(place).set((constants = now));
      exported(rows, ...places);
    };
    const bound = new BoundFunction(about, view, run);
    about.inputs.forEach((port) => bound.inputs[port.name].fill(0)); // not what lay there before
    for (const port of about.inputs) if (port.value) bound.inputs[port.name].set(port.value);
    return bound;
  }

  /* Returns the branches of a pose (16 numbers, row by row) that are within reach and limits, the
     nearest to the seed first: [{q, branch, singular}]. Needs the function ik. */
  inverse(T, seed, more = {}) {
    const limits = this.manifest.inverse;
    if (!limits) throw new RangeError("the arm has no closed form; use ik_descent");
    const out = this.run("ik", this.#redundancy({ T, seed, ...more }));
    const found = [];
    const [count, dof] = this.#shape("ik", "q");
    const least = (values, k) => {
      const width = values.length / count;
      return Math.min(...values.subarray(k * width, (k + 1) * width));
    };
    for (let k = 0; k < count; k++) {
      if (!(least(out.margins, k) >= limits.exact_margin && out.excess[k] <= 0)) continue;
      const q = out.q.slice(k * dof, (k + 1) * dof);
      const singular = !(least(out.sines, k) >= limits.singular);
      found.push({ q, branch: k, singular, distance: out.distance[k] });
    }
    return found.sort((a, b) => a.distance - b.distance);
  }

  #redundancy(inputs) {
    const wanted = this.manifest.inverse.redundancy && !inputs.redundancy;
    return wanted ? { ...inputs, redundancy: [0, 1] } : inputs;
  }

  #shape(name, output) {
    return this.manifest.functions[name].outputs.find((port) => port.name === output).shape;
  }

  #rows(name, about, inputs) {
    const first = about.inputs.find((port) => port.per_row);
    const rows = (inputs[first.name]?.length ?? NaN) / first.size;
    if (Number.isInteger(rows) && rows > 0) return rows;
    throw new RangeError(`${name}: ${first.name} needs ${first.size} numbers a row`);
  }

  #input(name, about, port, inputs, rows) {
    if (port.name === "c" && about.constants) return this.#constantsOf(about.constants, port);
    const values = inputs[port.name] ?? port.value;
    const wanted = port.per_row ? rows * port.size : port.size;
    if (values?.length === wanted) return values;
    throw new RangeError(`${name}: ${port.name} needs ${wanted} numbers, not ${values?.length}`);
  }

  #constantsOf(name, port) {
    if (!this.#constants.has(name))
      this.#constants.set(name, this.#call(name, 1, [this.parameters], [port])[port.name]);
    return this.#constants.get(name);
  }

  #call(name, rows, inputs, outputs) {
    const lengths = [...inputs.map((x) => x.length), ...outputs.map((port) => rows * port.size)];
    const places = this.#places(lengths);
    const memory = new Float64Array(this.#exports.memory.buffer);
    inputs.forEach((x, i) => memory.set(x, places[i] / 8));
    this.#exports[name](rows, ...places);
    const read = (port, i) => {
      const start = places[inputs.length + i] / 8;
      return [port.name, memory.slice(start, start + rows * port.size)];
    };
    return Object.fromEntries(outputs.map(read));
  }

  #places(lengths) {
    const places = [];
    let at = this.#free;
    for (const length of lengths) {
      places.push(at);
      at += aligned(8 * length);
    }
    const memory = this.#exports.memory;
    const missing = at - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return places;
  }
}

/* A function with memory of its own. Views of memory that has grown since are made anew. */
class BoundFunction {
  #about;
  #view;
  #first = []; // an array of the views; its length is 0 after memory has grown
  #inputs;
  #outputs;

  constructor(about, view, run) {
    this.#about = about;
    this.#view = view;
    this.run = run;
  }

  get inputs() {
    if (this.#first.length === 0) this.#renew();
    return this.#inputs;
  }

  get outputs() {
    if (this.#first.length === 0) this.#renew();
    return this.#outputs;
  }

  #renew() {
    const { inputs, outputs } = this.#about;
    const named = (ports, start) =>
      Object.fromEntries(ports.map((port, i) => [port.name, this.#view(start + i)]));
    this.#inputs = named(inputs, 0);
    this.#outputs = named(outputs, inputs.length);
    this.#first = this.#inputs[inputs[0].name];
  }
}
