// SPDX-License-Identifier: Apache-2.0
// The closed list of verdicts, how each looks and what it means. Colour never stands alone: each
// group has a shape of its own.

const VERDICTS = {
  ok: ['valid', 'ok', 'right on all checks, and timed'],
  no_code: ['no code', 'build', 'the reply holds no usable source'],
  forbidden: ['forbidden', 'build', 'breaks a rule of the task or its rule set'],
  compile_error: ['compile error', 'build', 'the compiler refused it'],
  host_error: ['host error', 'build', 'the host part misused the runtime or died'],
  launch_error: ['launch error', 'fault', 'a launch the device refuses'],
  memory_fault: ['memory fault', 'fault', 'out of bounds, misaligned, use after free'],
  race: ['race', 'fault', 'threads race for the same memory'],
  timeout: ['time-out', 'fault', 'did not end in time'],
  mismatch: ['mismatch', 'wrong', 'wrong values'],
  precision: ['precision', 'wrong', 'right only to a lower precision'],
  cheat: ['cheat', 'wrong', 'found to cheat'],
  harness_error: ['judge failed', 'open', 'the judge’s own failure; counts against nobody'],
  unchecked: ['unchecked', 'open', 'nothing wrong was seen, and a part could not be checked here'],
  open: ['open', 'open', 'no verdict yet'],
};

const verdictOf = (name) => VERDICTS[name] || [String(name), 'open', ''];
const verdictLabel = (name) => verdictOf(name)[0];
const verdictGroup = (name) => verdictOf(name)[1];

/** SVG path of a group's mark, centred, of half-size r. */
function markPath(group, r) {
  switch (group) {
    case 'ok': return `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`;
    case 'build': return `M${-r * 0.9},${-r * 0.9}H${r * 0.9}V${r * 0.9}H${-r * 0.9}Z`;
    case 'fault': return `M0,${-r * 1.15}L${r * 1.1},${r * 0.85}H${-r * 1.1}Z`;
    case 'wrong': return `M0,${-r * 1.25}L${r * 1.25},0L0,${r * 1.25}L${-r * 1.25},0Z`;
    default: return `M${-r * 0.75},0a${r * 0.75},${r * 0.75} 0 1,0 ${r * 1.5},0a${r * 0.75},${r * 0.75} 0 1,0 ${-r * 1.5},0`;
  }
}

function mark(name) {
  const group = verdictGroup(name);
  return svg('svg', {class: `mark g-${group}`, viewBox: '-8 -8 16 16', 'aria-hidden': 'true'},
    svg('path', {d: markPath(group, 5.5)}));
}

const badge = (name) => el('span', {class: `badge g-${verdictGroup(name)}`, title: verdictOf(name)[2]},
  mark(name), verdictLabel(name));
