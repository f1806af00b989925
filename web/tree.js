// SPDX-License-Identifier: Apache-2.0
// The search as a tree over rounds: a column per round, a row per slot, repairs to the right of
// what they mend. Plain SVG; hover, click and arrow keys.

function treeLayout(trials) {
  const dense = trials.length > 150;
  const size = dense ? {row: 15, step: 16, gap: 26, mark: 4.5} : {row: 42, step: 66, gap: 34, mark: 6.5};
  const rounds = [...new Set(trials.map((t) => t.round))].sort((a, b) => a - b);
  // A small search takes the room that a large one needs.
  if (!dense) size.gap = Math.max(34, Math.min(240, 900 / Math.max(1, rounds.length) - 74));
  const slots = [...new Set(trials.map((t) => t.slot))].sort((a, b) => a - b);
  const rowOf = new Map(slots.map((slot, i) => [slot, i]));
  const columns = [];
  const startOf = new Map();
  let x = dense ? 12 : 38;
  for (const round of rounds) {
    const repairs = Math.max(0, ...trials.filter((t) => t.round === round).map((t) => t.repair));
    const width = (Math.min(repairs, 50) + 1) * size.step;
    startOf.set(round, x);
    columns.push({round, x, width});
    x += width + size.gap;
  }
  const taken = new Set();
  const at = new Map();
  let lowest = 0;
  for (const t of trials) {
    let row = rowOf.get(t.slot);
    const column = startOf.get(t.round) + Math.min(t.repair, 50) * size.step;
    while (taken.has(`${column} ${row}`)) ++row; // two in one place: the later one goes below
    taken.add(`${column} ${row}`);
    lowest = Math.max(lowest, row);
    at.set(t.id, {x: column + 8, y: (dense ? 30 : 42) + row * size.row, row, column});
  }
  return {dense, size, columns, at, width: x, height: (dense ? 30 : 42) + (lowest + 1) * size.row - (dense ? 0 : 10)};
}

function nodeLabel(t, model) {
  return [t.id, t === model.best ? 'the best kernel' : '', t.state, t.score !== null ? micros(t.score) : '',
    t.speedup ? `${gain(t.speedup[0])} over the baseline` : '', t.parent ? `made from ${t.parent}` : '']
    .filter(Boolean).join(', ');
}

function treeNode(t, place, layout, model) {
  const group = verdictGroup(t.verdict);
  const best = t === model.best;
  return svg('g', {class: `node g-${group}${best ? ' best' : ''}${t.row.eval ? '' : ' waiting'}`, role: 'button',
                   tabindex: -1, 'data-id': t.id, 'aria-label': nodeLabel(t, model),
                   transform: `translate(${place.x},${place.y})`},
    svg('circle', {class: 'halo', r: layout.size.mark + 5}),
    svg('path', {d: markPath(group, layout.size.mark)}),
    layout.dense ? null : svg('text', {y: layout.size.mark + 15, 'text-anchor': 'middle'},
      t.speedup ? gain(t.speedup[0]) : t.score !== null ? micros(t.score, 3) : t.state));
}

function drawTree(state, onhover) {
  const {model} = state;
  const layout = treeLayout(model.trials);
  const edges = svg('g', {class: 'edges'});
  const heads = svg('g', {class: 'heads'});
  const nodes = svg('g', {class: 'nodes'});
  for (const column of layout.columns) {
    if (!layout.dense || column.round % 5 === 0 || column.round === 1) {
      heads.append(svg('text', {x: column.x + 8, y: 16, 'text-anchor': layout.dense ? 'start' : 'middle'}, layout.dense ? column.round : `round ${column.round}`));
    }
  }
  for (const t of model.trials) {
    const to = layout.at.get(t.id);
    const from = layout.at.get(t.parent);
    if (from) {
      const middle = (from.x + to.x) / 2;
      edges.append(svg('path', {class: model.bestPath.has(t.id) && model.bestPath.has(t.parent) ? 'best' : null,
        d: `M${from.x},${from.y}C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`}));
    }
    nodes.append(treeNode(t, to, layout, model));
  }
  const drawing = svg('svg', {class: `tree${layout.dense ? ' dense' : ''}`, width: layout.width, height: layout.height,
    viewBox: `0 0 ${layout.width} ${layout.height}`, role: 'group',
    'aria-label': `Search tree: ${plural(model.trials.length, 'candidate')} in ${plural(layout.columns.length, 'round')}. Arrow keys move, Enter selects.`},
  heads, edges, nodes);
  const nodeOf = (target) => (target instanceof Element ? target.closest('.node') : null);
  drawing.addEventListener('click', (event) => {
    const node = nodeOf(event.target);
    if (node) state.select(node.dataset.id, true);
  });
  drawing.addEventListener('pointerover', (event) => onhover(nodeOf(event.target)));
  drawing.addEventListener('pointerleave', () => onhover(null));
  drawing.addEventListener('focusin', (event) => onhover(nodeOf(event.target)));
  drawing.addEventListener('focusout', () => onhover(null));
  drawing.addEventListener('keydown', (event) => treeKey(event, state, layout, drawing));
  return drawing;
}

/** The nearest node in the arrow's direction. */
function treeKey(event, state, layout, drawing) {
  const node = event.target instanceof Element ? event.target.closest('.node') : null;
  if (!node) return;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    state.select(node.dataset.id, true);
    return;
  }
  const ways = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  const way = ways[event.key];
  if (!way) return;
  event.preventDefault();
  const here = layout.at.get(node.dataset.id);
  let nearest = null, least = Infinity;
  for (const [id, place] of layout.at) {
    const along = (place.x - here.x) * way[0] + (place.y - here.y) * way[1];
    const across = Math.abs((place.x - here.x) * way[1]) + Math.abs((place.y - here.y) * way[0]);
    if (along > 0.5 && along + 3 * across < least) [nearest, least] = [id, along + 3 * across];
  }
  if (nearest !== null) focusNode(drawing, nearest);
}

const nodeNamed = (drawing, id) => drawing.querySelector(`.node[data-id="${CSS.escape(id)}"]`);

function focusNode(drawing, id) {
  const next = nodeNamed(drawing, id);
  if (!next) return;
  for (const node of drawing.querySelectorAll('.node[tabindex="0"]')) node.setAttribute('tabindex', '-1');
  next.setAttribute('tabindex', '0');
  next.focus();
}

function treeFigure(state) {
  const holder = el('div', {class: 'treebox'});
  const tip = el('div', {class: 'tip', hidden: true});
  const box = el('div', {class: 'tipbox'}, holder, tip);
  const behind = el('p', {class: 'quiet under'}, 'The list of candidates below has the same content as a table.');
  const node = figure('The search: candidates by round, with verdict and gain', box, null, treeLegend());
  node.append(behind);
  let drawing = null;

  function onhover(mark) {
    const t = mark && state.model.byId.get(mark.dataset.id);
    tip.hidden = !t;
    if (!t) return;
    tip.replaceChildren(el('b', {}, t.id), ` ${t.kind}`, el('br'), badge(t.verdict),
      t.score !== null ? ` ${micros(t.score)}` : '', t.speedup ? ` ${gain(t.speedup[0])}` : '',
      t.parent ? el('div', {}, `from ${t.parent}`) : null,
      t.reason ? el('div', {class: 'reason'}, t.reason.slice(0, 160)) : null);
    const [outer, inner] = [box.getBoundingClientRect(), mark.getBoundingClientRect()];
    tip.style.left = `${Math.max(0, Math.min(inner.left - outer.left + 18, outer.width - 240))}px`;
    tip.style.top = `${inner.bottom - outer.top + 6}px`;
  }

  function update() {
    const focused = drawing && drawing.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    drawing = drawTree(state, onhover);
    holder.replaceChildren(drawing);
    select();
    if (focused) focusNode(drawing, focused);
  }
  function select() {
    const wanted = state.selected || (state.model.trials[0] && state.model.trials[0].id);
    for (const old of drawing.querySelectorAll('.node.chosen, .node[tabindex="0"]')) {
      old.classList.remove('chosen');
      old.setAttribute('tabindex', '-1');
    }
    const chosen = wanted ? nodeNamed(drawing, wanted) : null;
    if (!chosen) return;
    chosen.classList.add('chosen');
    chosen.setAttribute('tabindex', '0');
  }
  return {node, update, select};
}

function treeLegend() {
  const entry = (name, text) => el('li', {}, mark(name), text);
  return el('ul', {class: 'legend', 'aria-label': 'Marks'},
    entry('ok', 'valid'), entry('compile_error', 'not built'), entry('memory_fault', 'fault'),
    entry('mismatch', 'wrong'), entry('open', 'open'));
}
