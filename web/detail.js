// SPDX-License-Identifier: Apache-2.0
// One candidate in full: source with findings, times, prompt, reply, the judge's result.

const ROLES = ['system', 'user', 'assistant'];

function resultOf(state, link) {
  return textOf(state.model.doc, link).then((text) => {
    try {
      const value = JSON.parse(text);
      return value && typeof value === 'object' ? value : null;
    } catch (error) {
      return null;
    }
  });
}

const waiting = () => el('p', {class: 'quiet'}, 'Unpacking …');

function sourcePart(state, t) {
  const place = el('div', {}, waiting());
  if (t.row.source === undefined) {
    return el('p', {class: 'quiet'}, t.row.reply ? `No source: ${t.reason || 'none was found in the reply'}.` : 'No answer yet.');
  }
  const source = textOf(state.model.doc, t.row.source);
  const result = t.row.eval ? resultOf(state, t.row.eval.full).catch(() => null) : Promise.resolve(null);
  lazily(place, Promise.all([source, result]), ([text, whole_]) => sourceNode(text, whole_));
  const against = t.parent && state.model.byId.has(t.parent) ? t.parent : 'baseline';
  return el('div', {}, el('div', {class: 'tools'}, copyButton('Copy the source', () => source),
    el('button', {type: 'button', onclick: () => state.compare(against, t.id)}, `Compare with ${against === 'baseline' ? 'the baseline' : against}`)), place);
}

function promptPart(state, t) {
  const messages = list(t.row.prompt);
  return el('div', {}, messages.length ? null : el('p', {class: 'quiet'}, 'No messages.'), messages.map(([role, link], i) => {
    const place = el('div', {}, waiting());
    const box = el('details', {class: 'message'}, el('summary', {}, `${i + 1}. ${ROLES[role] || `role ${role}`}`), place);
    const show = () => lazily(place, textOf(state.model.doc, link), (text) => el('pre', {}, text));
    box.addEventListener('toggle', () => { if (box.open) show(); }, {once: true});
    if (i === messages.length - 1) box.open = true;
    return box;
  }));
}

function replyPart(state, t) {
  const {reply} = t.row;
  const failures = list(t.row.failures);
  const [fresh, read, write, output, thought] = list(reply && reply.tokens);
  const place = el('div', {}, waiting());
  if (reply) lazily(place, textOf(state.model.doc, reply.text), (text) => el('pre', {}, text));
  const reasoning = el('div', {}, waiting());
  const thinking = reply && reply.reasoning !== undefined && el('details', {class: 'message'}, el('summary', {}, 'Reasoning'), reasoning);
  if (thinking) {
    thinking.addEventListener('toggle', () => lazily(reasoning, textOf(state.model.doc, reply.reasoning), (text) => el('pre', {}, text)), {once: true});
  }
  return el('div', {},
    failures.length ? table('Requests without an answer', [{text: 'attempt', num: true}, 'error', 'final', {text: 'tokens', num: true}, {text: 'cost', num: true}],
      failures.map((f) => [{text: whole(f[0]), num: true}, f[1], f[2] ? 'yes' : 'no', {text: whole(f[3]), num: true}, {text: money(f[4]), num: true}])) : null,
    reply ? el('dl', {class: 'facts'},
      fact('model', reply.model), fact('answered', date(reply.ms)), fact('ended by', reply.finish), fact('origin', reply.origin),
      fact('tokens', `${whole(fresh)} in, ${whole(read)} cached, ${whole(write)} written to cache, ${whole(output)} out${thought ? `, ${whole(thought)} of them reasoning` : ''}${reply.estimated ? ' (estimated)' : ''}`),
      fact('cost', money(reply.usd))) : el('p', {class: 'quiet'}, 'No answer yet.'),
    thinking || null, reply ? place : null);
}

const fact = (name, value) => (value === undefined || value === null || value === '' ? null
  : [el('dt', {}, name), el('dd', {}, value)]);

function resultPart(state, t) {
  if (!t.row.eval) return el('p', {class: 'quiet'}, 'No verdict yet.');
  const place = el('div', {}, waiting());
  lazily(place, textOf(state.model.doc, t.row.eval.full), (text) => {
    let result = null;
    try { result = JSON.parse(text); } catch (error) { /* shown as it is */ }
    return el('div', {}, result && typeof result === 'object' ? resultFacts(result) : null,
      el('details', {class: 'message'}, el('summary', {}, 'The whole result as stored'), el('pre', {}, text)));
  });
  return place;
}

function resultFacts(result) {
  const resources = list(result.resources);
  const stages = Object.entries(result.stage_s || {});
  return el('div', {},
    el('dl', {class: 'facts'}, fact('device', result.device), fact('seed of the inputs', result.seed),
      fact('device time', isNumber(result.device_s) ? duration(result.device_s * 1000) : null),
      fact('stages', stages.map(([name, s]) => `${name} ${isNumber(s) ? s.toFixed(2) : '–'} s`).join(', '))),
    resources.length ? table('What the kernels occupy', ['kernel', {text: 'registers', num: true}, {text: 'spill stores', num: true}, {text: 'spill loads', num: true},
      {text: 'stack', num: true}, {text: 'shared', num: true}, {text: 'occupancy', num: true}],
    resources.map((r) => [{text: String(r.kernel), head: true}, {text: whole(r.registers), num: true}, {text: whole(r.spill_store_bytes), num: true},
      {text: whole(r.spill_load_bytes), num: true}, {text: whole(r.stack_bytes), num: true}, {text: whole(r.shared_bytes), num: true},
      {text: r.occupancy > 0 ? percent(r.occupancy) : '–', num: true}])) : null,
    manifestTable(result.manifest),
    comparisonTable(result.comparison),
    result.feedback ? el('div', {}, el('h4', {}, 'What the model was told'), el('pre', {}, String(result.feedback))) : null);
}

function manifestTable(manifest) {
  const rows = Object.entries(manifest && typeof manifest === 'object' ? manifest : {});
  return rows.length ? table('How it was timed', ['what', 'value'], rows.map(([key, value]) => [{text: key, head: true}, String(value)])) : null;
}

function comparisonTable(comparison) {
  const sizes = list(comparison && comparison.sizes);
  const span = (r) => (r ? `${digits(r.value)} (${digits(r.low)} … ${digits(r.high)})` : '–');
  return sizes.length ? table(`Against the rival, in turns: ${String(comparison.order)}, time ratio ${span(comparison.ratio)}`,
    ['size', 'order', {text: 'ratio', num: true}, {text: 'first', num: true}, {text: 'second', num: true}, {text: 'pairs', num: true}],
    sizes.map((c) => [{text: String(c.size), head: true}, String(c.order), {text: span(c.ratio), num: true}, {text: micros(c.first_us), num: true},
      {text: micros(c.second_us), num: true}, {text: whole(c.pairs), num: true}])) : null;
}

const PARTS = [['source', 'Source', sourcePart], ['prompt', 'Prompt', promptPart], ['reply', 'Reply', replyPart], ['result', 'Judge', resultPart]];

function detailSection(state) {
  const title = el('h3', {id: 'candidate-title', tabindex: -1});
  const facts = el('div', {class: 'headline'});
  const times = el('div');
  const body = el('div', {id: 'candidate-part', role: 'tabpanel', tabindex: 0});
  let part = 'source';
  let shown = null; // what is on display, so that a live update does not fold up what is open
  const tabs = PARTS.map(([key, label]) => el('button', {type: 'button', role: 'tab', id: `tab-${key}`, 'aria-controls': 'candidate-part',
    onclick: () => choose(key)}, label));
  const bar = el('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the candidate', onkeydown: (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (PARTS.findIndex(([key]) => key === part) + step + PARTS.length) % PARTS.length;
    choose(PARTS[next][0]);
    tabs[next].focus();
  }}, tabs);
  const move = (step) => {
    const at = state.model.trials.findIndex((t) => t.id === state.selected);
    const next = state.model.trials[at + step];
    if (next) state.select(next.id);
  };
  const node = el('section', {id: 'candidate', 'aria-labelledby': 'candidate-title'},
    el('div', {class: 'bar'}, title, el('div', {class: 'tools'},
      el('button', {type: 'button', 'aria-label': 'Previous candidate', onclick: () => move(-1)}, '←'),
      el('button', {type: 'button', 'aria-label': 'Next candidate', onclick: () => move(1)}, '→'))),
    facts, times, bar, body);

  function choose(key) {
    part = key;
    draw(true);
  }
  function draw(force) {
    const t = state.model.byId.get(state.selected);
    node.hidden = !t;
    if (!t) return;
    title.textContent = t === state.model.best ? `${t.id}, the best kernel` : t.id;
    facts.replaceChildren(t.row.eval ? badge(t.verdict) : el('span', {class: 'badge g-open'}, mark('open'), t.state),
      el('span', {}, t.kind), ...(t.parent ? [el('span', {}, 'from ', el('a', {href: `#${encodeURIComponent(t.parent)}`,
        onclick: (event) => { event.preventDefault(); state.select(t.parent); }}, t.parent))] : []),
      ...(t.speedup ? [el('span', {}, gain(t.speedup[0]))] : []), ...(t.share !== null ? [el('span', {}, `${percent(t.share)} of the roofline`)] : []),
      ...(t.reason ? [el('span', {class: 'reason'}, t.reason)] : []));
    times.replaceChildren(t.times.length ? el('details', {class: 'behind'}, el('summary', {}, `Times at ${plural(t.times.length, 'size')}`),
      timesTable(t.times, new Map(), [], t.times.some((m) => m[ESTIMATED]))) : '');
    tabs.forEach((tab, i) => {
      const on = PARTS[i][0] === part;
      tab.setAttribute('aria-selected', String(on));
      tab.setAttribute('tabindex', on ? '0' : '-1');
    });
    body.setAttribute('aria-labelledby', `tab-${part}`);
    const content = `${t.id} ${part} ${JSON.stringify(t.row)}`;
    if (content === shown && !force) return;
    shown = content;
    body.replaceChildren(PARTS.find(([key]) => key === part)[2](state, t));
  }
  return {node, update: () => draw(false), select: () => draw(false), focus: () => title.focus({preventScroll: true})};
}

/** Two pickers and the difference of their sources. */
function compareSection(state) {
  const place = el('div');
  const picks = ['a', 'b'].map((side) => el('select', {id: `compare-${side}`, onchange: () => draw()}));
  const node = el('section', {id: 'compare', 'aria-labelledby': 'compare-title'},
    el('h2', {id: 'compare-title'}, 'Difference of two candidates'),
    el('form', {class: 'filters', onsubmit: (event) => event.preventDefault()},
      el('label', {}, 'From ', picks[0]), el('label', {}, 'to ', picks[1]),
      el('button', {type: 'button', onclick: () => {
        [picks[0].value, picks[1].value] = [picks[1].value, picks[0].value];
        draw();
      }}, 'Swap')), place);
  const linkOf = (id) => (id === 'baseline' ? state.model.doc.task && state.model.doc.task.baseline
    : state.model.byId.get(id) && state.model.byId.get(id).row.source);
  let shown = '';
  function draw() {
    const names = picks.map((pick) => pick.value);
    if (names.join(' ') === shown) return;
    shown = names.join(' ');
    if (names.some((name) => !name)) return;
    lazily(place, Promise.all(names.map((name) => textOf(state.model.doc, linkOf(name)))), ([a, b]) => diffNode(a, b, names));
  }
  function update() {
    const options = [...(linkOf('baseline') !== undefined ? [['baseline', 'baseline']] : []),
      ...state.model.trials.filter((t) => t.row.source !== undefined).map((t) => [t.id, `${t.id}  ${t.speedup ? gain(t.speedup[0]) : t.state}`])];
    picks.forEach((pick, side) => {
      const best = state.model.best && state.model.best.row.source !== undefined ? state.model.best.id : '';
      const wanted = pick.value || (side === 0 ? (options[0] || [''])[0] : best || (options[1] || [''])[0]);
      if (pick.options.length !== options.length) {
        pick.replaceChildren(...options.map(([value, text]) => el('option', {value}, text)));
      }
      pick.value = wanted;
    });
    draw();
  }
  function compare(a, b) {
    [picks[0].value, picks[1].value] = [a, b];
    draw();
    node.scrollIntoView({block: 'start'});
    picks[0].focus({preventScroll: true});
  }
  return {node, update, compare};
}
