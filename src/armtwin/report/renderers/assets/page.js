// Draws every plot. Lines have all samples that the file holds; what is shown is the lowest and highest of
// each stretch of the visible range, taken again after every zoom, so that any length stays smooth.
(function () {
  "use strict";
  const MOST = 3000;
  const content = JSON.parse(document.getElementById("plots").textContent);
  const plots = content.plots, unpacked = new Map();
  const places = document.querySelectorAll(".plot");
  const config = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"] };

  function numbers(place) {
    if (!unpacked.has(place)) unpacked.set(place, unpack(content.arrays[place]));
    return unpacked.get(place);
  }

  function unpack(packed) {
    const raw = atob(packed.data);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    const steps = new Float32Array(bytes.buffer);
    return Float64Array.from(steps, (step) => step + packed.first);
  }

  function firstAtLeast(x, limit) {
    let low = 0, high = x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (x[middle] < limit) low = middle + 1; else high = middle;
    }
    return low;
  }

  function shown(line, from, to) {
    const x = line.x, y = line.y;
    let start = 0, stop = x.length;
    if (line.sorted && from !== null) {
      start = Math.max(0, firstAtLeast(x, from) - 1);
      stop = Math.min(x.length, firstAtLeast(x, to) + 1);
    }
    if (!line.sorted || stop - start <= MOST) {
      return { x: Array.from(x.subarray(start, stop)), y: Array.from(y.subarray(start, stop)) };
    }
    const out = { x: [], y: [] }, stretches = MOST / 2, size = (stop - start) / stretches;
    for (let k = 0; k < stretches; k++) {
      const a = start + Math.floor(k * size), b = start + Math.floor((k + 1) * size);
      let low = a, high = a;
      for (let i = a; i < b; i++) {
        if (y[i] < y[low] || Number.isNaN(y[low])) low = i;
        if (y[i] > y[high] || Number.isNaN(y[high])) high = i;
      }
      for (const i of low < high ? [low, high] : low > high ? [high, low] : [low]) {
        out.x.push(x[i]);
        out.y.push(y[i]);
      }
    }
    return out;
  }

  function visibleRange(layout) {
    const axis = layout.xaxis;
    return axis && axis.range && !axis.autorange ? axis.range : [null, null];
  }

  function draw(place, plot) {
    const lines = plot.lines.map((line) => ({ x: numbers(line.x), y: numbers(line.y), sorted: line.sorted }));
    const traces = plot.lines.map((line, k) => Object.assign({}, line.trace, shown(lines[k], null, null)));
    Plotly.newPlot(place, traces.concat(plot.traces), plot.layout, config).then(function () {
      if (!lines.length) return;
      place.on("plotly_relayout", function () {
        const range = visibleRange(place.layout);
        const parts = lines.map((line) => shown(line, range[0], range[1]));
        Plotly.restyle(place, { x: parts.map((p) => p.x), y: parts.map((p) => p.y) });
      });
    });
  }

  // Plots are drawn when they come near the screen: a long report opens at once.
  const waiting = new Map(Array.from(places, (place, k) => [place, plots[k]]));
  function show(place) {
    if (waiting.has(place)) draw(place, waiting.get(place));
    waiting.delete(place);
  }
  const watcher = new IntersectionObserver(function (entries) {
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => show(entry.target));
  }, { rootMargin: "800px" });
  places.forEach((place) => watcher.observe(place));
  window.addEventListener("beforeprint", () => Array.from(places).forEach(show));
})();
