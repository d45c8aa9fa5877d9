// The data of a page, as viewer/view.py writes it, and how its blocks are unpacked.
import type { Limit, Tables } from "../kernels/comparison";
import type { Figures } from "../kernels/figures";
import type { Manifest } from "../kernels/runtime";
import type { ArmDescription } from "../scene/types";

export interface SliderDescription {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  readonly lower: number;
  readonly value: number;
  readonly upper: number;
  readonly parameters: readonly string[];
}

export interface Contact {
  readonly time: number;
  readonly end: number;
  readonly joint: number;
  readonly torque: number;
  readonly text: string;
}

interface Packed {
  readonly arrays: readonly { readonly name: string; readonly rows: number; readonly columns: number }[];
  readonly data: string;
}

export interface RecordingContent {
  readonly name: string;
  readonly timed: boolean;
  readonly rows: number;
  readonly kept: number;
  readonly stride: number;
  readonly packed: Packed;
  readonly figures: readonly Figures[];
  readonly all_rows: readonly Figures[];
  readonly limits: readonly Limit[];
  readonly failures: readonly string[];
  readonly verdict: string;
  readonly passed: boolean;
  readonly judged: boolean;
  readonly causes: readonly string[];
  readonly notes: readonly string[];
}

export interface Content {
  readonly version: number;
  readonly generator: string;
  readonly arm: ArmDescription;
  readonly meshes: string | null;
  readonly recording: RecordingContent | null;
  readonly contacts: readonly Contact[];
  readonly home: readonly number[];
  readonly kernels: { readonly module: string; readonly manifest: Manifest };
  readonly sliders: readonly SliderDescription[];
  readonly notes: readonly string[];
}

/** Returns the bytes of zlib data in base64. */
export async function unpacked(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const raw = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the arrays of a block: bytes are grouped by their place in the number, column by column. */
export async function unpackedTables(packed: Packed): Promise<Tables> {
  const bytes = await unpacked(packed.data);
  const found: Record<string, { values: Float64Array; columns: number }> = {};
  let at = 0;
  for (const { name, rows, columns } of packed.arrays) {
    const count = rows * columns;
    found[name] = { values: regrouped(bytes.subarray(at, at + 8 * count), rows, columns), columns };
    at += 8 * count;
  }
  return found;
}

/** Returns numbers row by row from bytes that are grouped by place and column. */
export function regrouped(bytes: Uint8Array, rows: number, columns: number): Float64Array {
  const count = rows * columns;
  const plain = new Uint8Array(8 * count);
  for (let place = 0; place < 8; place += 1) for (let k = 0; k < count; k += 1) plain[8 * k + place] = bytes[place * count + k]!;
  const byColumn = new Float64Array(plain.buffer);
  const found = new Float64Array(count);
  for (let row = 0; row < rows; row += 1) for (let k = 0; k < columns; k += 1) found[row * columns + k] = byColumn[k * rows + row]!;
  return found;
}
