// SPDX-License-Identifier: Apache-2.0
// A pack of kernels: chosen by task, shape and GPU.

const GROUPS = {'': 'Tasks of the paper', extension: 'More tasks'};

/** "2^18", "4096", "1e-5": a number, or null. */
function typedNumber(text) {
  const found = /^\s*([0-9.]+(?:e[-+]?[0-9]+)?)(?:\s*\^\s*([0-9]+))?\s*$/i.exec(text);
  const value = found ? Number(found[1]) ** (found[2] === undefined ? 1 : Number(found[2])) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** How far a size is from values that were typed: doublings, added up. */
function sizeDistance(size, typed) {
  return sum(Object.entries(typed).map(([name, value]) => {
    const own = (size.values || {})[name];
    if (!isNumber(own)) return 0;
    return own > 0 && value > 0 ? Math.abs(Math.log2(own / value)) : Math.abs(own - value);
  }));
}

/** The size that is nearest, the earlier one of two. */
function nearestSize(sizes, typed) {
  let best = null;
  for (const size of list(sizes)) {
    if (!best || sizeDistance(size, typed) < sizeDistance(best, typed)) best = size;
  }
  return best;
}

const ownTime = (size) => (size.bench > 0 ? size.bench : size.run);
const rivalGain = (size, runner) => ((size.rivals || {})[runner] || {}).gain || null;

function gainCell(size, runner) {
  const rival = (size.rivals || {})[runner];
  if (!rival || !(rival.gain > 0)) return '–';
  return el('span', {title: `${rival.name}: ${micros(rival.us)}`}, gain(rival.gain));
}

/** Links to the folder's files, and the source to copy. */
function takeCell(doc, kernel) {
  const at = (path) => `${kernel.folder.split('/').map(encodeURIComponent).join('/')}/${path}`;
  return el('span', {class: 'take'},
    el('a', {href: at('kernel.cu')}, 'kernel.cu'), ' ',
    kernel.torch ? [el('a', {href: at('torch/README.md'), title: kernel.torch}, 'PyTorch'), ' '] : null,
    el('a', {href: at('provenance.json')}, 'origin'), ' ',
    copyButton('Copy', () => textOf(doc, kernel.source)));
}

const byText = (give) => (a, b) => String(give(a)).localeCompare(String(give(b)));
/** The least first; what is not known comes last. */
const byNumber = (give) => (a, b) => {
  const [x, y] = [give(a) || Infinity, give(b) || Infinity];
  return x === y ? a.order - b.order : x - y;
};

const PACK_COLUMNS = [
  ['kernel', ({kernel}) => kernel.folder, (a, b) => a.order - b.order],
  ['rules', ({kernel}) => kernel.rules, byText((r) => r.kernel.rules)],
  ['size', ({size}) => size.size, (a, b) => a.order - b.order],
  ['time', ({size}) => el('span', {title: size.bench > 0 ? `benchmark; its own run: ${micros(size.run)}` : 'of its own run'},
    `${size.estimated && !(size.bench > 0) ? '~' : ''}${micros(ownTime(size))}`), byNumber((r) => ownTime(r.size)), true],
  ['× baseline', ({size}) => gainCell(size, 'b1'), byNumber((r) => -rivalGain(r.size, 'b1')), true],
  ['× library', ({size}) => gainCell(size, 'library'), byNumber((r) => -rivalGain(r.size, 'library')), true],
  ['× PyTorch', ({size}) => gainCell(size, 'eager'), byNumber((r) => -rivalGain(r.size, 'eager')), true],
  ['× compile', ({size}) => gainCell(size, 'compiled'), byNumber((r) => -rivalGain(r.size, 'compiled')), true],
  ['floor', ({size}) => (size.share > 0 ? percent(size.share) : '–'), byNumber((r) => -r.size.share), true],
  ['GPU', ({kernel}) => el('span', {title: kernel.device}, String(kernel.device).split(' (')[0]), byText((r) => r.kernel.device)],
  ['date', ({kernel}) => kernel.date, byText((r) => r.kernel.date)],
  ['model', ({kernel}) => el('span', {class: 'short', title: kernel.model}, kernel.model), byText((r) => r.kernel.model)],
];

function optionsOf(values, all) {
  return [el('option', {value: ''}, all), ...[...new Set(values)].sort().map((v) => el('option', {value: v}, v))];
}

function taskOptions(kernels) {
  const groups = [...new Set(kernels.map((k) => String(k.group)))].sort();
  return [el('option', {value: ''}, 'all tasks'), ...groups.map((group) => el('optgroup', {label: GROUPS[group] || group},
    [...new Map(kernels.filter((k) => String(k.group) === group).map((k) => [k.task, k.title]))]
      .map(([task, title]) => el('option', {value: task}, `${task}: ${title}`))))];
}

function packPage(doc) {
  const kernels = list(doc.kernels);
  const view = {task: '', device: '', rules: '', words: '', typed: {}, column: 0, back: false};
  const rows = kernels.flatMap((kernel) => list(kernel.sizes).map((size) => ({kernel, size})));
  rows.forEach((row, order) => { row.order = order; });
  const [place, shape] = [el('div'), el('fieldset', {class: 'filters', hidden: true})];
  const count = el('p', {class: 'quiet', role: 'status'});
  const chooser = (id, label, options, key) => {
    const node = el('select', {id, onchange: () => { view[key] = node.value; if (key === 'task') askShape(); draw(); }}, options);
    return el('label', {}, `${label} `, node);
  };
  const words = el('input', {id: 'pack-words', type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'task, title, model',
    oninput: () => { view.words = words.value.toLowerCase(); draw(); }});

  /** Fields for the values of the chosen task's sizes. */
  function askShape() {
    view.typed = {};
    const sizes = kernels.filter((k) => k.task === view.task).flatMap((k) => list(k.sizes));
    const names = [...new Set(sizes.flatMap((size) => Object.keys(size.values || {})))];
    shape.hidden = !view.task || !names.length;
    shape.replaceChildren(el('legend', {}, 'Your shape'), ...names.map((name) => {
      const field = el('input', {type: 'text', inputmode: 'decimal', size: 8, id: `shape-${name}`, autocomplete: 'off', oninput: () => {
        const value = typedNumber(field.value);
        field.setAttribute('aria-invalid', String(value === null && field.value.trim() !== ''));
        if (value === null) delete view.typed[name]; else view.typed[name] = value;
        draw();
      }});
      return el('label', {}, `${name} `, field);
    }));
  }

  function matching() {
    const fits = (k) => (!view.task || k.task === view.task) && (!view.device || k.device === view.device) && (!view.rules || k.rules === view.rules) &&
      (!view.words || `${k.folder} ${k.task} ${k.title} ${k.model} ${k.rules} ${k.device}`.toLowerCase().includes(view.words));
    let found = rows.filter((row) => fits(row.kernel));
    if (Object.keys(view.typed).length) found = found.filter((row) => nearestSize(row.kernel.sizes, view.typed) === row.size);
    found.sort(PACK_COLUMNS[view.column][2]);
    return view.back ? found.reverse() : found;
  }

  function head(column, i) {
    const sorted = view.column === i;
    return el('th', {scope: 'col', class: column[3] ? 'num' : null, 'aria-sort': sorted ? (view.back ? 'descending' : 'ascending') : null},
      el('button', {type: 'button', class: 'sort', onclick: () => { view.back = sorted && !view.back; view.column = i; draw(); }}, column[0]));
  }

  function draw() {
    const found = matching();
    const nearest = Object.keys(view.typed).length ? ', each at its nearest timed size' : '';
    count.textContent = `${plural(new Set(found.map((r) => r.kernel)).size, 'kernel')}, ${plural(found.length, 'row')}${nearest}.`;
    place.replaceChildren(found.length ? el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Kernels'}, el('table', {class: 'pack'},
      el('thead', {}, el('tr', {}, PACK_COLUMNS.slice(0, 4).map(head), el('th', {scope: 'col'}, 'take'), PACK_COLUMNS.slice(4).map((column, i) => head(column, i + 4)))),
      el('tbody', {}, found.map((row) => el('tr', {'data-kernel': row.kernel.folder},
        PACK_COLUMNS.flatMap(([, cell, , number], i) => [
          el(i === 0 ? 'th' : 'td', {scope: i === 0 ? 'row' : null, class: number ? 'num' : null, title: i === 0 ? row.kernel.title : null}, cell(row)),
          i === 3 ? el('td', {}, takeCell(doc, row.kernel)) : null]))))))
      : el('p', {class: 'notice'}, 'No kernel fits. Clear a choice.'));
  }

  const bench = doc.bench || {};
  main().replaceChildren(
    navigation([['choose', 'Choose'], ['about', 'About the figures']]),
    el('header', {}, el('p', {class: 'over'}, 'Warpwright'), el('h1', {}, 'Packed kernels'),
      el('p', {class: 'sub'}, [plural(kernels.length, 'kernel'), plural(new Set(kernels.map((k) => k.task)).size, 'task'),
        plural(new Set(kernels.map((k) => k.device)).size, 'GPU')].map((x) => el('span', {}, x)))),
    el('section', {id: 'choose'}, el('h2', {}, 'Choose'),
      el('form', {class: 'filters', onsubmit: (event) => event.preventDefault()},
        chooser('pack-task', 'Task', taskOptions(kernels), 'task'),
        chooser('pack-device', 'GPU', optionsOf(kernels.map((k) => k.device), 'all GPUs'), 'device'),
        chooser('pack-rules', 'Rules', optionsOf(kernels.map((k) => k.rules), 'all rules'), 'rules'),
        el('label', {}, 'Search ', words), shape),
      count, place),
    el('section', {id: 'about'}, el('h2', {}, 'About the figures'),
      el('p', {}, bench.file ? `Times and speed-ups are those of the benchmark ${bench.file} on ${bench.device}, which timed the kernel that had this name then; where it has none, the time is the median of the search that found the kernel. ` :
        'Times are medians of the searches that found the kernels. No benchmark was given to this pack, so there are no speed-ups. ',
      'Under “× baseline” and so on stands how many times as fast the kernel is. The floor is the least time that memory and arithmetic of the GPU allow, over the kernel’s time. A tilde marks an estimate. Strict rules allow one kernel function, free ones any number.')),
    colophon(doc));
  draw();
}
