"""The Live page's charts over minutes of data: ``python -m benchmarks.app_charts``.

Half an hour of samples goes into the page's own modules as fast as the browser takes them; on the
way the seven charts of six joints are drawn forty times as in the page, two new samples each time.
Exits with 1 when a target is missed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.app import CHROMIUM, browser, running
from benchmarks.live import Figure

WINDOWS = (30, 60, 300, 1800)
FEED = """
async ([minutes, seconds]) => {
  const { LiveBuffer } = await import("/assets/live_buffer.js");
  const { LiveChart, windowUpTo } = await import("/assets/live_chart.js");
  const dof = 6, groups = 5, series = dof * groups + 2, charts = [], alarms = [], found = [];
  const buffer = new LiveBuffer(series), row = new Float32Array(series);
  const box = document.createElement("div");
  box.style = "display:grid;grid-template-columns:1fr 1fr;width:900px;position:absolute;top:0";
  document.body.append(box);
  for (let g = 0; g < groups + 2; g++) {
    const place = box.appendChild(document.createElement("div"));
    const joints = [0, 1, 2, 3, 4, 5].map((k) => g * dof + k);
    const lines = g < groups ? joints : [groups * dof + g - groups];
    const thresholds = () => (g === 3 ? [18, 18, 18, 3, 3, 3] : null);
    charts.push(new LiveChart(place, { series: lines, names: [], thresholds }));
  }
  let n = 0;
  const feed = (count) => {
    for (let i = 0; i < count; i++, n++) {
      for (let k = 0; k < series; k++) row[k] = Math.sin(n / 50 + k) * 10 + Math.random();
      buffer.push(n / 50, row);
      if (n % 1000 === 0) alarms.push({ time: n / 50, end: n / 50 + 0.4, text: "x" });
      if (alarms.length > 200) alarms.shift();
    }
  };
  const measure = async (minute) => {
    const times = [];
    for (let frame = 0; frame < 40; frame++) {
      feed(2);
      const begun = performance.now();
      const window = windowUpTo(buffer.last, seconds);
      for (const chart of charts) chart.draw(buffer, ...window, alarms);
      await Promise.resolve();
      await Promise.resolve();
      times.push(performance.now() - begun);
      await new Promise((next) => requestAnimationFrame(next));
    }
    times.sort((a, b) => a - b);
    gc();
    const heap = performance.memory.usedJSHeapSize / 1e6;
    found.push({ minute, draw: times[20], heap, points: charts[0].data[0].length });
  };
  for (let minute = 1; minute <= minutes; minute++) {
    feed(3000);
    if ([1, 4, 10, 30].includes(minute)) await measure(minute);
  }
  for (const chart of charts) chart.destroy();
  box.remove();
  return found;
}
"""


def charts() -> Iterator[Figure]:
    """Draw after 1, 4, 10 and 30 minutes of data, for windows of seconds and of minutes."""
    with running() as (_, address, _), browser("--js-flags=--expose-gc") as opened:
        page = opened.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"http://{address}/live")
        page.wait_for_selector("[data-testid=chart-q] canvas")
        for seconds in WINDOWS:
            found: list[dict[str, Any]] = page.evaluate(FEED, [30, seconds])
            for one in found:
                print(
                    f"window {seconds:5} s, minute {one['minute']:2}: {one['draw']:5.1f} ms all "
                    f"charts, heap {one['heap']:5.1f} MB, {one['points']} points a line"
                )
            name, last = f"window {seconds} s, after 30 min", found[-1]
            yield Figure(f"{name}: all charts drawn in", last["draw"], 33.0, "ms")
            grown = last["heap"] - found[0]["heap"]
            yield Figure(f"{name}: heap grown since minute 1", grown, 5.0, "MB")


def main() -> int:
    """Measure, print and compare."""
    if CHROMIUM is None:
        print("not measured: there is no chromium here")
        return 1
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start")
    missed = 0
    for figure in charts():
        missed += not figure.holds
        verdict = "ok" if figure.holds else "MISSED"
        print(f"{figure.name:52} {figure.value:8.2f} {figure.unit} <= {figure.target:g}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
