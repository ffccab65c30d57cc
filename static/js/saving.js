// The queue of writes of a work page: one request at a time, in order, each with an id of its own.
// A write is given up only when the server has refused it; until then it is sent again and again
// with the same id, and kept in the browser in case the page goes.
//
// Takes:  gavel:send      { url, fields: [[name, value]], assignment, version?, moves?, submits? }
//         gavel:resume    { version }   a conflict was settled for what waits here
//         gavel:drop                    what waits here is given up
//         gavel:version   { assignment, version }   what is on the page
// Tells:  gavel:saved     { item, html, address, waiting }
//         gavel:behind    { assignment }   the page is older than what was stored from here
//         gavel:refused   { item, sentence }
//         gavel:conflict  { item, html }
'use strict';
{
  const WAITS = [500, 1000, 2000, 4000, 5000]; // milliseconds before each further attempt
  const PATIENCE = 20000;
  const queue = [];
  const versions = new Map();
  let sending = false;
  let halted = false;
  let attempts = 0;
  let timer = 0;

  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

  const newId = () => {
    if (crypto.randomUUID) return crypto.randomUUID();
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };

  // The cookie, not the page: signing in again in another tab changes it.
  const csrf = () => {
    const cookie = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie);
    const field = document.querySelector('[name=csrfmiddlewaretoken]');
    return cookie ? decodeURIComponent(cookie[1]) : field ? field.value : '';
  };

  const place = (assignment) => `gavel.unsaved.${assignment}`;

  const keep = (assignment) => {
    const own = queue.filter((item) => item.assignment === assignment);
    try {
      if (own.length) localStorage.setItem(place(assignment), JSON.stringify(own));
      else localStorage.removeItem(place(assignment));
    } catch {
      // No room or no permission: the queue in memory and the warning on leaving remain.
    }
  };

  const recall = (assignment) => {
    try {
      return JSON.parse(localStorage.getItem(place(assignment)) || '[]');
    } catch {
      return [];
    }
  };

  // The newest version that the server has confirmed to this tab. A page can be older: it was
  // fetched while the last write of the page before it was on its way.
  const confirmedPlace = (assignment) => `gavel.version.${assignment}`;

  const confirm = (assignment, version) => {
    versions.set(assignment, version);
    try {
      sessionStorage.setItem(confirmedPlace(assignment), version);
    } catch {
      // No permission: what this page knows remains.
    }
  };

  const confirmed = (assignment) => {
    let stored = 0;
    try {
      stored = Number(sessionStorage.getItem(confirmedPlace(assignment)));
    } catch {
      // As above.
    }
    return Math.max(stored, versions.get(assignment) ?? 0);
  };

  const mark = (state) => {
    const saved = document.getElementById('saved');
    if (saved) saved.dataset.state = state;
  };

  const explain = (kind, sentence = '') => {
    const box = document.querySelector('#request-errors > .message');
    if (!box) return;
    box.hidden = !kind;
    for (const line of box.querySelectorAll('[data-error]')) {
      line.hidden = line.dataset.error !== kind;
      if (line.dataset.error === 'said') line.textContent = sentence;
    }
  };

  const tryLater = (kind) => {
    mark('failed');
    explain(kind);
    clearTimeout(timer);
    timer = setTimeout(pump, WAITS[Math.min(attempts, WAITS.length - 1)]);
    attempts += 1;
  };

  const bodyOf = (item) => {
    const body = new URLSearchParams(item.fields);
    body.set('op_id', item.id);
    body.set('version', item.version ?? versions.get(item.assignment) ?? 0);
    return body;
  };

  const settle = (item) => {
    queue.shift();
    keep(item.assignment);
    attempts = 0;
    explain('');
  };

  const refuse = (item, sentence, all) => {
    settle(item);
    if (all) queue.splice(0).forEach((other) => keep(other.assignment));
    // What was written before an answer that is not complete is stored: the draft stands.
    mark(item.submits && !all ? 'unsubmitted' : 'failed');
    tell('gavel:refused', { item, sentence });
  };

  const sentenceOf = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };

  const isLogin = (response) =>
    response.redirected && new URL(response.url).pathname === document.body.dataset.loginUrl;

  const receive = (item, response, text) => {
    const { status } = response;
    const said = sentenceOf(text);
    if (isLogin(response)) {
      tryLater('signed-out');
    } else if (response.ok) {
      settle(item);
      const address = response.headers.get('HX-Push-Url');
      tell('gavel:saved', { item, html: text, address, waiting: queue.length });
    } else if (status === 409 && !said) {
      halted = true;
      mark('failed');
      tell('gavel:conflict', { item, html: text });
    } else if (said && status < 500) {
      refuse(item, said.detail, status !== 422);
    } else if (status === 413) {
      refuse(item, 'This is too large to be stored. Make it shorter.', false);
    } else if (status === 403) {
      tryLater('signed-out'); // the token is of another sign-in
    } else {
      tryLater(status === 429 ? 'busy' : 'server');
    }
  };

  async function pump() {
    clearTimeout(timer);
    if (sending || halted || !queue.length) return;
    sending = true;
    const item = queue[0];
    if (!attempts) mark('busy');
    try {
      const response = await fetch(item.url, {
        method: 'POST',
        body: bodyOf(item),
        headers: { 'HX-Request': 'true', 'X-CSRFToken': csrf() },
        signal: AbortSignal.timeout(PATIENCE),
      });
      const text = await response.text();
      sending = false;
      receive(item, response, text);
    } catch (error) {
      if (sending === false) throw error; // a fault of the page, not of the network
      sending = false;
      tryLater(error.name === 'TimeoutError' ? 'timeout' : 'network');
      return;
    }
    if (!attempts) pump();
  }

  document.addEventListener('gavel:send', (event) => {
    queue.push({ ...event.detail, id: newId() });
    keep(event.detail.assignment);
    pump();
  });

  document.addEventListener('gavel:version', (event) => {
    const { assignment, version, arrived } = event.detail;
    const newest = confirmed(assignment);
    confirm(assignment, Math.max(newest, Number(version)));
    if (!arrived) return;
    if (newest > Number(version)) tell('gavel:behind', { assignment });
    const known = new Set(queue.map((item) => item.id));
    queue.push(...recall(assignment).filter((item) => !known.has(item.id)));
    pump();
  });

  document.addEventListener('gavel:resume', (event) => {
    const item = queue[0];
    confirm(item.assignment, Number(event.detail.version));
    delete item.version;
    halted = false;
    pump();
  });

  document.addEventListener('gavel:drop', () => {
    queue.splice(0).forEach((item) => keep(item.assignment));
    halted = false;
    attempts = 0;
    explain('');
  });

  addEventListener('online', pump);
  addEventListener('focus', pump);
  addEventListener('beforeunload', (event) => {
    if (queue.length) event.preventDefault();
  });
}
