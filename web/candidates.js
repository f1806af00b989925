// SPDX-License-Identifier: Apache-2.0
// All candidates as a table that can be filtered and sorted.

const ROWS_AT_ONCE = 100;

const CANDIDATE_COLUMNS = [
  ['candidate', (t) => t.id, (a, b) => a.order - b.order],
  ['kind', (t) => t.kind, (a, b) => a.kind.localeCompare(b.kind)],
  ['from', (t) => t.parent, (a, b) => a.parent.localeCompare(b.parent)],
  ['verdict', (t) => (t.row.eval ? badge(t.verdict) : el('span', {class: 'badge g-open'}, mark('open'), t.state)), (a, b) => a.verdict.localeCompare(b.verdict)],
  ['time', (t) => (t.score === null ? '' : micros(t.score)), (a, b) => (a.score ?? Infinity) - (b.score ?? Infinity), true],
  ['speed-up', (t) => (t.speedup ? gain(t.speedup[0]) : ''), (a, b) => (b.speedup ? b.speedup[0] : 0) - (a.speedup ? a.speedup[0] : 0), true],
  ['of the roof', (t) => (t.share === null ? '' : percent(t.share)), (a, b) => (b.share ?? 0) - (a.share ?? 0), true],
  ['tokens', (t) => (t.tokens ? whole(t.tokens) : ''), (a, b) => b.tokens - a.tokens, true],
  ['cost', (t) => (t.usd === 0 ? '' : money(t.usd)), (a, b) => b.usd - a.usd, true],
  ['reason', (t) => t.reason, (a, b) => a.reason.localeCompare(b.reason)],
];

function candidatesSection(state) {
  const view = {verdict: '', words: '', column: 0, back: false, rows: ROWS_AT_ONCE};
  const verdict = el('select', {id: 'filter-verdict', onchange: () => { view.verdict = verdict.value; draw(); }});
  const words = el('input', {id: 'filter-words', type: 'search', autocomplete: 'off', spellcheck: 'false',
    placeholder: 'id, kind, model, reason', oninput: () => { view.words = words.value.toLowerCase(); draw(); }});
  const count = el('p', {class: 'quiet', role: 'status'});
  const place = el('div');
  const node = el('div', {},
    el('form', {class: 'filters', onsubmit: (event) => event.preventDefault()},
      el('label', {}, 'Verdict ', verdict), el('label', {}, 'Search ', words)),
    count, place);

  function matching() {
    const found = state.model.trials.filter((t, order) => {
      t.order = order;
      return (!view.verdict || t.verdict === view.verdict) &&
        (!view.words || `${t.id} ${t.kind} ${t.parent} ${t.model} ${t.reason} ${t.state}`.toLowerCase().includes(view.words));
    });
    found.sort(CANDIDATE_COLUMNS[view.column][2]);
    return view.back ? found.reverse() : found;
  }

  function head(column, i) {
    const sorted = view.column === i;
    return el('th', {scope: 'col', class: column[3] ? 'num' : null,
      'aria-sort': sorted ? (view.back ? 'descending' : 'ascending') : null},
    el('button', {type: 'button', class: 'sort', onclick: () => {
      view.back = sorted && !view.back;
      view.column = i;
      draw();
    }}, column[0]));
  }

  function row(t) {
    const chosen = t.id === state.selected;
    return el('tr', {class: `${chosen ? 'chosen' : ''}${t === state.model.best ? ' best' : ''}`, 'data-id': t.id},
      CANDIDATE_COLUMNS.map(([name, cell, , number], i) => (i === 0
        ? el('th', {scope: 'row'}, el('a', {href: `#${encodeURIComponent(t.id)}`, 'aria-current': chosen ? 'true' : null,
          onclick: (event) => { event.preventDefault(); state.select(t.id, true); }}, t.id))
        : el('td', {class: number ? 'num' : name === 'reason' ? 'reason' : null}, cell(t)))));
  }

  function draw() {
    const found = matching();
    count.textContent = found.length === state.model.trials.length
      ? plural(found.length, 'candidate') : `${whole(found.length)} of ${plural(state.model.trials.length, 'candidate')}`;
    const shown = found.slice(0, view.rows);
    const rest = found.length - shown.length;
    place.replaceChildren(
      el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Candidates'},
        el('table', {class: 'candidates'}, el('thead', {}, el('tr', {}, CANDIDATE_COLUMNS.map(head))),
          el('tbody', {}, shown.map(row)))),
      rest > 0 ? el('button', {type: 'button', class: 'more', onclick: () => { view.rows += 10 * ROWS_AT_ONCE; draw(); }},
        `Show ${whole(Math.min(rest, 10 * ROWS_AT_ONCE))} more`) : '');
  }

  function update() {
    const names = [...state.model.counts.keys()].sort();
    if (view.verdict && !names.includes(view.verdict)) names.push(view.verdict);
    verdict.replaceChildren(el('option', {value: ''}, 'all'),
      ...names.map((name) => el('option', {value: name}, `${verdictLabel(name)} (${state.model.counts.get(name) || 0})`)));
    verdict.value = view.verdict;
    draw();
  }
  function filter(name) {
    view.verdict = name;
    view.words = words.value = '';
    update();
    node.scrollIntoView({block: 'start'});
    verdict.focus({preventScroll: true});
  }
  return {node, update, filter, select: draw};
}
