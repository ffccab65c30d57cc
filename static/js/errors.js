// A failed request becomes one visible sentence and turns the saved mark; the next success
// clears both. The sentences are in _request_errors.html; nothing on the page is thrown away.
'use strict';
{
  const KIND_OF_STATUS = { 403: 'denied', 404: 'missing', 409: 'conflict', 413: 'large', 429: 'busy' };

  const kindOf = (status) => KIND_OF_STATUS[status] || (status >= 500 ? 'server' : 'refused');

  const isWrite = (detail) => (detail.requestConfig || {}).verb !== 'get';

  const box = () => document.querySelector('#request-errors > .message');

  const show = (kind, said = '') => {
    const message = box();
    if (!message) return;
    message.dataset.kind = kind;
    for (const line of message.querySelectorAll('[data-error]')) {
      line.hidden = line.dataset.error !== kind;
      if (line.dataset.error === 'said') line.textContent = said;
    }
    message.hidden = false;
  };

  const clear = () => {
    const message = box();
    if (message) message.hidden = true;
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
    show(kind, said);
    if (isWrite(detail)) mark('failed');
  };

  // Text without markup is the server's own sentence for the person.
  const sentenceOf = (xhr) => {
    const type = xhr.getResponseHeader('Content-Type') || '';
    return type.startsWith('text/plain') ? xhr.responseText.trim().slice(0, 600) : '';
  };

  const landedOnLogin = (detail) => {
    const login = document.body.dataset.loginUrl;
    if (!login || !detail.xhr.responseURL) return false;
    const landed = new URL(detail.xhr.responseURL).pathname;
    const asked = new URL(detail.pathInfo.requestPath, location.href).pathname;
    return landed === login && asked !== login;
  };

  document.addEventListener('htmx:beforeRequest', (event) => {
    if (isWrite(event.detail)) mark('busy');
  });

  document.addEventListener('htmx:beforeSwap', (event) => {
    const detail = event.detail;
    if (landedOnLogin(detail)) {
      detail.shouldSwap = false;
      fail(detail, 'signed-out');
    } else if (detail.isError && detail.xhr.getResponseHeader('HX-Retarget')) {
      // An error that names its place brings its own explanation.
      detail.shouldSwap = true;
      detail.isError = false;
      clear();
      unmark();
    }
  });

  document.addEventListener('htmx:responseError', (event) => {
    const said = sentenceOf(event.detail.xhr);
    fail(event.detail, said ? 'said' : kindOf(event.detail.xhr.status), said);
  });

  document.addEventListener('htmx:sendError', (event) => fail(event.detail, 'network'));
  document.addEventListener('htmx:timeout', (event) => fail(event.detail, 'timeout'));
  document.addEventListener('htmx:swapError', (event) => fail(event.detail, 'refused'));
  document.addEventListener('htmx:sendAbort', (event) => {
    if (isWrite(event.detail)) unmark();
  });

  document.addEventListener('htmx:afterOnLoad', (event) => {
    const { xhr } = event.detail;
    if (landedOnLogin(event.detail)) return;
    if (xhr.status >= 200 && xhr.status < 400) {
      clear();
      unmark();
    } else if (xhr.status === 422) {
      // The form says what is missing; the answer as it stood is still stored.
      clear();
      unmark();
    }
  });
}
