// Arrays as viewer/arrays.py packs them.
import type { Tables } from "./kernels/comparison";

export interface Packed {
  readonly arrays: readonly { readonly name: string; readonly rows: number; readonly columns: number }[];
  readonly data: string;
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
