// Two lists: where the keys act, numbers typed for counterparts, and rows that change at once
// while the server is still storing. What the rows say in words is always the server's.
'use strict';
{
  let current = ''; // id of the row in focus
  let typed = '';

  const values = () => document.querySelector('#values[data-many]');
  const rowsOf = (side) => [...values().querySelectorAll(`.value[data-side="${side}"]`)];
  const row = (side, number) => document.getElementById(`${side}-${number}`);
  const here = () => document.getElementById(current);
  const other = (side) => (side === 'a' ? 'b' : 'a');
  const partners = (of) => of.dataset.partners.split(' ').filter(Boolean);
  const byNumber = (rows) => rows.sort((x, y) => x.dataset.number - y.dataset.number);
  const isActive = () => values() && !document.getElementById('task').inert &&
    !document.querySelector('dialog:modal');

  const show = (text) => {
    typed = text;
    const place = here()?.querySelector('.typed');
    if (!place) return;
    place.hidden = !text;
    place.textContent = text ? `${other(here().dataset.side).toUpperCase()} ${text}▏` : '';
  };

  const orderByLikeness = (of) => {
    if (!of.dataset.order) return;
    const list = values().querySelector('[data-list=b]');
    of.dataset.order.split(' ').forEach((number) => list.append(row('b', number)));
    list.parentElement.scrollTop = 0;
  };

  const goTo = (next, { focus = true } = {}) => {
    if (!next) return;
    if (here()) show('');
    values().querySelectorAll('[aria-current]').forEach((old) => old.removeAttribute('aria-current'));
    rowsOf(next.dataset.side).forEach((one) => { one.tabIndex = -1; });
    const moved = current !== next.id;
    current = next.id;
    next.setAttribute('aria-current', 'true');
    next.tabIndex = 0;
    const far = partners(next);
    for (const one of rowsOf(other(next.dataset.side))) {
      if (far.includes(one.dataset.number)) one.dataset.partner = 'true';
      else delete one.dataset.partner;
    }
    for (const one of rowsOf(next.dataset.side)) delete one.dataset.partner;
    const none = document.getElementById('none-current');
    if (none) none.value = `none ${next.dataset.side} ${next.dataset.number}`;
    if (moved) orderByLikeness(next);
    if (focus) next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest' });
    if (moved && far.length) row(other(next.dataset.side), far[0])?.scrollIntoView({ block: 'nearest' });
  };

  const step = (by) => {
    const rows = rowsOf(here().dataset.side);
    goTo(rows[rows.indexOf(here()) + by]);
  };

  const nextOpen = (from) => {
    const own = byNumber(rowsOf(from.dataset.side));
    const at = own.indexOf(from);
    const rows = [...own.slice(at + 1), ...own.slice(0, at), ...byNumber(rowsOf(other(from.dataset.side)))];
    return rows.find((one) => one.dataset.state === 'open');
  };

  // --- What an act does to the rows, before the server has answered

  const restate = (one) => {
    if (one.dataset.state !== 'none' || partners(one).length) {
      one.dataset.state = partners(one).length ? 'matched' : 'open';
    }
  };

  const link = (one, two, on) => {
    const far = partners(one).filter((number) => number !== two.dataset.number);
    one.dataset.partners = [...far, ...(on ? [two.dataset.number] : [])].join(' ');
    restate(one);
  };

  const unlink = (one) => {
    for (const number of partners(one)) {
      const two = row(other(one.dataset.side), number);
      link(one, two, false);
      link(two, one, false);
    }
  };

  const match = (a, b) => {
    const on = !partners(a).includes(b.dataset.number);
    if (on && values().dataset.many !== 'true') { unlink(a); unlink(b); }
    link(a, b, on);
    link(b, a, on);
    return on;
  };

  const none = (one) => {
    const on = one.dataset.state !== 'none';
    unlink(one);
    one.dataset.state = on ? 'none' : 'open';
    return on;
  };

  document.addEventListener('gavel:acting', (event) => {
    if (!values()) return;
    const [name, first, second] = event.detail.act.split(' ');
    const from = here();
    let settled = false;
    if (name === 'match') {
      const [a, b] = [row('a', first), row('b', second)];
      settled = match(a, b) && (from === a || from === b);
    } else if (name === 'none') {
      settled = none(row(first, second)) && from === row(first, second);
    } else if (name === 'rest') {
      values().querySelectorAll('.value[data-state=open]').forEach((one) => { one.dataset.state = 'none'; });
    }
    if (settled) goTo(nextOpen(from) || from);
  });

  const act = (text) =>
    document.dispatchEvent(new CustomEvent('gavel:act', { detail: { act: text } }));

  // --- Numbers

  const commit = () => {
    const number = Number(typed);
    const { side, number: own } = here().dataset;
    show('');
    if (!row(other(side), number)) {
      const live = document.getElementById('live');
      live.textContent = `There is no ${other(side).toUpperCase()}${number}.`;
      return;
    }
    act(side === 'a' ? `match ${own} ${number}` : `match ${number} ${own}`);
  };

  const digit = (key) => {
    show(typed + key);
    const size = rowsOf(other(here().dataset.side)).length;
    if (Number(typed) * 10 > size) commit();
  };

  const FIXED = {
    j: () => step(1),
    ArrowDown: () => step(1),
    k: () => step(-1),
    ArrowUp: () => step(-1),
    J: () => goTo(nextOpen(here())),
    ArrowLeft: () => here().dataset.side === 'b' && goTo(across('a')),
    ArrowRight: () => here().dataset.side === 'a' && goTo(across('b')),
  };

  const across = (side) => {
    const far = partners(here())[0];
    const rows = rowsOf(side);
    return (far && row(side, far)) || rows.find((one) => one.dataset.state === 'open') || rows[0];
  };

  const isFree = (event) => {
    const from = event.target;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    return !from.matches('input, textarea, select, [contenteditable]') &&
      (event.key !== 'Enter' || !from.matches('a, button, summary'));
  };

  // Before keys.js (capture): a digit may belong to a number that is being typed.
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || !isActive() || !here() || !isFree(event)) return;
    const singles = document.documentElement.dataset.singleKeys !== 'off';
    const key = event.key;
    let done = true;
    if (/^[0-9]$/.test(key) && !event.shiftKey && singles && (typed || key !== '0')) {
      if (!event.repeat) digit(key);
    } else if (typed && key === 'Enter') commit();
    else if (typed && key === 'Escape') show('');
    else if (typed && key === 'Backspace') show(typed.slice(0, -1));
    else if (FIXED[key] && (singles || key.length > 1)) FIXED[key]();
    else done = false;
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);

  // --- Pointer: a row of A, then its counterpart in B

  document.addEventListener('click', (event) => {
    const clicked = event.target.closest('#values .value');
    if (!clicked || !isActive() || event.target.closest('button')) return;
    if (event.target.closest('a')) {
      event.preventDefault();
      goTo(clicked);
    } else if (getSelection().toString()) {
      return;
    } else if (here()?.dataset.side === 'a' && clicked.dataset.side === 'b') {
      act(`match ${here().dataset.number} ${clicked.dataset.number}`);
    } else {
      goTo(clicked);
    }
  });

  // A press puts the focus on the row before the click is known to mean a match.
  let isPressed = false;
  document.addEventListener('pointerdown', () => { isPressed = true; }, true);
  document.addEventListener('pointerup', () => { isPressed = false; }, true);
  document.addEventListener('focusin', (event) => {
    const focused = event.target.closest?.('#values .value');
    if (!isPressed && focused && focused.id !== current && event.target === focused) goTo(focused, { focus: false });
  });

  document.addEventListener('gavel:shown', (event) => {
    if (!values()) { current = ''; return; }
    const marked = values().querySelector('[aria-current]');
    const before = event.detail.arrived ? null : here();
    const busy = document.activeElement?.matches('textarea, input');
    current = '';
    typed = '';
    const open = event.detail.unsettled &&
      [...byNumber(rowsOf('a')), ...byNumber(rowsOf('b'))].find((one) => one.dataset.state === 'open');
    goTo(open || before || marked, { focus: !busy });
  });
}
