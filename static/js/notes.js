// Comment and flag, stored while one types; the panels that hold them; and two habits that last
// from task to task: the definition unfolded, the differing words marked.
//
// Takes:  gavel:shown { arrived };  gavel:flush     store now what has been typed
// Tells:  gavel:write { fields }
'use strict';
{
  const PAUSE_IN_TYPING = 600; // milliseconds
  const NOTE = ['note', 'comment', 'flagged', 'flag_reason'];
  let timer = 0;
  let open = ''; // name of the panel that is unfolded

  const task = () => document.getElementById('task');
  const isReadOnly = () => !task()?.dataset.assignment || 'readOnly' in task().dataset;

  const flush = () => {
    if (!timer) return;
    clearTimeout(timer);
    timer = 0;
    const fields = [...new FormData(task())].filter(([name]) => NOTE.includes(name));
    document.dispatchEvent(new CustomEvent('gavel:write', { detail: { fields } }));
  };

  const flushAfter = (pause) => {
    clearTimeout(timer);
    timer = setTimeout(flush, pause);
  };

  document.addEventListener('input', (event) => {
    if (event.target.matches('[data-autosave]')) flushAfter(PAUSE_IN_TYPING);
  });
  document.addEventListener('change', (event) => {
    if (event.target.matches('[data-autosave]')) flush();
  });
  document.addEventListener('gavel:flush', flush);
  addEventListener('beforeunload', (event) => {
    if (!timer) return;
    flush();
    event.preventDefault();
  });

  // --- Panels

  const showPanel = (name) => {
    open = name;
    const note = document.getElementById('note');
    if (!note) return;
    for (const part of note.querySelectorAll('[data-panel-of]')) {
      part.hidden = part.dataset.panelOf !== name;
    }
    note.hidden = !name;
  };

  const flag = () => {
    const box = document.getElementById('flagged');
    box.checked = !box.checked;
    flushAfter(0);
    flush();
    showPanel(box.checked ? 'flag' : '');
  };

  const unfold = (name) => {
    if (name === 'flag') {
      flag();
    } else if (open === name) {
      showPanel('');
    } else {
      showPanel(name);
      const field = document.querySelector(`[data-panel-of="${name}"] textarea`);
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
    }
  };

  document.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape' && open && !document.querySelector('dialog:modal')) {
      flush();
      showPanel('');
      const row = document.querySelector('#values [aria-current=true]');
      (row || document.getElementById('main')).focus({ preventScroll: true });
    } else if (event.key === 'Enter' && event.target.id === 'skip-reason') {
      event.preventDefault();
      document.getElementById('skip').click();
    }
  });

  // --- Habits

  const habit = (name, value) => {
    try {
      if (value !== undefined) localStorage.setItem(`gavel.${name}`, value);
      return localStorage.getItem(`gavel.${name}`);
    } catch {
      return value ?? null;
    }
  };

  // Below two single values there is room for the definition; lists need the room themselves.
  const definitionHabit = () => `definition-${task()?.dataset.form}`;
  const isDefined = () =>
    (habit(definitionHabit()) ?? (task()?.dataset.form === 'single' ? 'on' : 'off')) === 'on';
  const isMarked = () => habit('differences') !== 'off';

  const dress = () => {
    const definition = document.getElementById('definition');
    if (definition) definition.hidden = !isDefined();
    document.getElementById('definition-button')?.setAttribute('aria-expanded', isDefined());
    document.documentElement.dataset.differences = isMarked() ? 'on' : 'off';
    document.getElementById('differences')?.setAttribute('aria-pressed', isMarked());
  };

  document.addEventListener('click', (event) => {
    const panel = event.target.closest('a[data-panel]');
    if (panel) {
      event.preventDefault();
      if (!isReadOnly()) unfold(panel.dataset.panel);
    } else if (event.target.closest('#definition-button')) {
      event.preventDefault();
      habit(definitionHabit(), isDefined() ? 'off' : 'on');
      dress();
    } else if (event.target.closest('#differences')) {
      habit('differences', isMarked() ? 'off' : 'on');
      dress();
    }
  });

  document.addEventListener('gavel:shown', (event) => {
    const part = document.querySelector('#note:not([hidden]) [data-panel-of]:not([hidden])');
    if (event.detail.arrived) open = part ? part.dataset.panelOf : '';
    else showPanel(open);
    dress();
  });
}
