// The runtime of exported WebAssembly modules, as the Python package ships it.
export { Arm, loadArm } from "../../../src/armtwin/codegen/assets/armtwin.js";
export type { BoundFunction, Branch, Manifest, Parameter } from "../../../src/armtwin/codegen/assets/armtwin.js";
