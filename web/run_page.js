// SPDX-License-Identifier: Apache-2.0
// The page of one run, the result first.

function numeral(label, value, note, more) {
  return el('div', {class: 'numeral'}, el('dt', {}, label), el('dd', {}, el('span', {class: 'value'}, value),
    note ? el('span', {class: 'note'}, note) : null, more || null));
}

function meter(share) {
  return svg('svg', {class: 'meter', viewBox: '0 0 100 4', preserveAspectRatio: 'none', role: 'img', 'aria-label': percent(share)},
    svg('rect', {class: 'all', width: 100, height: 4}),
    svg('rect', {class: 'part', width: Math.max(0, Math.min(100, 100 * share)), height: 4}));
}

/** One sentence that says how it went. */
function sentenceOf(model) {
  const {best, run} = model;
  const going = run.status === 'running';
  if (!best) {
    return model.judged ? `No valid kernel ${going ? 'yet' : 'was found'}; ${plural(model.judged, 'candidate')} judged.`
      : 'Nothing is judged yet.';
  }
  const where = String((best.row.eval && best.row.eval.device) || run.device || '');
  const how = best.speedup ? `${gain(best.speedup[0])} as fast as the baseline` : `in ${micros(best.score)}`;
  return `${best.id} runs ${how}${where ? ` (${where})` : ''}.`;
}

function resultSection(state) {
  const title = el('h1');
  const sub = el('p', {class: 'sub'});
  const sentence = el('p', {class: 'sentence'});
  const numerals = el('dl', {class: 'numerals'});
  const node = el('header', {id: 'result'}, el('p', {class: 'over'}, 'Warpwright'), title, sub, sentence, numerals);

  function update() {
    const {model} = state;
    const {run, best, doc} = model;
    const task = doc.task || {};
    title.textContent = task.title || run.task || 'Run';
    sub.replaceChildren(el('span', {class: `status s-${run.status}`}, String(run.status || '')),
      ...[run.id, run.strategy && `strategy ${run.strategy}`, run.model, date(run.created_ms)].filter(Boolean).map((x) => el('span', {}, x)));
    sentence.textContent = sentenceOf(model) + list(doc.derived).map((d) => ` Machine code of ${d[0] || 'an earlier source'}: ${d[2]}.`).join('')
      + (run.ending ? ` Ended: ${run.ending}.` : '');
    const span = best && best.speedup && best.speedup[2] > best.speedup[1]
      ? `${best.speedup[1].toFixed(2)} … ${best.speedup[2].toFixed(2)}` : model.estimated ? 'estimate, no interval' : '';
    numerals.replaceChildren(
      numeral('speed-up', best && best.speedup ? gain(best.speedup[0]) : '–', span || 'over the baseline'),
      numeral('of the roofline', best && best.share !== null ? percent(best.share) : '–', best && best.sol !== null ? `SOL score ${best.sol.toFixed(3)}` : null, best && best.share !== null ? meter(best.share) : null),
      numeral('time', best ? micros(best.score) : '–', best && best.times.length > 1 ? `geometric mean of ${best.times.length} sizes` : 'per call'),
      numeral('valid kernels', whole(model.valid), `of ${whole(model.judged)} judged`),
      numeral('cost', money(model.usd), `${compact(model.tokens)} tokens`),
      numeral('took', duration(run.elapsed_ms), plural(model.evaluations, 'evaluation')));
  }
  return {node, update};
}

/** Driver, flags and clocks as the judge wrote them down, when it measured. */
function bestManifest(state) {
  const link = state.model.best && state.model.best.row.eval && state.model.best.row.eval.full;
  const place = el('div');
  if (link !== undefined && link !== null) lazily(place, resultOf(state, link), (result) => manifestTable(result && result.manifest) || '');
  return place;
}

function setupSection(state) {
  const node = el('section', {id: 'setup', 'aria-labelledby': 'setup-title'});
  let shown = '';
  function update() {
    const {doc, run} = state.model;
    const content = JSON.stringify([doc.device, doc.config, doc.repeat, doc.events, run]);
    if (content === shown) return;
    shown = content;
    const device = doc.device || {};
    const task = doc.task || {};
    const config = list(doc.config);
    const chosen = config.filter((c) => c[2] !== 'default');
    const settings = (rows, caption) => table(caption, ['setting', 'value', 'from'], rows.map((c) => [{text: c[0], head: true}, c[1] === '' ? '–' : c[1], c[2]]));
    const seeds = state.model.best && state.model.best.row.eval && state.model.best.row.eval.seed;
    node.replaceChildren(
      el('h2', {id: 'setup-title'}, 'Set-up, and how to repeat it'),
      el('dl', {class: 'facts'},
        fact('judged on', device.words), fact('device', device.name && `${device.name} (${device.architecture}, compute ${device.compute}, ${device.sms} SMs, ${whole(device.memory_gb_per_s)} GB/s, ${device.fp32_tflops} TFLOP/s fp32)`),
        fact('rules', task.rule_set), fact('signature', task.signature && el('code', {}, task.signature)),
        fact('seed of the best kernel’s inputs', seeds && el('code', {}, seeds)),
        fact('model', run.model), fact('strategy', run.strategy), fact('started', date(run.created_ms)),
        fact('page made', doc.made_ms ? date(doc.made_ms) : null)),
      bestManifest(state),
      ...list(doc.repeat).map(([what, command]) => el('div', {class: 'command'}, el('p', {}, what),
        el('pre', {tabindex: 0}, command), copyButton('Copy', () => Promise.resolve(command)))),
      el('details', {class: 'behind'}, el('summary', {}, 'What the task asks for'),
        lazily(el('div', {}, waiting()), textOf(doc, task.description), (text) => el('pre', {}, text))),
      chosen.length ? settings(chosen, 'Settings that were chosen') : '',
      el('details', {class: 'behind'}, el('summary', {}, `All ${config.length} settings`), settings(config, 'All settings')),
      list(doc.events).length ? el('details', {class: 'behind'}, el('summary', {}, plural(doc.events.length, 'event')),
        table('Events', ['when', 'what', ''], doc.events.map((e) => [date(e[0]), e[1], e[2]]))) : '');
  }
  return {node, update};
}

function navigation(links) {
  return el('nav', {'aria-label': 'Sections'}, links.map(([id, text]) => el('a', {href: `#${id}`}, text)), themeButton());
}

const RUN_SECTIONS = [['result', 'Result'], ['search', 'Search'], ['times', 'Times'], ['verdicts', 'Verdicts'],
  ['candidates', 'Candidates'], ['compare', 'Difference'], ['setup', 'Set-up']];

function runPage(doc) {
  figureCount = 0;
  const state = {model: modelOf(doc), selected: null};
  const parts = {result: resultSection(state), tree: treeFigure(state), progress: progressFigure(state), times: timesFigure(state),
    roofline: rooflineFigure(state), verdicts: verdictsFigure(state), candidates: candidatesSection(state),
    detail: detailSection(state), compare: compareSection(state), setup: setupSection(state)};
  const section = (id, title, ...nodes) => el('section', {id, 'aria-labelledby': `${id}-title`}, el('h2', {id: `${id}-title`}, title), nodes);
  state.select = (id, scroll) => {
    if (!state.model.byId.has(id)) return;
    state.selected = id;
    for (const part of Object.values(parts)) if (part.select) part.select();
    history.replaceState(null, '', `#${encodeURIComponent(id)}`);
    if (scroll) {
      parts.detail.node.scrollIntoView({block: 'start'});
      parts.detail.focus();
    }
  };
  state.compare = (a, b) => parts.compare.compare(a, b);
  state.filter = (name) => parts.candidates.filter(name);
  const update = () => {
    if (!state.selected && state.model.best) state.selected = state.model.best.id;
    if (!state.selected && state.model.trials.length) state.selected = state.model.trials[0].id;
    // Charts measure their places, which makes the browser lay out the page: the large parts come after them.
    for (const name of ['result', 'progress', 'times', 'verdicts', 'roofline', 'tree', 'candidates', 'detail', 'compare', 'setup']) parts[name].update();
  };
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (state.model.byId.has(wanted)) state.selected = wanted;
  const status = el('p', {class: 'livebar', role: 'status', hidden: true});
  main().replaceChildren(navigation(RUN_SECTIONS), status, parts.result.node,
    section('search', 'The search', parts.tree.node, parts.progress.node),
    section('times', 'Times', parts.times.node, parts.roofline.node),
    section('verdicts', 'Verdicts', parts.verdicts.node),
    section('candidates', 'Candidates', parts.candidates.node), parts.detail.node, parts.compare.node, parts.setup.node, colophon(doc));
  window.addEventListener('hashchange', () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (state.model.byId.has(id)) state.select(id, true);
  });
  update();
  return {state, status, replace(next) { state.model = modelOf(next); update(); }};
}

const main = () => document.getElementById('main');

function colophon(doc) {
  return el('footer', {}, el('p', {}, 'Made by Warpwright. This page is one file and loads nothing; what models wrote is shown as text only.',
    doc.made_ms ? ` ${date(doc.made_ms)}.` : ''));
}
