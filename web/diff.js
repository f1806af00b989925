// SPDX-License-Identifier: Apache-2.0
// The difference of two texts by lines (Myers), with a bound on the work.

const MAX_EDITS = 2500;
const CONTEXT = 3;

/** Edits as [kind, a, b]: ' ' both, '-' only in a, '+' only in b; a and b are line indices. */
function diffLines(a, b) {
  const edits = [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) ++head;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) ++tail;
  for (let i = 0; i < head; ++i) edits.push([' ', i, i]);
  const middle = myers(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  for (const [kind, i, j] of middle.edits) edits.push([kind, i + head, j + head]);
  for (let i = tail; i > 0; --i) edits.push([' ', a.length - i, b.length - i]);
  return {edits, complete: middle.complete};
}

function replaced(a, b) {
  return {complete: false, edits: [...a.map((_, i) => ['-', i, 0]), ...b.map((_, j) => ['+', a.length, j])]};
}

function myers(a, b) {
  const [n, m] = [a.length, b.length];
  const number = new Map(); // lines as small numbers: comparing long lines again and again is slow
  const code = (line) => {
    if (!number.has(line)) number.set(line, number.size);
    return number.get(line);
  };
  const [x, y] = [Int32Array.from(a, code), Int32Array.from(b, code)];
  const most = Math.min(n + m, MAX_EDITS);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const history = [];
  for (let d = 0; d <= most; ++d) {
    history.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let i = k === -d || (k !== d && reach[middle + k - 1] < reach[middle + k + 1])
        ? reach[middle + k + 1] : reach[middle + k - 1] + 1;
      while (i < n && i - k < m && x[i] === y[i - k]) ++i;
      reach[middle + k] = i;
      if (i >= n && i - k >= m) return {complete: true, edits: traced(history, n, m)};
    }
  }
  return replaced(a, b);
}

/** Walks back from the end; history[d] holds the reaches before step d for k in [-d-1, d+1]. */
function traced(history, n, m) {
  const edits = [];
  let [i, j] = [n, m];
  for (let d = history.length - 1; d >= 0; --d) {
    const before = history[d];
    const at = (k) => before[k + d + 1];
    const k = i - j;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const from = down ? at(k + 1) : at(k - 1);
    const start = d === 0 ? 0 : down ? from : from + 1;
    while (i > start) edits.push([' ', --i, --j]);
    if (d === 0) break;
    if (down) edits.push(['+', i, --j]);
    else edits.push(['-', --i, j]);
  }
  return edits.reverse();
}

/** The edits worth showing: changes with their context, gaps as null. */
function hunks(edits) {
  const keep = new Uint8Array(edits.length);
  edits.forEach(([kind], at) => {
    if (kind === ' ') return;
    for (let i = Math.max(0, at - CONTEXT); i <= Math.min(edits.length - 1, at + CONTEXT); ++i) keep[i] = 1;
  });
  const shown = [];
  for (let i = 0; i < edits.length; ++i) {
    if (keep[i]) shown.push(edits[i]);
    else if (shown[shown.length - 1] !== null) shown.push(null);
  }
  return shown;
}

function diffNode(textA, textB, names) {
  const [a, b] = [textA.split('\n'), textB.split('\n')];
  const {edits, complete} = diffLines(a, b);
  const removed = edits.filter((e) => e[0] === '-').length;
  const added = edits.filter((e) => e[0] === '+').length;
  const summary = el('p', {class: 'quiet', role: 'status'}, removed + added === 0
    ? `${names[0]} and ${names[1]} are the same text.`
    : `${plural(removed, 'line')} only in ${names[0]}, ${plural(added, 'line')} only in ${names[1]}.${complete ? '' : ' The texts are too different to align.'}`);
  const shown = removed + added ? hunks(edits) : [];
  const holder = el('div', {class: 'source diff', tabindex: 0, role: 'region', 'aria-label': 'Difference'});
  const draw = (from, to) => {
    for (const edit of shown.slice(from, to)) {
      if (!edit) {
        holder.append(el('div', {class: 'gap', 'aria-hidden': 'true'}, '⋯'));
        continue;
      }
      const [kind, i, j] = edit;
      const text = kind === '+' ? b[j] : a[i];
      holder.append(el('div', {class: `line ${kind === '+' ? 'added' : kind === '-' ? 'removed' : ''}`},
        el('span', {class: 'no', 'aria-hidden': 'true'}, kind === '+' ? '' : i + 1),
        el('span', {class: 'no', 'aria-hidden': 'true'}, kind === '-' ? '' : j + 1),
        el('span', {class: 'sign'}, kind), el('code', {}, text)));
    }
  };
  draw(0, MAX_LINES);
  const more = shown.length > MAX_LINES && el('button', {type: 'button', onclick: () => {
    more.remove();
    draw(MAX_LINES);
  }}, `Show the other ${whole(shown.length - MAX_LINES)} lines`);
  return el('div', {}, summary, shown.length ? holder : null, more || null);
}
