// SPDX-License-Identifier: Apache-2.0
// What the figures show, computed from the page's data. Every field may be missing.

const list = (x) => (Array.isArray(x) ? x : []);
/** Null, a cost that is not known, makes a total that is not known. */
const costs = (numbers) => (numbers.some((x) => x === null) ? null : sum(numbers));
const sum = (numbers) => numbers.reduce((total, x) => total + (isNumber(x) ? x : 0), 0);

// A measurement's row, see docs/report.md.
const SIZE = 0, MEDIAN = 1, LOW = 2, HIGH = 3, SAMPLES = 4, FLOOR = 5, BASE = 6, ESTIMATED = 7, WEIGHT = 8;

function trialOf(row) {
  const result = row.eval || null;
  const reply = row.reply || null;
  const verdict = result ? String(result.verdict) : 'open';
  return {
    row, verdict,
    id: String(row.id), round: row.round || 0, slot: row.slot || 0, repair: row.repair || 0,
    kind: String(row.kind || ''), parent: row.parent ? String(row.parent) : '',
    state: result ? verdictLabel(verdict) : reply ? 'being judged' : 'asked',
    valid: verdict === 'ok',
    score: result && isNumber(result.score) ? result.score : null,
    speedup: result && Array.isArray(result.speedup) ? result.speedup : null,
    share: result && isNumber(result.share) ? result.share : null,
    sol: result && isNumber(result.sol) ? result.sol : null,
    times: result ? list(result.times) : [],
    reason: String((result && result.reason) || row.no_code || ''),
    tokens: (reply ? sum(list(reply.tokens).slice(0, 4)) : 0) + sum(list(row.failures).map((f) => f[3])),
    usd: costs([reply ? reply.usd : 0, ...list(row.failures).map((f) => f[4])]),
    model: reply ? String(reply.model || '') : '',
    ms: (result && result.ms) || (reply && reply.ms) || row.asked_ms || 0,
  };
}

/** Judged trials in the order of their verdicts, with what was spent until then. */
function timelineOf(trials, start) {
  const judged = trials.filter((t) => t.row.eval).sort((a, b) => a.ms - b.ms);
  const points = [];
  const seen = new Set();
  let tokens = 0, usd = 0, evaluations = 0, best = null;
  for (const trial of judged) {
    tokens += trial.tokens;
    usd = costs([usd, trial.usd]);
    // The same source is judged once; a reply without code is not judged.
    const source = trial.row.source;
    if (source !== undefined && !seen.has(source)) ++evaluations;
    if (source !== undefined) seen.add(source);
    if (trial.valid && trial.score !== null && (!best || trial.score < best.score)) best = trial;
    points.push({trial, best, evaluations, tokens, usd, ms: Math.max(0, trial.ms - start)});
  }
  return points;
}

function modelOf(doc) {
  const trials = list(doc.trials).map(trialOf);
  const byId = new Map(trials.map((t) => [t.id, t]));
  const run = doc.run || {};
  const timeline = timelineOf(trials, run.created_ms || 0);
  const last = timeline[timeline.length - 1];
  const best = byId.get(run.best) || (last && last.best) || null;
  const bestPath = new Set();
  for (let t = best; t && !bestPath.has(t.id); t = byId.get(t.parent)) bestPath.add(t.id);
  const counts = new Map();
  for (const t of trials) counts.set(t.verdict, (counts.get(t.verdict) || 0) + 1);
  const timed = best ? best.times : [];
  return {
    doc, run, trials, byId, timeline, best, bestPath, counts,
    baseline: doc.baseline || null,
    estimated: timed.some((m) => m[ESTIMATED]),
    evaluations: last ? last.evaluations : 0,
    tokens: sum(trials.map((t) => t.tokens)),
    usd: costs(trials.map((t) => t.usd)),
    valid: trials.filter((t) => t.valid).length,
    judged: timeline.length,
    hasGain: timeline.some((p) => p.trial.speedup),
  };
}
