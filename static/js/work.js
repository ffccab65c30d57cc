// The task page: turns presses into writes and shows what comes back. It changes what is on the
// page only by putting the server's fragments in place.
//
// Takes:  gavel:saved, gavel:refused, gavel:conflict, gavel:behind (saving.js);
//         gavel:act { act }, gavel:write { fields }    something to store
// Tells:  gavel:send, gavel:version, gavel:resume, gavel:drop (saving.js); gavel:flush (notes.js);
//         gavel:leaving              another page is about to come
//         gavel:acting { act }       an act is on its way
//         gavel:shown { arrived, unsettled? }    fragments were put in place; arrived: of another
//                                    task; unsettled: the answer was refused
'use strict';
{
  const PARTS = ['saved', 'progress', 'clock', 'crumbs', 'key-table', 'take-back'];
  let waiting = 0; // writes that are not acknowledged
  let onIdle = null;

  const task = () => document.getElementById('task');
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
  const field = (name) => task().elements?.[name];
  const isReadOnly = () => !task()?.dataset.assignment || 'readOnly' in task().dataset;

  const stay = () => ['visit', 'active_ms'].map((name) => [name, field(name)?.value ?? '']);

  const send = (url, fields, more = {}) => {
    if (isReadOnly()) return;
    waiting += 1;
    const assignment = task().dataset.assignment;
    tell('gavel:send', { url, fields: [...fields, ...stay()], assignment, ...more });
  };

  const act = (text) => {
    tell('gavel:acting', { act: text });
    const row = document.querySelector('#values [aria-current=true]');
    send(task().dataset.actUrl, [['act', text], ['row', row ? row.id.replace('-', '') : '']]);
  };

  document.addEventListener('gavel:act', (event) => act(event.detail.act));
  document.addEventListener('gavel:write', (event) => send(task().dataset.actUrl, event.detail.fields));
  const flush = () => tell('gavel:flush', {});

  // --- Presses

  // An inert form loses the focus; one that is given back gives it back too.
  let focused = null;
  const lock = (locked) => {
    if (locked) focused = document.activeElement;
    task().inert = locked;
    if (!locked && focused?.isConnected) focused.focus({ preventScroll: true });
    if (!locked) focused = null;
  };

  // A field that a button needs (data-needs: its id) and that is empty: said without a write.
  const lacks = (button) => {
    const needed = button?.dataset.needs && document.getElementById(button.dataset.needs);
    if (!needed || needed.value.trim()) return false;
    needed.setAttribute('aria-invalid', 'true');
    problem(needed.dataset.refusal);
    needed.focus();
    return true;
  };
  document.addEventListener('input', (event) => {
    if (!event.target.matches('[data-refusal][aria-invalid]')) return;
    event.target.removeAttribute('aria-invalid');
    problem('');
  });

  const move = (form, button) => {
    flush();
    const fields = [...new FormData(form)].filter(
      ([name]) => !['csrfmiddlewaretoken', 'op_id', 'version', 'visit', 'active_ms'].includes(name));
    const url = button?.hasAttribute('formaction') ? button.formAction : form.action;
    const other = form.id === 'take-back'
      ? { assignment: form.dataset.assignment, version: form.elements.version.value }
      : { submits: true };
    send(url, fields, { moves: true, ...other });
    lock(true);
  };

  document.addEventListener('submit', (event) => {
    const form = event.target;
    const button = event.submitter;
    if (form.id === 'conflict-choice') return settleConflict(event);
    if (!form.matches('[data-moves]') || button?.matches('[data-plain]')) return;
    event.preventDefault();
    if (button?.getAttribute('aria-disabled') === 'true' || task().inert) return;
    if (button?.name === 'act') act(button.value);
    else if (button?.matches('[data-step]')) { flush(); send(button.formAction, []); }
    else if (!lacks(button)) move(form, button);
  });

  let arrowed = false; // a radio moved by an arrow key is not yet a decision
  document.addEventListener('keydown', (event) => { arrowed = event.key.startsWith('Arrow'); });
  document.addEventListener('click', (event) => {
    const radio = event.target.closest('#values input[name=relation]');
    if (radio && !isReadOnly()) {
      if ('fast' in task().dataset && !arrowed) task().requestSubmit(document.getElementById('submit'));
      else if (radio.value !== task().dataset.chosen) {
        task().dataset.chosen = radio.value;
        send(task().dataset.actUrl, [['relation', radio.value]]);
      }
      return;
    }
    const go = event.target.closest('a[data-go]');
    if (go && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); goTo(go.href); }
  });

  // --- What comes back

  const isTyping = (element) => element.contains(document.activeElement) &&
    document.activeElement.matches('textarea, input[type=text]');

  const put = (fresh, id) => {
    const old = document.getElementById(id);
    const next = fresh.getElementById(id);
    if (!old || !next || isTyping(old)) return;
    const controls = 'a, button, input';
    const at = [...old.querySelectorAll(controls)].indexOf(document.activeElement);
    const scrolls = [...old.querySelectorAll('.pane-body')].map((pane) => pane.scrollTop);
    old.replaceWith(next);
    if (at >= 0) next.querySelectorAll(controls)[at]?.focus({ preventScroll: true });
    next.querySelectorAll('.pane-body').forEach((pane, i) => { pane.scrollTop = scrolls[i] ?? 0; });
  };

  const show = (html, address, anew = Boolean(address)) => {
    const fresh = new DOMParser().parseFromString(html, 'text/html');
    const next = fresh.getElementById('task');
    const arrived = next.dataset.assignment !== task().dataset.assignment || anew;
    if (arrived) task().replaceWith(next);
    else ['values', 'note', 'actions'].forEach((id) => put(fresh, id));
    PARTS.forEach((id) => put(fresh, id));
    if (address) history.pushState({ gavel: true }, '', address);
    document.title = task().dataset.title;
    settleDown(arrived);
  };

  const settleDown = (arrived) => {
    const actions = document.getElementById('actions');
    if (actions) {
      const version = actions.dataset.version;
      if (field('version')) field('version').value = version;
      tell('gavel:version', { assignment: task().dataset.assignment, version, arrived });
    }
    const chosen = document.querySelector('#values input[name=relation]:checked');
    task().dataset.chosen = chosen ? chosen.value : '';
    if (arrived) document.getElementById('main').focus({ preventScroll: true });
    tell('gavel:shown', { arrived });
    const said = arrived ? document.title : actions?.dataset.live;
    if (said) document.getElementById('live').textContent = said;
  };

  const idle = () => { if (!waiting && onIdle) { const next = onIdle; onIdle = null; next(); } };

  const problem = (sentence) => {
    const box = document.getElementById('problem');
    if (!box) return;
    box.hidden = !sentence;
    box.querySelector('p').textContent = sentence;
  };

  document.addEventListener('gavel:saved', (event) => {
    const { item, html, address, waiting: left } = event.detail;
    waiting = left;
    // What is stored meanwhile does not fill the field that a button asked for.
    if (item.moves || !document.querySelector('[data-refusal][aria-invalid]')) problem('');
    const version = versionOf(html);
    if (version && !item.moves) tell('gavel:version', { assignment: item.assignment, version });
    // While more is on its way the page is ahead of this answer.
    if (!left) show(html, item.moves ? address : '');
    idle();
  });

  document.addEventListener('gavel:refused', (event) => {
    waiting = 0;
    onIdle = null;
    lock(false);
    problem(event.detail.sentence);
    if (!event.detail.item.moves) reload();
    else tell('gavel:shown', { arrived: false, unsettled: event.detail.item.url === task().action });
  });

  // --- Conflict

  document.addEventListener('gavel:conflict', (event) => {
    lock(false);
    const dialog = document.getElementById('conflict');
    const fresh = new DOMParser().parseFromString(event.detail.html, 'text/html');
    dialog.replaceChildren(fresh.getElementById('conflict-choice'));
    if (!dialog.open) dialog.showModal();
  });

  function settleConflict(event) {
    const dialog = document.getElementById('conflict');
    if (!dialog?.open) return;
    event.preventDefault();
    dialog.close();
    tell('gavel:resume', { version: event.target.elements.version.value });
  }

  document.addEventListener('click', (event) => {
    if (!event.target.closest('#conflict [data-conflict=theirs]')) return;
    waiting = 0;
    tell('gavel:drop', {});
  });
  document.addEventListener('cancel', (event) => {
    if (event.target.id === 'conflict') event.preventDefault();
  }, true);

  // --- Going elsewhere

  const fetchPage = async (href) => {
    const response = await fetch(href, { headers: { 'HX-Request': 'true' } });
    if (!response.ok || response.redirected) throw new Error(`no page at ${href}`);
    return response.text();
  };

  const versionOf = (html) => Number(/id="actions"[^>]*data-version="(\d+)"/.exec(html)?.[1] ?? 0);

  // What is stored meanwhile may come back first; an older page then has nothing to add.
  const reload = (anew = false) => fetchPage(location.href).then((html) => {
    if (!waiting && versionOf(html) >= Number(field('version')?.value ?? 0)) show(html, '', anew);
  }, () => {});

  // The page has only just come: the row to go on with is the one that is open now.
  document.addEventListener('gavel:behind', () => reload(true));

  function goTo(href) {
    flush();
    const leave = () => {
      tell('gavel:leaving', {});
      fetchPage(href).then((html) => show(html, href), () => { location.href = href; });
    };
    if (waiting) onIdle = leave;
    else leave();
  }

  addEventListener('popstate', () => location.reload());

  document.documentElement.dataset.script = 'on';
  document.addEventListener('DOMContentLoaded', () => { if (task()) settleDown(true); });
}
