// SPDX-License-Identifier: Apache-2.0

/** Light, dark, or as the system says; remembered only while the page is open. */
function themeButton() {
  const order = ['', 'dark', 'light'];
  const names = {'': 'Theme: system', dark: 'Theme: dark', light: 'Theme: light'};
  const button = el('button', {type: 'button', class: 'theme', onclick: () => {
    const next = order[(order.indexOf(document.documentElement.dataset.theme || '') + 1) % order.length];
    document.documentElement.dataset.theme = next;
    button.textContent = names[next];
    redrawCharts();
  }}, names['']);
  return button;
}

function start() {
  let doc;
  try {
    doc = JSON.parse(document.getElementById('data').textContent);
  } catch (error) {
    main().replaceChildren(el('p', {class: 'notice'}, 'The data of this page is damaged.'));
    return;
  }
  const pages = {run: runPage, runs: comparePage, bench: benchPage, pack: packPage, index: indexPage};
  colours(); // while the page is still small
  const view = pages[doc.kind](doc);
  if (doc.live && view) follow(doc, view);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawCharts);
  let screenTheme = '';
  window.addEventListener('beforeprint', () => { // paper is light, whatever the screen is
    screenTheme = document.documentElement.dataset.theme || '';
    document.documentElement.dataset.theme = 'light';
    redrawCharts();
    resizeCharts();
  });
  window.addEventListener('afterprint', () => {
    document.documentElement.dataset.theme = screenTheme;
    redrawCharts();
  });
  let width = innerWidth;
  window.addEventListener('resize', () => {
    if (innerWidth !== width) redrawCharts();
    width = innerWidth;
  });
  window.warpwright = {diffLines, runsOf, colouredLines};
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
