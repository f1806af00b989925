// SPDX-License-Identifier: Apache-2.0
// Run inside a page by page_test.py; each returns what is wrong.

/** Texts whose contrast with what is behind them is below 4.5 (3 for large ones). */
function poorContrast() {
  const parse = (text) => {
    const n = text.match(/[\d.]+/g).map(Number);
    if (text.startsWith('color(srgb')) return [n[0] * 255, n[1] * 255, n[2] * 255, n.length > 3 ? n[3] : 1];
    return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((x) => (x / 255 <= 0.03928 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walk = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !node.checkVisibility() || node.closest('option')) continue;
    const style = getComputedStyle(node);
    const inSvg = node.namespaceURI.endsWith('svg');
    const ink = parse(inSvg ? style.fill : style.color);
    const paper = behind(inSvg ? node.closest('div') : node);
    const [a, b] = [light(over(ink, paper)), light(paper)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${node.tagName}.${node.getAttribute('class')}: ${walk.currentNode.data.slice(0, 40)}`);
  }
  return [...new Set(found)];
}

/** Controls and pictures without a name, labels without a control, figures without a table. */
function unnamed() {
  const found = [];
  const nameOf = (node) => node.getAttribute('aria-label') || node.textContent.trim() ||
    (node.getAttribute('aria-labelledby') && document.getElementById(node.getAttribute('aria-labelledby')).textContent) ||
    (node.labels && node.labels.length && node.labels[0].textContent.trim());
  for (const node of document.querySelectorAll('button, a[href], select, input, canvas, svg[role], [role="region"], [role="tabpanel"], [role="button"], nav')) {
    if (!nameOf(node)) found.push(node.outerHTML.slice(0, 120));
  }
  for (const node of document.querySelectorAll('figure')) {
    if (node.querySelector('canvas, .roofline') && !node.querySelector('details table')) found.push(`no table: ${node.textContent.slice(0, 40)}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  for (const id of new Set(ids)) if (ids.filter((x) => x === id).length > 1) found.push(`id twice: ${id}`);
  for (const node of document.querySelectorAll('[aria-labelledby]')) {
    if (!document.getElementById(node.getAttribute('aria-labelledby'))) found.push(`label of nothing: ${node.getAttribute('aria-labelledby')}`);
  }
  return found;
}

/** The difference must turn one text into the other, and be as small as a slow method finds. */
function wrongDiffs(rounds) {
  const {diffLines} = window.warpwright;
  let seed = 1;
  const random = (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
  };
  const common = (a, b) => {
    const row = new Int32Array(b.length + 1);
    for (const x of a) {
      for (let j = 1, corner = 0; j <= b.length; ++j) {
        const above = row[j];
        row[j] = x === b[j - 1] ? corner + 1 : Math.max(row[j], row[j - 1]);
        corner = above;
      }
    }
    return row[b.length];
  };
  const found = [];
  for (let round = 0; round < rounds; ++round) {
    const [a, b] = [0, 0].map(() => Array.from({length: random(14)}, () => 'abcd'[random(4)]));
    const {edits} = diffLines(a, b);
    const left = edits.filter((e) => e[0] !== '+').map((e) => a[e[1]]).join('');
    const right = edits.filter((e) => e[0] !== '-').map((e) => b[e[2]]).join('');
    const kept = edits.filter((e) => e[0] === ' ').length;
    if (left !== a.join('') || right !== b.join('') || kept !== common(a, b)) found.push(`${a.join('')} -> ${b.join('')}`);
  }
  return found;
}
