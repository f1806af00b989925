// SPDX-License-Identifier: Apache-2.0
// Numbers and dates for people.

const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);

/** Significant digits without exponents where a person can read them. */
function digits(x, count = 4) {
  if (!isNumber(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e9 || size < 1e-4) return x.toExponential(2);
  if (size >= 10 ** (count - 1)) return Math.round(x).toLocaleString('en-US');
  return x.toPrecision(count);
}

function micros(us, count = 4) {
  if (!isNumber(us) || us <= 0) return '–';
  if (us >= 1e6) return `${digits(us / 1e6, count)} s`;
  if (us >= 1e4) return `${digits(us / 1e3, count)} ms`;
  return `${digits(us, count)} µs`;
}

const gain = (x) => (isNumber(x) ? `×${x >= 100 ? digits(x, 3) : x.toFixed(2)}` : '–');
const percent = (x) => (isNumber(x) ? `${(100 * x).toFixed(1)} %` : '–');
const whole = (x) => (isNumber(x) ? Math.round(x).toLocaleString('en-US') : '–');

/** Null: there was a cost, but nobody knows the price. */
function money(usd) {
  if (usd === null) return 'price unknown';
  if (!isNumber(usd)) return '–';
  if (usd === 0) return '$0';
  return usd < 0.1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

function compact(x) {
  if (!isNumber(x)) return '–';
  if (x >= 1e6) return `${(x / 1e6).toFixed(x >= 1e7 ? 0 : 1)} M`;
  if (x >= 1e4) return `${(x / 1e3).toFixed(0)} k`;
  return whole(x);
}

function duration(ms) {
  if (!isNumber(ms) || ms < 0) return '–';
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
}

function date(ms) {
  const time = new Date(ms);
  if (!isNumber(ms) || Number.isNaN(time.getTime())) return '–';
  return `${time.toISOString().slice(0, 16).replace('T', '\u00a0')}\u00a0UTC`;
}

const plural = (count, one, many) => `${whole(count)} ${count === 1 ? one : many || `${one}s`}`;
