// SPDX-License-Identifier: Apache-2.0
// Several runs beside each other: solve rate and gain over evaluations, with intervals.

const SERIES = ['accent', 'fault', 'ok', 'wrong', 'build', 'base', 'extra0', 'extra1', 'extra2'];

/** Lines with bands; `at` is the column of the value in a point, followed by low and high. */
function bandChart(place, groups, at, label, y, limits) {
  const series = [];
  groups.forEach((group, i) => {
    const colour = SERIES[i % SERIES.length];
    const points = list(group.points);
    const line = (column) => points.map((p) => ({x: p[0], y: p[column]}));
    series.push({label: String(group.name), data: line(at), colour, step: true});
    if (points.some((p) => p[at + 2] > p[at + 1])) {
      series.push({label: '~low', data: line(at + 1), colour, step: true, edge: true});
      series.push({label: '~high', data: line(at + 2), colour, step: true, edge: true, fill: '-1'});
    }
  });
  lineChart(place, {label, x: 'evaluations', y, spellX: whole, wholeX: true, series, limitsY: limits});
}

function comparePage(doc) {
  figureCount = 0;
  const groups = list(doc.groups);
  const rows = list(doc.rows);
  const solve = el('div', {class: 'chart'});
  const gains = el('div', {class: 'chart'});
  const last = (group) => list(group.points)[list(group.points).length - 1] || [];
  const span = (p, at, spell) => (p[at + 2] > p[at + 1] ? `${spell(p[at + 1])} … ${spell(p[at + 2])}` : '–');
  const head = table('Groups at the end of their runs',
    ['group', {text: 'runs', num: true}, {text: 'tasks', num: true}, {text: 'solved', num: true}, {text: 'interval', num: true},
      {text: 'speed-up', num: true}, {text: 'interval', num: true}, {text: 'tokens', num: true}, {text: 'cost', num: true}],
    groups.map((g) => [{text: g.name, head: true}, {text: whole(g.runs), num: true}, {text: whole(g.tasks), num: true},
      {text: percent(last(g)[1]), num: true}, {text: span(last(g), 1, percent), num: true},
      {text: gain(last(g)[4]), num: true}, {text: span(last(g), 4, gain), num: true},
      {text: compact(g.tokens), num: true}, {text: money(g.usd), num: true}]));
  const pointsTable = (at, spell, caption) => table(caption, ['group', {text: 'evaluations', num: true}, {text: 'value', num: true}, {text: 'interval', num: true}],
    groups.flatMap((g) => list(g.points).map((p) => [{text: g.name, head: true}, {text: whole(p[0]), num: true},
      {text: spell(p[at]), num: true}, {text: span(p, at, spell), num: true}])));
  main().replaceChildren(
    navigation([['result', 'Result'], ['solved', 'Solve rate'], ['gain', 'Speed-up'], ['runs', 'Runs']]),
    el('header', {id: 'result'}, el('p', {class: 'over'}, 'Warpwright'), el('h1', {}, 'Comparison of runs'),
      el('p', {class: 'sub'}, el('span', {}, plural(rows.length, 'run')), el('span', {}, plural(groups.length, 'group'))),
      el('p', {class: 'sentence'}, 'Bands are 95 % intervals: Wilson’s over the runs for the solve rate, a bootstrap over tasks and the runs of each task for the speed-up. A run without a valid kernel counts as ×1.'),
      head),
    el('section', {id: 'solved'}, el('h2', {}, 'Solve rate'), figure('Share of runs with a valid kernel', solve, pointsTable(1, percent, 'Solve rate'))),
    el('section', {id: 'gain'}, el('h2', {}, 'Speed-up'), figure('Speed-up of the best kernel so far, geometric mean over runs', gains, pointsTable(4, gain, 'Speed-up'))),
    el('section', {id: 'runs'}, el('h2', {}, 'Runs'), table('All runs', ['run', 'task', 'group', 'status', {text: 'evaluations', num: true},
      {text: 'first valid at', num: true}, {text: 'speed-up', num: true}, {text: 'of the roofline', num: true}, {text: 'tokens', num: true}, {text: 'cost', num: true}],
    rows.map((r) => [{text: r.run, head: true}, r.task, r.group, r.status, {text: whole(r.evaluations), num: true},
      {text: r.first_valid > 0 ? whole(r.first_valid) : '–', num: true}, {text: gain(r.speedup), num: true}, {text: percent(r.share), num: true},
      {text: compact(r.tokens), num: true}, {text: money(r.usd), num: true}]))),
    colophon(doc));
  bandChart(solve, groups, 1, `Solve rate over evaluations: ${groups.map((g) => `${g.name} ${percent(last(g)[1])}`).join(', ')}`, 'solve rate', {min: 0, max: 1});
  bandChart(gains, groups, 4, `Speed-up over evaluations: ${groups.map((g) => `${g.name} ${gain(last(g)[4])}`).join(', ')}`, 'speed-up over the baseline', {});
}

/** The pilots of a fleet, what waits for them and what they cost. */
function fleetPart(fleet) {
  const pilots = list(fleet.pilots), hours = Object.entries(fleet.gpu_hours || {});
  const facts = `${pilots.length} pilots, ${whole(fleet.waiting)} jobs wait, ${whole(fleet.taken)} are judged now, ${fleet.per_minute} a minute; ` +
    `${whole(fleet.judged)} verdicts, ${whole(fleet.failed)} failures of judges` + hours.map(([gpu, h]) => `; ${gpu}: ${h} hours`).join('');
  return el('section', {id: 'fleet'}, el('h2', {}, 'Fleet'), el('p', {}, facts), pilots.length ? table('Pilots', ['pilot', 'host', 'GPU', 'batch', 'state', {text: 'judged', num: true}, {text: 'failed', num: true}],
    pilots.map((p) => [{text: p.name, head: true}, p.host, p.gpu, p.batch, p.state, {text: whole(p.judged), num: true}, {text: whole(p.failed), num: true}]))
    : el('p', {class: 'quiet'}, 'No pilot is there.'));
}

/** The list of runs that a server has. */
function indexPage(doc) {
  const place = el('div');
  const status = el('p', {class: 'livebar', role: 'status', hidden: true});
  const update = (next) => {
    const runs = list(next.runs);
    const several = new Set(runs.map((r) => r.file)).size > 1;
    place.replaceChildren(runs.length ? table('Newest first', ['run', 'task', 'status', 'model', 'strategy', 'started', {text: 'candidates', num: true}, 'best', 'ending', ...(several ? ['archive'] : [])],
      runs.map((r) => [{text: el('a', {href: `/run/${r.archive}/${encodeURIComponent(r.id)}`}, r.id), head: true}, r.task,
        el('span', {class: `status s-${r.status}`}, r.status), r.model, r.strategy, date(r.created_ms), {text: whole(r.candidates), num: true}, r.best, r.ending, ...(several ? [r.file] : [])]))
      : el('p', {class: 'quiet'}, 'No runs yet. Start one with: warpwright run TASK'), ...(next.fleet ? [fleetPart(next.fleet)] : []));
  };
  main().replaceChildren(navigation([['result', 'Runs']]), status,
    el('header', {id: 'result'}, el('p', {class: 'over'}, 'Warpwright'), el('h1', {}, 'Runs')), place, colophon(doc));
  update(doc);
  return {status, replace: update};
}
