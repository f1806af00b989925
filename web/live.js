// SPDX-License-Identifier: Apache-2.0
// Follows the server that this page came from. Lost connections are tried again, ever more slowly;
// the last event's id tells the server what is already here, and after a restart it sends all.

const FIRST_WAIT_MS = 500, LONGEST_WAIT_MS = 10000;

function follow(doc, view) {
  const trials = new Map(list(doc.trials).map((row) => [row.id, row]));
  let last = doc.live.last;
  let wait = FIRST_WAIT_MS;
  let source = null, timer = 0, drawing = 0;
  let current = doc;

  const say = (text, trouble) => {
    view.status.hidden = false;
    view.status.textContent = text;
    view.status.classList.toggle('trouble', Boolean(trouble));
  };
  const draw = () => {
    if (drawing) return;
    drawing = setTimeout(() => {
      drawing = 0;
      view.replace({...current, trials: [...trials.values()].sort((a, b) =>
        a.round - b.round || a.slot - b.slot || (a.repair || 0) - (b.repair || 0) || (a.id < b.id ? -1 : 1))});
    }, 200);
  };
  const take = (event) => {
    const news = JSON.parse(event.data);
    last = event.lastEventId || last;
    if (news.all) trials.clear();
    for (const row of list(news.trials)) trials.set(row.id, row);
    current = {...current, ...news.head};
    draw();
  };
  const stop = () => {
    if (source) source.close();
    source = null;
    clearTimeout(timer);
  };
  const start = () => {
    stop();
    source = new EventSource(`${doc.live.events}?last=${encodeURIComponent(last)}`);
    source.addEventListener('open', () => {
      wait = FIRST_WAIT_MS;
      say('Live');
    });
    source.addEventListener('news', take);
    source.addEventListener('error', () => {
      stop();
      say('The server does not answer; trying again …', true);
      timer = setTimeout(start, wait);
      wait = Math.min(LONGEST_WAIT_MS, 2 * wait);
    });
  };
  // A browser keeps few connections to one server: pages that nobody sees give theirs back.
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()));
  window.addEventListener('pagehide', stop);
  window.addEventListener('pageshow', (event) => { if (event.persisted) start(); });
  start();
}
