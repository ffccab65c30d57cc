// Active time on a task: gaps between inputs up to the limit count, longer ones do not; a hidden
// tab and a paused clock do not count. The running total goes with every write, and now and then
// by itself.
'use strict';
{
  const REPORT_EVERY = 30000; // milliseconds
  let counted = 0; // milliseconds, settled by an input
  let last = performance.now(); // of the last input
  let reported = 0;
  let paused = false;
  let assignment = '';

  const task = () => document.querySelector('#task[data-visit-url]');
  const limit = () => Number(task()?.dataset.idle || 60) * 1000;
  const runs = () => !paused && !document.hidden;

  const pending = () => {
    const gap = Math.max(0, performance.now() - last);
    return runs() && gap <= limit() ? gap : 0;
  };

  const settle = () => {
    counted += pending();
    last = performance.now();
    const field = task()?.elements.active_ms;
    if (field) field.value = Math.round(counted);
  };

  const draw = () => {
    const place = document.getElementById('active-time');
    if (!place || !task()) return;
    const seconds = Math.floor(Number(task().dataset.activeBefore) + (counted + pending()) / 1000);
    place.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    const clock = document.getElementById('clock');
    clock.toggleAttribute('data-paused', paused || performance.now() - last > limit());
    document.getElementById('pause')?.setAttribute('aria-pressed', paused);
  };

  const report = () => {
    const form = task();
    if (!form || 'readOnly' in form.dataset || counted === reported) return;
    reported = counted;
    const body = new FormData();
    for (const name of ['csrfmiddlewaretoken', 'visit']) body.set(name, form.elements[name].value);
    body.set('active_ms', Math.round(counted));
    navigator.sendBeacon(form.dataset.visitUrl, body);
  };

  const input = (event) => {
    const presses = event.type !== 'keydown' || event.key === 'Enter' || event.key === ' ';
    if (presses && event.target.closest?.('#pause')) return;
    if (paused && event.type !== 'pointermove') setPaused(false);
    settle();
  };

  const setPaused = (on) => {
    settle();
    paused = on;
    draw();
  };

  for (const type of ['keydown', 'pointerdown', 'pointermove', 'wheel']) {
    document.addEventListener(type, input, { capture: true, passive: true });
  }
  document.addEventListener('click', (event) => {
    if (event.target.closest('#pause')) setPaused(!paused);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      // document.hidden is set already, so the gap is settled by hand.
      const gap = performance.now() - last;
      if (!paused && gap <= limit()) counted += gap;
      report();
    }
    last = performance.now();
  });
  addEventListener('pagehide', report);
  document.addEventListener('gavel:leaving', () => { settle(); report(); });
  document.addEventListener('gavel:shown', () => {
    const now = task()?.dataset.assignment || '';
    if (now !== assignment) {
      assignment = now;
      counted = 0;
      reported = 0;
      last = performance.now();
    }
    draw();
  });
  setInterval(draw, 1000);
  setInterval(report, REPORT_EVERY);
}
