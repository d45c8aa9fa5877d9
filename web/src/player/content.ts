// A recording that the app plays, as `viewer/playback.py` gives it: what it holds, and windows of it.
import { unpackedTables, type Packed } from "../arrays";
import type { Tables } from "../kernels/comparison";
import { request } from "../robot/requests";

export interface Span {
  readonly time: number;
  readonly end: number;
  readonly text: string;
}

export interface PlayedContact extends Span {
  readonly joint: number;
  readonly torque: number;
}

export interface PlaybackInfo {
  readonly name: string;
  readonly timed: boolean;
  readonly rows: number;
  readonly end: number;
  readonly signals: readonly string[];
  readonly error: boolean;
  readonly ghost: boolean;
  /** What the ghost is. */
  readonly ghost_name: string;
  readonly contacts: readonly PlayedContact[];
  readonly stops: readonly Span[];
  readonly notes: readonly string[];
}

/** A part of a recording: charts by smallest and largest values, and poses at some of its rows. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly charts: Tables;
  /** Rows that each pair of values in the charts stands for. */
  readonly factor: number;
  readonly frames: Tables;
}

interface PackedWindow {
  readonly charts: Packed;
  readonly factor: number;
  readonly frames: Packed;
}

export interface Wanted {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  readonly frames: number;
}

export async function readWindow(job: string, { from, to, buckets, frames }: Wanted): Promise<Window> {
  const query = new URLSearchParams({ start: String(from), end: String(to), buckets: String(buckets), frames: String(frames) });
  const packed = await request<PackedWindow>("GET", `/api/jobs/${job}/playback/window?${query}`);
  const [charts, drawn] = await Promise.all([unpackedTables(packed.charts), unpackedTables(packed.frames)]);
  return { from, to, charts, factor: packed.factor, frames: drawn };
}

export const timesOf = (tables: Tables): Float64Array => tables["time"]?.values ?? new Float64Array();

/** Returns one row of an array; null where there is no such array. */
export function rowOf(tables: Tables, name: string, row: number): Float64Array | null {
  const table = tables[name];
  return table ? table.values.subarray(row * table.columns, (row + 1) * table.columns) : null;
}
