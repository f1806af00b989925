// SPDX-License-Identifier: Apache-2.0
// The roofline as plain SVG: what each call reaches against what the device allows.

/** A logarithmic scale onto [from, to] pixels that holds all the numbers. */
function logScale(numbers, from, to) {
  const good = numbers.filter((x) => x > 0 && Number.isFinite(x));
  const low = Math.floor(Math.log10(Math.min(...good)) * 2 - 0.2) / 2;
  const high = Math.ceil(Math.log10(Math.max(...good)) * 2 + 0.2) / 2;
  const scale = (x) => from + ((Math.log10(x) - low) / Math.max(0.5, high - low)) * (to - from);
  scale.ends = [10 ** low, 10 ** high];
  scale.ticks = [];
  for (let e = Math.floor(low); e <= high + 1e-9; ++e) {
    for (const m of high - low > 3 ? [1] : [1, 2, 5]) {
      const tick = m * 10 ** e;
      if (Math.log10(tick) >= low - 1e-9 && Math.log10(tick) <= high + 1e-9) scale.ticks.push(tick);
    }
  }
  return scale;
}

/** 20 M, 5 k, 0.2: short enough for an axis. */
function tickText(x) {
  for (const [unit, size] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]]) {
    if (x >= size * (unit === 'k' ? 10 : 1)) return `${Number((x / size).toPrecision(3))} ${unit}`;
  }
  return x < 1e-2 ? x.toExponential(0) : String(Number(x.toPrecision(3)));
}

/** One point per size and kernel: {size, who, x, y, us}. */
function rooflinePoints(model) {
  const facts = new Map(list(model.doc.task && model.doc.task.sizes).map((s) => [s[0], {bytes: s[1], flops: s[2]}]));
  const arithmetic = [...facts.values()].some((f) => f.flops > 0 && f.bytes > 0);
  const points = [];
  const add = (who, times) => {
    for (const m of times) {
      const f = facts.get(m[SIZE]);
      if (!f || !(f.bytes > 0) || !(m[MEDIAN] > 0)) continue;
      const work = arithmetic ? f.flops : f.bytes;
      points.push({size: String(m[SIZE]), who, us: m[MEDIAN], x: arithmetic ? f.flops / f.bytes : f.bytes, y: work / m[MEDIAN] / 1e3});
    }
  };
  add('baseline', list(model.baseline && model.baseline.times));
  add('best', model.best ? model.best.times : []);
  return {arithmetic, points: points.filter((p) => p.x > 0 && p.y > 0)};
}

function rooflineDrawing(model, room) {
  const {arithmetic, points} = rooflinePoints(model);
  const device = model.doc.device || {};
  const bandwidth = device.memory_gb_per_s;
  const peak = (device.fp32_tflops || 0) * 1e3;
  if (!points.length || !(bandwidth > 0) || (arithmetic && !(peak > 0))) return null;
  const roof = (x) => (arithmetic ? Math.min(peak, bandwidth * x) : bandwidth);
  const ridge = arithmetic ? peak / bandwidth : 0;
  const W = Math.max(300, Math.min(1000, room || 720)); // as wide as its place, so that the text keeps its size
  const [H, L, R, T, B] = [W < 500 ? 280 : 360, 58, 14, 16, 46];
  const sx = logScale([...points.map((p) => p.x), ...(arithmetic ? [ridge, ridge * 3, ridge / 10] : [])], L, W - R);
  const ys = points.map((p) => p.y);
  const sy = logScale([...ys, ...points.map((p) => roof(p.x)), arithmetic ? peak : bandwidth], H - B, T);
  const unit = arithmetic ? 'GFLOP/s' : 'GB/s';
  const grid = svg('g', {class: 'grid'});
  for (const x of sx.ticks) {
    grid.append(svg('line', {x1: sx(x), x2: sx(x), y1: T, y2: H - B}), svg('text', {x: sx(x), y: H - B + 16, 'text-anchor': 'middle'}, tickText(x)));
  }
  for (const y of sy.ticks) {
    grid.append(svg('line', {x1: L, x2: W - R, y1: sy(y), y2: sy(y)}), svg('text', {x: L - 8, y: sy(y) + 4, 'text-anchor': 'end'}, tickText(y)));
  }
  const [x0, x1] = sx.ends;
  const line = [[x0, roof(x0)], ...(arithmetic && ridge > x0 && ridge < x1 ? [[ridge, peak]] : []), [x1, roof(x1)]];
  const clamp = (y) => Math.max(y, sy.ends[0]);
  const path = line.map(([x, y], i) => `${i ? 'L' : 'M'}${sx(x)},${sy(clamp(y))}`).join('');
  const marks = svg('g', {class: 'points'});
  const labels = []; // of points near each other, one below the other
  const free = (x, y) => {
    while (labels.some((l) => Math.abs(l.x - x) < 60 && Math.abs(l.y - y) < 12)) y += 12;
    labels.push({x, y});
    return y;
  };
  for (const p of points) {
    const partner = p.who === 'best' && points.find((q) => q.who === 'baseline' && q.size === p.size);
    if (partner) marks.append(svg('line', {class: 'rise', x1: sx(partner.x), y1: sy(partner.y), x2: sx(p.x), y2: sy(p.y)}));
    marks.append(svg('path', {class: p.who, d: markPath(p.who === 'best' ? 'ok' : 'build', 4.5), transform: `translate(${sx(p.x)},${sy(p.y)})`},
      svg('title', {}, `${p.size}, ${p.who === 'best' ? 'best kernel' : 'baseline'}: ${digits(p.y)} ${unit}, ${percent(p.y / roof(p.x))} of the roof`)));
    if (p.who === 'best') marks.append(svg('text', {x: sx(p.x) + 9, y: free(sx(p.x), sy(p.y) + 4)}, p.size));
  }
  return svg('svg', {class: 'roofline', width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: 'img',
    'aria-label': `Roofline of ${device.name}: ${points.filter((p) => p.who === 'best').map((p) => `${p.size} reaches ${percent(p.y / roof(p.x))}`).join(', ')}`},
  grid, svg('path', {class: 'roof', d: path}),
  svg('text', {class: 'rooflabel', x: W - R - 6, y: sy(arithmetic ? peak : bandwidth) - 7, 'text-anchor': 'end'},
    arithmetic ? `${digits(peak / 1e3, 3)} TFLOP/s fp32, ${whole(bandwidth)} GB/s` : `${whole(bandwidth)} GB/s`),
  marks,
  svg('text', {class: 'axis', x: (L + W - R) / 2, y: H - 8, 'text-anchor': 'middle'}, arithmetic ? 'FLOP per byte of least traffic' : 'bytes of least traffic per call'),
  svg('text', {class: 'axis', x: 14, y: (T + H - B) / 2, 'text-anchor': 'middle', transform: `rotate(-90 14 ${(T + H - B) / 2})`}, unit));
}

function rooflineFigure(state) {
  const place = el('div', {class: 'drawing'});
  const behind = el('div');
  const caption = el('span', {}, 'Roofline');
  const legend = el('ul', {class: 'legend', 'aria-label': 'Marks'},
    el('li', {}, svg('svg', {class: 'mark k-best', viewBox: '-8 -8 16 16'}, svg('path', {d: markPath('ok', 5)})), 'best kernel'),
    el('li', {}, svg('svg', {class: 'mark k-base', viewBox: '-8 -8 16 16'}, svg('path', {d: markPath('build', 5)})), 'baseline'));
  const node = figure(caption, place, behind, legend);
  function update() {
    const {model} = state;
    const drawing = rooflineDrawing(model, place.clientWidth);
    drawn.set(place, update);
    const device = model.doc.device || {};
    caption.textContent = drawing ? `Roofline of ${device.name}, by its data sheet` : 'Roofline';
    place.replaceChildren(drawing || el('p', {class: 'quiet'},
      'Not drawn: nothing is timed yet, or the device or the task’s traffic is not described.'));
    const {arithmetic, points} = rooflinePoints(model);
    const peak = (device.fp32_tflops || 0) * 1e3;
    const roof = (p) => (arithmetic ? Math.min(peak, device.memory_gb_per_s * p.x) : device.memory_gb_per_s);
    behind.replaceChildren(table('Reached rates', ['size', 'kernel', {text: arithmetic ? 'FLOP per byte' : 'bytes per call', num: true},
      {text: arithmetic ? 'GFLOP/s' : 'GB/s', num: true}, {text: 'of the roof', num: true}],
    points.map((p) => [{text: p.size, head: true}, p.who === 'best' ? 'best kernel' : 'baseline', {text: digits(p.x), num: true},
      {text: digits(p.y), num: true}, {text: percent(p.y / roof(p)), num: true}])));
  }
  return {node, update};
}
