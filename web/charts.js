// SPDX-License-Identifier: Apache-2.0
// Chart.js in our own clothes. A chart is drawn anew when its data, the theme or the paper changes.

const haveCharts = () => typeof Chart !== 'undefined';
const drawn = new Map(); // place -> a function that draws it again

let palette = null; // reading it makes the browser style the whole page

function colours() {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ['ink', 'muted', 'rule', 'paper', 'accent', 'ok', 'build', 'fault', 'wrong', 'open', 'base',
    'extra0', 'extra1', 'extra2'];
  palette = Object.fromEntries(names.map((name) => [name, read(name)]));
  palette.font = getComputedStyle(document.body).fontFamily;
  return palette;
}

/** Whiskers of the bars' intervals. */
const whiskers = {
  id: 'whiskers',
  afterDatasetsDraw(chart) {
    const {ctx} = chart;
    ctx.save();
    ctx.strokeStyle = colours().ink;
    ctx.lineWidth = 1;
    chart.data.datasets.forEach((set, index) => {
      if (!set.spans || !chart.isDatasetVisible(index)) return;
      chart.getDatasetMeta(index).data.forEach((bar, i) => {
        const [low, high] = set.spans[i] || [];
        if (!(low > 0) || !(high > low)) return;
        const y0 = chart.scales.y.getPixelForValue(low);
        const y1 = chart.scales.y.getPixelForValue(high);
        ctx.beginPath();
        ctx.moveTo(bar.x, y0);
        ctx.lineTo(bar.x, y1);
        ctx.moveTo(bar.x - 3, y0);
        ctx.lineTo(bar.x + 3, y0);
        ctx.moveTo(bar.x - 3, y1);
        ctx.lineTo(bar.x + 3, y1);
        ctx.stroke();
      });
    });
    ctx.restore();
  },
};

function axis(c, title, more) {
  return {
    title: {display: Boolean(title), text: title, color: c.muted},
    ticks: {color: c.muted, maxRotation: 0, autoSkipPadding: 12, ...(more && more.ticks)},
    grid: {color: c.rule, borderColor: c.muted, drawTicks: false, ...(more && more.grid)},
    ...(more && more.scale),
  };
}

/** Makes the canvas and the chart; `configure(colours)` gives Chart.js's configuration. */
function drawChart(place, label, configure) {
  if (!haveCharts()) {
    place.replaceChildren(el('p', {class: 'quiet'}, 'This build has no charts; the table has the figures.'));
    return;
  }
  const again = () => {
    const before = place.querySelector('canvas');
    if (before) Chart.getChart(before).destroy();
    const canvas = el('canvas', {role: 'img', 'aria-label': label});
    place.replaceChildren(canvas);
    const c = colours();
    Chart.defaults.font.family = c.font;
    Chart.defaults.font.size = 12;
    const config = configure(c);
    config.options = {
      responsive: true, maintainAspectRatio: false, animation: false, normalized: true,
      ...config.options,
    };
    config.options.plugins = {
      legend: {position: 'bottom', align: 'start', labels: {color: c.ink, usePointStyle: true, boxWidth: 8, boxHeight: 7}},
      ...config.options.plugins,
    };
    new Chart(canvas, config);
  };
  drawn.set(place, again);
  again();
}

function redrawCharts() {
  palette = null;
  for (const [place, again] of drawn) {
    if (place.isConnected) again();
    else drawn.delete(place);
  }
}

function resizeCharts() {
  if (!haveCharts()) return;
  for (const place of drawn.keys()) {
    const canvas = place.querySelector('canvas');
    const chart = canvas && Chart.getChart(canvas);
    if (chart) chart.resize();
  }
}

/** spec: {label, x, y, spellX, onpick, series: [{label, data: [{x, y, id}], colour, step, points, band}]} */
function lineChart(place, spec) {
  drawChart(place, spec.label, (c) => ({
    type: 'scatter',
    data: {datasets: spec.series.map((series, i) => {
      const colour = c[series.colour] || series.colour;
      const line = !series.points;
      return {
        label: series.label, data: series.data, showLine: line, stepped: series.step ? 'before' : false,
        borderColor: colour, backgroundColor: series.fill !== undefined ? `${colour}2e` : colour,
        borderWidth: series.edge ? 0 : line ? 1.75 : 1,
        borderDash: series.dash || [], fill: series.fill === undefined ? false : series.fill,
        pointRadius: line ? (series.marks || 0) : spec.series.some((s) => s.data.length > 400) ? 2 : 3,
        pointStyle: series.mark || (line ? 'line' : 'circle'), pointHitRadius: 6, order: line ? 1 : 2 + i,
      };
    })},
    options: {
      onClick: (event, items, chart) => {
        const item = items[0] && chart.data.datasets[items[0].datasetIndex].data[items[0].index];
        if (item && item.id && spec.onpick) spec.onpick(item.id);
      },
      scales: {
        x: axis(c, spec.x, {ticks: {callback: spec.spellX, precision: spec.wholeX ? 0 : undefined}, scale: {beginAtZero: true}}),
        y: axis(c, spec.y, {scale: {...(spec.limitsY || {})}}),
      },
      plugins: {
        legend: {position: 'bottom', align: 'start', labels: {color: c.ink, usePointStyle: true, boxWidth: 16, boxHeight: 6,
          filter: (item, data) => !data.datasets[item.datasetIndex].label.startsWith('~')}},
        tooltip: {callbacks: {label: (item) => `${item.raw.id ? `${item.raw.id}: ` : `${item.dataset.label}: `}${digits(item.raw.y, 4)} at ${spec.spellX(item.raw.x)}`}},
      },
    },
  }));
}

/** spec: {label, names, y, bars: [{label, colour, data: measurement rows}], floors} on a log scale. */
function barChart(place, spec) {
  drawChart(place, spec.label, (c) => {
    const positive = (x) => (x > 0 ? x : null);
    const datasets = spec.bars.map((bar) => ({
      type: 'bar', label: bar.label, backgroundColor: c[bar.colour], maxBarThickness: 26, order: 2,
      data: bar.data.map((m) => positive(m[MEDIAN])), spans: bar.data.map((m) => [m[LOW], m[HIGH]]),
      categoryPercentage: 0.7, barPercentage: 0.9,
    }));
    if (spec.floors.some((x) => x > 0)) {
      datasets.push({type: 'line', label: 'physical floor', data: spec.floors.map(positive), showLine: false,
        borderColor: c.fault, backgroundColor: c.fault, pointStyle: 'line', pointRadius: 14, borderWidth: 2, order: 1});
    }
    return {
      data: {labels: spec.names, datasets},
      plugins: [whiskers],
      options: {
        scales: {x: axis(c, 'size', {grid: {display: false}}),
          y: axis(c, spec.y, {scale: LOG_SCALE, ticks: {callback: tickText, autoSkip: true}})},
        plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${micros(item.raw)}`}}},
      },
    };
  });
}

/** Of a decade only 1, 2 and 5 have a line and a number. */
const LOG_SCALE = {
  type: 'logarithmic',
  afterBuildTicks(scale) {
    scale.ticks = scale.ticks.filter(({value}) => {
      const first = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
      return [1, 2, 5].some((x) => Math.abs(first - x) < 1e-6);
    });
  },
};

/** spec: {label, rows: [{name, label, count, colour}], onpick} as horizontal bars. */
function countChart(place, spec) {
  drawChart(place, spec.label, (c) => ({
    type: 'bar',
    data: {labels: spec.rows.map((row) => `${row.label}  ${row.count}`),
      datasets: [{label: 'candidates', data: spec.rows.map((row) => row.count),
        backgroundColor: spec.rows.map((row) => c[row.colour]), maxBarThickness: 16}]},
    options: {
      indexAxis: 'y',
      onClick: (event, items) => { if (items[0]) spec.onpick(spec.rows[items[0].index].name); },
      scales: {x: axis(c, 'candidates', {ticks: {precision: 0}, scale: {beginAtZero: true}}),
        y: axis(c, '', {grid: {display: false}, ticks: {color: c.ink, autoSkip: false}})},
      plugins: {legend: {display: false}},
    },
  }));
}

/** spec: {label, names, x, spell, log, series: [{label, colour, data}]} as grouped horizontal bars. */
function groupChart(place, spec) {
  drawChart(place, spec.label, (c) => ({
    type: 'bar',
    data: {labels: spec.names, datasets: spec.series.map((series) => ({label: series.label, data: series.data.map((x) => (x > 0 ? x : null)),
      backgroundColor: c[series.colour], maxBarThickness: 9, categoryPercentage: 0.8, barPercentage: 1}))},
    options: {
      indexAxis: 'y',
      scales: {x: axis(c, spec.x, {ticks: {callback: spec.log ? tickText : (value) => spec.spell(value)}, scale: spec.log ? LOG_SCALE : {beginAtZero: true}}),
        y: axis(c, '', {grid: {display: false}, ticks: {color: c.ink, autoSkip: false}})},
      plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${spec.spell(item.raw)}`}}},
    },
  }));
}
