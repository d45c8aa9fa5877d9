/** What a group of live charts shows: the last seconds, or a range that stands still until the reader goes back. */
import { within } from "../../charts/range";
import type { Range } from "../../charts/types";
import type { LiveBuffer } from "./buffer";
import { windowUpTo } from "./window";

export class LiveView {
  /** The range that stands still; null while the charts follow the robot. */
  held = $state.raw<Range | null>(null);
  /** The time below the cursor, in any chart of the group. */
  at = $state<number | null>(null);
  /** Whether a button or finger is on a chart, which stands meanwhile. */
  pressed = false;
  /** Samples as they were when the range was chosen: newer ones must not push them out. */
  private kept: LiveBuffer | null = null;
  private bounds: Range | null = null;

  constructor(
    private readonly newest: () => LiveBuffer | null,
    /** Length of the window that follows [s]. */
    readonly seconds: () => number,
  ) {}

  get buffer(): LiveBuffer | null {
    return this.kept ?? this.newest();
  }

  /** The range that is shown now. */
  get range(): Range {
    return this.held ?? windowUpTo(this.buffer?.last ?? 0, this.seconds());
  }

  /** Everything that can be shown; a window that has not filled yet is wider than what there is. */
  get limits(): Range {
    const { buffer, range } = this;
    if (this.bounds || !buffer?.fine.count) return this.bounds ?? range;
    return { from: Math.min(buffer.first, range.from), to: Math.max(buffer.last, range.to) };
  }

  /** Shows a range and stands still; null follows the robot again. */
  show(range: Range | null): void {
    if (!range) {
      [this.held, this.kept, this.bounds] = [null, null, null];
      return;
    }
    this.bounds = this.limits;
    this.kept ??= this.newest()?.copy() ?? null;
    this.held = within(range, this.bounds);
  }
}
