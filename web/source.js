// SPDX-License-Identifier: Apache-2.0
// Sources with line numbers, colours and the judge's findings under the lines they are about.

const MAX_COLOURED = 200000; // characters; beyond, plain text is quicker to read than to wait for
const MAX_LINES = 2500;      // drawn at once

if (typeof hljs !== 'undefined' && typeof hljsCpp === 'function') {
  hljs.registerLanguage('cuda', (h) => {
    const language = hljsCpp(h);
    // A source is written by a model and may be any text. The rule for function heads backtracks
    // without end on "x<a> x<a> x<a> ...", the one for raw strings takes a square of the length.
    language.contains = language.contains.filter((mode) => mode.className !== 'function');
    for (const mode of language.contains) {
      if (mode.className === 'string') mode.variants = list(mode.variants).filter((v) => !String(v.begin).includes('R"'));
    }
    language.keywords.built_in += ' __global__ __device__ __host__ __shared__ __constant__ __restrict__ ' +
      '__launch_bounds__ __forceinline__ __noinline__ __syncthreads __syncwarp __shfl_sync ' +
      '__shfl_down_sync __shfl_up_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync ' +
      'threadIdx blockIdx blockDim gridDim warpSize atomicAdd atomicMax atomicMin atomicCAS ' +
      'dim3 float2 float3 float4 int2 int4 uint4 half half2 __ldg __half __half2 __nv_bfloat16';
    return language;
  });
}

/**
 * highlight.js's markup as runs of [class, text]. Only its own spans and escapes are understood;
 * anything else, or a text that differs from the source, means no colours.
 */
function runsOf(markup, source) {
  const token = /<span class="([\w -]+)">|(<\/span>)|&(amp|lt|gt|quot|#x27);|([^<&]+)/y;
  const plain = {amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'"};
  const stack = [];
  const runs = [];
  let text = '';
  while (token.lastIndex < markup.length) {
    const found = token.exec(markup);
    if (!found) return null;
    if (found[1] !== undefined) stack.push(found[1]);
    else if (found[2]) stack.pop();
    else {
      const piece = found[3] ? plain[found[3]] : found[4];
      runs.push([stack[stack.length - 1] || '', piece]);
      text += piece;
    }
  }
  return text === source ? runs : null;
}

/** Lines, each a list of [class, text]. */
function colouredLines(source) {
  let runs = [['', source]];
  if (typeof hljs !== 'undefined' && source.length <= MAX_COLOURED) {
    try {
      runs = runsOf(hljs.highlight('cuda', source, true).value, source) || runs;
    } catch (error) {
      // Plain text it is.
    }
  }
  const lines = [[]];
  for (const [name, text] of runs) {
    text.split('\n').forEach((piece, i) => {
      if (i) lines.push([]);
      if (piece) lines[lines.length - 1].push([name, piece]);
    });
  }
  if (lines.length > 1 && !lines[lines.length - 1].length) lines.pop();
  return lines;
}

const codeOf = (runs) => el('code', {}, runs.map(([name, text]) => (name ? el('span', {class: name}, text) : text)));

// Findings about speed; every other one is a fault where the verdict is bad.
const ADVICE = ['note', 'bottleneck', 'uncoalesced', 'bank_conflict', 'spill', 'divergence', 'occupancy'];

/** All that the judge said about lines, by line; 0 is the whole source. */
function remarksOf(result) {
  const bad = Boolean(result) && result.verdict !== 'ok';
  const remarks = new Map();
  const add = (line, kind, message, severe) => {
    const at = Number.isInteger(line) && line > 0 ? line : 0;
    if (!remarks.has(at)) remarks.set(at, []);
    remarks.get(at).push({kind: String(kind || 'note'), message: String(message || ''), severe});
  };
  for (const d of list(result && result.diagnostics)) add(d && d.line, d && d.severity, d && d.message, d && d.severity === 'error');
  for (const f of list(result && result.findings)) add(f && f.line, f && f.kind, f && f.message, bad && !ADVICE.includes(f && f.kind));
  return remarks;
}

const remarkNode = (r) => el('div', {class: `remark${r.severe ? ' severe' : ''}`, role: 'note'},
  el('b', {}, r.kind.replaceAll('_', ' ')), ' ', r.message);

/** The source's node. `result` is the judge's whole result, or null. */
function sourceNode(source, result) {
  const lines = colouredLines(source);
  const remarks = remarksOf(result);
  const holder = el('div', {class: 'source', tabindex: 0, role: 'region', 'aria-label': 'Source'});
  const beyond = [];
  for (const [line, notes] of remarks) if (line === 0 || line > lines.length) beyond.push(...notes);
  const draw = (from, to) => {
    const part = document.createDocumentFragment();
    for (let i = from; i < to; ++i) {
      const notes = remarks.get(i + 1);
      part.append(el('div', {class: notes ? 'line marked' : 'line'}, el('span', {class: 'no', 'aria-hidden': 'true'}, i + 1), codeOf(lines[i])));
      if (notes) part.append(...notes.map(remarkNode));
    }
    holder.append(part);
  };
  draw(0, Math.min(MAX_LINES, lines.length));
  const more = lines.length > MAX_LINES && el('button', {type: 'button', onclick: () => {
    more.remove();
    draw(MAX_LINES, lines.length);
  }}, `Show the other ${whole(lines.length - MAX_LINES)} lines`);
  return el('div', {}, beyond.length ? el('div', {class: 'remarks'}, beyond.map(remarkNode)) : null, holder, more || null);
}

/** A button that copies what `give` returns a promise of. */
function copyButton(label, give) {
  if (!navigator.clipboard) return null;
  const button = el('button', {type: 'button', onclick: async () => {
    try {
      await navigator.clipboard.writeText(await give());
      button.textContent = 'Copied';
    } catch (error) {
      button.textContent = 'Cannot copy here';
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  }}, label);
  return button;
}
