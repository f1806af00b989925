// SPDX-License-Identifier: Apache-2.0
// Elements are made here and nowhere else. Strings become text nodes, never markup.

const SVG_NS = 'http://www.w3.org/2000/svg';

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'text') node.textContent = value;
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked') node[key] = value;
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);
const svg = (tag, props, ...children) => fill(document.createElementNS(SVG_NS, tag), props, children);

let lastId = 0;
const freshId = (stem) => `${stem}-${++lastId}`;

/** A table from rows of cells; a cell is a string, a node, or {text, num, head, title}. */
function table(caption, heads, rows, props) {
  const cell = (tag, value) => {
    const plain = value === null || typeof value !== 'object' || value instanceof Node;
    const spec = plain ? {text: value} : value;
    const content = spec.text instanceof Node ? spec.text : String(spec.text ?? '');
    return el(tag, {class: spec.num ? 'num' : null, title: spec.title,
                    scope: tag === 'th' ? (spec.head ? 'row' : 'col') : null}, content);
  };
  return el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    el('table', props,
      el('caption', {}, caption),
      el('thead', {}, el('tr', {}, heads.map((head) => cell('th', head)))),
      el('tbody', {}, rows.map((row) =>
        el('tr', {}, row.map((value) => cell(value && value.head ? 'th' : 'td', value)))))));
}

/** A row of buttons of which one is chosen. */
function choice(label, options, chosen, onchoose) {
  const buttons = options.map(([key, text, disabled]) =>
    el('button', {type: 'button', 'data-key': key, 'aria-pressed': String(key === chosen),
                  disabled: disabled || null,
                  onclick: () => {
                    for (const button of buttons) {
                      button.setAttribute('aria-pressed', String(button.dataset.key === key));
                    }
                    onchoose(key);
                  }}, text));
  return el('div', {class: 'choice', role: 'group', 'aria-label': label}, buttons);
}
