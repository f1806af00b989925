// SPDX-License-Identifier: Apache-2.0
// The numbered figures of a run: progress, times per size, verdicts. Each has its table.

let figureCount = 0;

/** A figure with a caption and, where there is one, the table behind it. */
function figure(caption, body, tableNode, controls) {
  const id = freshId('figure');
  return el('figure', {'aria-labelledby': id},
    el('figcaption', {id}, el('span', {class: 'figno'}, `Fig. ${++figureCount}`), ' ', caption),
    controls || null, body,
    tableNode ? el('details', {class: 'behind', open: haveCharts() ? null : true},
      el('summary', {}, 'Table'), tableNode) : null);
}

const PROGRESS_AXES = {
  evaluations: ['evaluations', (p) => p.evaluations, whole],
  tokens: ['tokens', (p) => p.tokens, compact],
  usd: ['US dollars', (p) => p.usd, money],
  ms: ['time since the start', (p) => p.ms / 1000, (s) => duration(s * 1000)],
};

/** Best so far as steps, every valid candidate as a point. */
function progressFigure(state) {
  const place = el('div', {class: 'chart'});
  const behind = el('div');
  const axis = {key: 'evaluations'};
  const node = figure('Best so far', place, behind,
    choice('Horizontal axis', Object.entries(PROGRESS_AXES).map(([key, [label]]) => [key, label]),
      axis.key, (key) => { axis.key = key; draw(); }));

  function draw() {
    const model = state.model;
    const [label, at, spell] = PROGRESS_AXES[axis.key];
    const value = (t) => (model.hasGain ? t.speedup && t.speedup[0] : t.score);
    const name = model.hasGain ? 'speed-up over the baseline' : 'time, µs';
    const steps = model.timeline.filter((p) => p.best && isNumber(at(p))).map((p) => ({x: at(p), y: value(p.best), id: p.best.id}));
    const points = model.timeline.filter((p) => p.trial.valid && isNumber(at(p)))
      .map((p) => ({x: at(p), y: value(p.trial), id: p.trial.id}));
    lineChart(place, {
      label: `Best ${name} against ${label}: ${steps.length ? `from ${digits(steps[0].y, 3)} to ${digits(steps[steps.length - 1].y, 3)}` : 'no valid kernel yet'}`,
      x: label, y: name, spellX: spell, wholeX: axis.key !== 'usd' && axis.key !== 'ms', onpick: (id) => state.select(id, true),
      limitsY: model.hasGain ? {suggestedMin: 1} : {},
      series: [
        {label: 'best so far', data: steps, colour: 'accent', step: true},
        {label: 'valid candidates', data: points, colour: 'ok', points: true},
      ],
    });
    const improvements = model.timeline.filter((p, i) =>
      p.best && (i === 0 || p.best !== model.timeline[i - 1].best));
    behind.replaceChildren(table('Each improvement of the best kernel',
      ['candidate', {text: 'evaluations', num: true}, {text: 'tokens', num: true}, {text: 'cost', num: true},
        {text: 'time', num: true}, {text: 'speed-up', num: true}],
      improvements.map((p) => [{text: p.best.id, head: true}, {text: whole(p.evaluations), num: true},
        {text: whole(p.tokens), num: true}, {text: money(p.usd), num: true},
        {text: micros(p.best.score), num: true}, {text: gain(p.best.speedup && p.best.speedup[0]), num: true}])));
  }
  return {node, update: draw};
}

/** Times per size of baseline, best kernel, comparators and floor. */
function timesFigure(state) {
  const place = el('div', {class: 'chart'});
  const behind = el('div');
  const node = figure('Time per size', place, behind);

  function draw() {
    const {model} = state;
    const times = model.best ? model.best.times : [];
    const comparators = list(model.doc.comparators);
    const base = new Map(list(model.baseline && model.baseline.times).map((m) => [m[SIZE], m]));
    const bars = [
      {label: 'baseline', colour: 'base', data: times.map((m) => base.get(m[SIZE]) || [m[SIZE], m[BASE], 0, 0])},
      ...comparators.map((c, i) => ({label: String(c.name), colour: `extra${i % 3}`,
        data: times.map((m) => list(c.times).find((row) => row[SIZE] === m[SIZE]) || [m[SIZE], 0, 0, 0])})),
      {label: model.best ? `best kernel, ${model.best.id}` : 'best kernel', colour: 'accent', data: times},
    ];
    barChart(place, {
      label: `Time per size in microseconds: ${times.map((m) => `${m[SIZE]} ${micros(m[MEDIAN])}`).join(', ') || 'nothing measured yet'}`,
      names: times.map((m) => String(m[SIZE])), y: `time, µs${model.estimated ? ' (estimated)' : ''}`,
      bars, floors: times.map((m) => m[FLOOR]),
    });
    behind.replaceChildren(timesTable(times, base, comparators, model.estimated));
  }
  return {node, update: draw};
}

function timesTable(times, base, comparators, estimated) {
  const span = (m) => (m && m[HIGH] > m[LOW] && m[LOW] > 0 ? `${digits(m[LOW])} … ${digits(m[HIGH])}` : '');
  const weighted = times.some((m) => isNumber(m[WEIGHT]));
  return table(`Microseconds per call${estimated ? ', estimated, not measured' : ', median and its interval'}`,
    ['size', {text: 'baseline', num: true}, ...comparators.map((c) => ({text: String(c.name), num: true})),
      {text: 'best kernel', num: true}, {text: 'interval', num: true}, {text: 'samples', num: true},
      {text: 'speed-up', num: true}, {text: 'floor', num: true}, {text: 'of the roofline', num: true},
      ...(weighted ? [{text: 'weight', num: true}] : [])],
    times.map((m) => [{text: m[SIZE], head: true}, {text: digits(m[BASE] || (base.get(m[SIZE]) || [])[MEDIAN]), num: true},
      ...comparators.map((c) => ({text: digits((list(c.times).find((row) => row[SIZE] === m[SIZE]) || [])[MEDIAN]), num: true})),
      {text: digits(m[MEDIAN]), num: true}, {text: span(m), num: true}, {text: whole(m[SAMPLES]), num: true},
      {text: m[BASE] > 0 ? gain(m[BASE] / m[MEDIAN]) : '–', num: true},
      {text: m[FLOOR] > 0 ? digits(m[FLOOR]) : '–', num: true},
      {text: m[FLOOR] > 0 ? percent(m[FLOOR] / m[MEDIAN]) : '–', num: true},
      ...(weighted ? [{text: digits(isNumber(m[WEIGHT]) ? m[WEIGHT] : 1), num: true}] : [])]));
}

function verdictsFigure(state) {
  const place = el('div', {class: 'chart low'});
  const behind = el('div');
  const node = figure('Verdicts', place, behind);

  function draw() {
    const {model} = state;
    const rows = Object.keys(VERDICTS).concat([...model.counts.keys()].filter((v) => !VERDICTS[v]))
      .filter((name) => model.counts.get(name)).map((name) => [name, model.counts.get(name)]);
    place.style.height = `${52 + 26 * rows.length}px`;
    countChart(place, {
      label: `Verdicts: ${rows.map(([name, n]) => `${n} ${verdictLabel(name)}`).join(', ') || 'none yet'}`,
      rows: rows.map(([name, n]) => ({name, label: verdictLabel(name), count: n, colour: verdictGroup(name)})),
      onpick: (name) => state.filter(name),
    });
    behind.replaceChildren(table('Candidates by verdict',
      ['verdict', {text: 'candidates', num: true}, {text: 'share', num: true}, 'meaning', 'list'],
      rows.map(([name, n]) => [{text: badge(name), head: true}, {text: whole(n), num: true},
        {text: percent(n / Math.max(1, model.trials.length)), num: true}, verdictOf(name)[2],
        el('button', {type: 'button', class: 'link', onclick: () => state.filter(name)}, 'show')])));
  }
  return {node, update: draw};
}
