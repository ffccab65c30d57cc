// A failed request becomes one visible sentence, and a failed write turns the saved mark; the
// next success clears them (a failed write is cleared by a write alone). The sentences stand in
// _request_errors.html. Requests of elements inside [data-background] are left out of both.
'use strict';
{
  const KIND_OF_STATUS = { 403: 'denied', 404: 'missing', 409: 'conflict', 413: 'large', 429: 'busy' };

  const kindOf = (status) => KIND_OF_STATUS[status] || (status >= 500 ? 'server' : 'refused');

  const isWrite = (detail) => detail.requestConfig.verb !== 'get';

  const isBackground = (detail) => Boolean(detail.requestConfig.elt.closest('[data-background]'));

  const box = () => document.querySelector('#request-errors > .message');

  const show = (kind, ofWrite, said = '') => {
    const message = box();
    if (!message) return;
    for (const line of message.querySelectorAll('[data-error]')) {
      line.hidden = line.dataset.error !== kind;
      if (line.dataset.error === 'said') line.textContent = said;
    }
    message.toggleAttribute('data-of-write', ofWrite);
    message.hidden = false;
  };

  const clear = (byWrite) => {
    const message = box();
    if (message && (byWrite || !message.hasAttribute('data-of-write'))) message.hidden = true;
  };

  const mark = (state) => {
    const saved = document.getElementById('saved');
    if (!saved || saved.dataset.state === state) return;
    if (!['busy', 'failed'].includes(saved.dataset.state)) saved.dataset.before = saved.dataset.state;
    saved.dataset.state = state;
  };

  // A success whose answer brought no new mark leaves the one from before the request.
  const unmark = () => {
    const saved = document.getElementById('saved');
    if (saved && ['busy', 'failed'].includes(saved.dataset.state)) {
      saved.dataset.state = saved.dataset.before || 'idle';
    }
  };

  const fail = (detail, kind, said) => {
    if (isBackground(detail)) return;
    show(kind, isWrite(detail), said);
    if (isWrite(detail)) mark('failed');
  };

  const succeed = (detail) => {
    if (isBackground(detail)) return;
    clear(isWrite(detail));
    if (isWrite(detail)) unmark();
  };

  const isJson = (xhr) => (xhr.getResponseHeader('Content-Type') || '').startsWith('application/json');

  // The server's own sentence for the person: {"detail": "...", "code": "..."}.
  const sentenceOf = (xhr) => {
    if (!isJson(xhr)) return '';
    try {
      const { detail } = JSON.parse(xhr.responseText);
      return typeof detail === 'string' ? detail : '';
    } catch {
      return '';
    }
  };

  const landedOnLogin = (detail) => {
    const login = document.body.dataset.loginUrl;
    if (!login || !detail.xhr.responseURL) return false;
    const landed = new URL(detail.xhr.responseURL).pathname;
    const asked = new URL(detail.pathInfo.requestPath, location.href).pathname;
    return landed === login && asked !== login;
  };

  document.addEventListener('htmx:beforeRequest', ({ detail }) => {
    if (isWrite(detail) && !isBackground(detail)) mark('busy');
  });

  document.addEventListener('htmx:beforeSwap', ({ detail }) => {
    const { xhr } = detail;
    if (landedOnLogin(detail)) {
      detail.shouldSwap = false;
      fail(detail, 'signed-out');
    } else if (xhr.status >= 400 && isJson(xhr)) {
      // A sentence, not a fragment, even with a status that is swapped.
      detail.shouldSwap = false;
      detail.isError = true;
    } else if (detail.isError && xhr.getResponseHeader('HX-Retarget')) {
      // An error that names its place brings its own explanation.
      detail.shouldSwap = true;
      detail.isError = false;
      succeed(detail);
    }
  });

  document.addEventListener('htmx:responseError', ({ detail }) => {
    const said = sentenceOf(detail.xhr);
    fail(detail, said ? 'said' : kindOf(detail.xhr.status), said);
  });

  document.addEventListener('htmx:sendError', ({ detail }) => fail(detail, 'network'));
  document.addEventListener('htmx:timeout', ({ detail }) => fail(detail, 'timeout'));
  document.addEventListener('htmx:sendAbort', ({ detail }) => {
    if (isWrite(detail) && !isBackground(detail)) unmark();
  });

  document.addEventListener('htmx:afterOnLoad', ({ detail }) => {
    const { xhr } = detail;
    if (landedOnLogin(detail)) return;
    // 422 with a fragment: the form itself says what is missing; what was stored still is.
    if (xhr.status < 400 || (xhr.status === 422 && !isJson(xhr))) succeed(detail);
  });
}
