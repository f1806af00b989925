// SPDX-License-Identifier: Apache-2.0
// The suite: every task and size with baseline, kernels, comparators, floor and regime.

const RUNNERS = {b0: ['plain baseline (B0)', 'open'], b1: ['baseline (B1)', 'base'], kernel: ['best kernel', 'accent'],
  library: ['vendor library', 'fault'], eager: ['PyTorch eager', 'extra1'], compiled: ['torch.compile', 'wrong']};
const runnerLabel = (key) => (RUNNERS[key] || [String(key)])[0];

const geomean = (numbers) => {
  const good = numbers.filter((x) => x > 0);
  return good.length ? Math.exp(sum(good.map(Math.log)) / good.length) : null;
};

/** The fastest of its kind that plays by the same rules; of kernels the task's best one. */
function timedOf(row, runner) {
  const fits = list(row.times).filter((t) => t.runner === runner && !t.apart && t.median > 0);
  if (runner === 'kernel' && row.best) return fits.find((t) => t.name === row.best) || null;
  return fits.sort((a, b) => a.median - b.median)[0] || null;
}

function benchModel(doc, regime) {
  const rows = list(doc.rows).filter((row) => !regime || row.regime === regime);
  const tasks = [...new Set(rows.map((row) => String(row.task)))];
  const runners = Object.keys(RUNNERS).filter((key) => rows.some((row) => timedOf(row, key)));
  const of = (task) => rows.filter((row) => String(row.task) === task);
  const gainOf = (task, runner) => geomean(of(task).map((row) => {
    const [base, timed] = [timedOf(row, 'b1'), timedOf(row, runner)];
    return base && timed ? base.median / timed.median : null;
  }));
  const shareOf = (task, runner) => geomean(of(task).map((row) => (timedOf(row, runner) || {}).share));
  return {rows, tasks, runners, of, gainOf, shareOf};
}

/** Every size of one task: who took how long. */
function taskTable(task, rows) {
  const names = [...new Set(rows.flatMap((row) => list(row.times).map((t) => String(t.name))))];
  const cell = (row, name) => {
    const timed = list(row.times).find((t) => String(t.name) === name);
    if (!timed) return {text: '–', num: true};
    const span = timed.high > timed.low ? `${digits(timed.low)} … ${digits(timed.high)} µs` : '';
    return {text: digits(timed.median), num: true, title: [runnerLabel(timed.runner), span, plural(timed.samples, 'sample'), timed.source, timed.apart, timed.note].filter(Boolean).join(', ')};
  };
  return table(`${task}: microseconds per call`, ['size', 'regime', {text: 'floor', num: true}, ...names.map((name) => ({text: name, num: true}))],
    rows.map((row) => [{text: row.size, head: true}, row.regime, {text: row.floor > 0 ? digits(row.floor) : '–', num: true}, ...names.map((name) => cell(row, name))]));
}

function taskDetails(task, model) {
  const rows = model.of(task);
  const chart = el('div', {class: 'chart'});
  const box = el('details', {class: 'task'}, el('summary', {}, `${task}, ${plural(rows.length, 'size')}`), chart, taskTable(task, rows));
  box.addEventListener('toggle', () => {
    if (!box.open) return;
    const blank = (row) => [row.size, 0, 0, 0];
    const bars = model.runners.map((key) => ({label: runnerLabel(key), colour: RUNNERS[key][1], data: rows.map((row) => {
      const timed = timedOf(row, key);
      return timed ? [row.size, timed.median, timed.low, timed.high] : blank(row);
    })}));
    barChart(chart, {label: `${task}: times per size`, names: rows.map((row) => String(row.size)), y: 'time, µs', bars, floors: rows.map((row) => row.floor)});
  });
  return box;
}

function benchPage(doc) {
  figureCount = 0;
  const view = {regime: ''};
  const gains = el('div', {class: 'chart'});
  const shares = el('div', {class: 'chart'});
  const [gainTable, shareTable, tasks] = [el('div'), el('div'), el('div')];
  const regimes = [...new Set(list(doc.rows).map((row) => String(row.regime)).filter(Boolean))].sort();
  const ceilings = doc.ceilings || {};
  const estimated = list(doc.rows).some((row) => list(row.times).some((t) => t.source === 'estimated'));
  const perTask = (model, value, spell, caption, skip) => table(caption, ['task', ...model.runners.filter((r) => r !== skip).map((r) => ({text: runnerLabel(r), num: true}))],
    model.tasks.map((task) => [{text: task, head: true}, ...model.runners.filter((r) => r !== skip).map((r) => ({text: spell(value(task, r)), num: true}))]));
  const rowsChart = (place, model, value, spec) => {
    const shown = model.runners.filter((r) => r !== 'b0' && r !== spec.skip);
    place.style.height = `${90 + model.tasks.length * (10 + 9 * shown.length)}px`;
    groupChart(place, {...spec, names: model.tasks, series: shown.map((r) => ({label: runnerLabel(r), colour: RUNNERS[r][1], data: model.tasks.map((task) => value(task, r))}))});
  };
  function draw() {
    const model = benchModel(doc, view.regime);
    rowsChart(gains, model, model.gainOf, {skip: 'b1', x: 'speed-up over the baseline', log: true, spell: gain, label: 'Speed-up over the baseline per task'});
    rowsChart(shares, model, model.shareOf, {x: 'share of the ceiling', spell: percent, label: 'Share of the ceiling per task'});
    gainTable.replaceChildren(perTask(model, model.gainOf, gain, 'Speed-up over the baseline, geometric mean over sizes', 'b1'));
    shareTable.replaceChildren(perTask(model, model.shareOf, percent, 'Share of the ceiling, geometric mean over sizes'));
    tasks.replaceChildren(...model.tasks.map((task) => taskDetails(task, model)));
  }
  const best = list(doc.means).find((m) => m.slow === 'b1' && m.fast === 'kernel');
  main().replaceChildren(
    navigation([['result', 'Result'], ['gains', 'Speed-up'], ['shares', 'Roofline'], ['tasks', 'Tasks']]),
    el('header', {id: 'result'}, el('p', {class: 'over'}, 'Warpwright'), el('h1', {}, 'Benchmark'),
      el('p', {class: 'sub'}, [doc.device, plural(new Set(list(doc.rows).map((r) => r.task)).size, 'task'), plural(list(doc.rows).length, 'size')].filter(Boolean).map((x) => el('span', {}, x))),
      best ? el('p', {class: 'sentence'}, `The best kernels run ${gain(best.gain)} as fast as the baselines${best.busy > 0 ? `, ${gain(best.busy)} without launch-bound sizes` : ''}.${estimated ? ' Some times are estimates, not measurements.' : ''}`) : null,
      el('dl', {class: 'facts'}, fact('ceilings', `${whole(ceilings.memory_gb_per_s)} GB/s, ${digits(ceilings.fp32_tflops, 3)} TFLOP/s fp32${ceilings.launch_us > 0 ? `, ${digits(ceilings.launch_us, 3)} µs per launch` : ''} (${ceilings.source || 'unknown'})`)),
      list(doc.means).length ? table('Geometric means over tasks', ['faster', 'slower', {text: 'speed-up', num: true}, {text: 'tasks', num: true}, {text: 'sizes', num: true}, {text: 'without launch-bound', num: true}, {text: 'tasks', num: true}],
        doc.means.map((m) => [{text: runnerLabel(m.fast), head: true}, runnerLabel(m.slow), {text: gain(m.gain), num: true}, {text: whole(m.tasks), num: true}, {text: whole(m.sizes), num: true}, {text: m.busy > 0 ? gain(m.busy) : '–', num: true}, {text: whole(m.busy_tasks), num: true}])) : null),
    el('section', {id: 'gains'}, el('h2', {}, 'Speed-up'),
      choice('Regime', [['', 'all sizes'], ...regimes.map((r) => [r, r])], '', (key) => { view.regime = key; draw(); }),
      figure('Speed-up over the baseline, geometric mean over sizes', gains, gainTable)),
    el('section', {id: 'shares'}, el('h2', {}, 'Share of the ceiling'), figure('What is reached of what the device allows', shares, shareTable)),
    el('section', {id: 'tasks'}, el('h2', {}, 'Tasks'), tasks,
      list(doc.troubles).length ? table('Jobs that ended badly', ['job', 'verdict', 'reason'], doc.troubles.map((t) => [{text: t[0], head: true}, badge(t[1]), t[2]])) : null,
      list(doc.missing).length ? el('p', {class: 'quiet'}, `Without a result: ${doc.missing.join(', ')}.`) : null),
    colophon(doc));
  draw();
}
