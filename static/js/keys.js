// One registry of keys. An element declares its keys in data-key or data-keys ("j ArrowDown");
// a press clicks it, or puts the focus there if it is a field or a row.
//
//   data-key-scope   on an ancestor: the key acts only while the focus is inside
//   data-key-action  "click" or "focus", where the element's kind does not say it
//   data-key-repeat  holding the key down repeats (moves only, never acts)
//   data-key-field   works inside a text field too (Escape and chords with Mod only)
//
// A chord names all its keys: "Mod+Enter", "Mod+Shift+z", "Shift+x" (or "X"), "Alt+ArrowLeft".
// Mod is Ctrl or Cmd. Scripts that take a key first call preventDefault().
'use strict';
{
  const PRESSABLE = 'a[href], button, summary, label, input:is([type=radio], [type=checkbox], ' +
    '[type=submit], [type=button], [type=reset], [type=file])';
  const TYPING = 'textarea, select, [contenteditable=""], [contenteditable=true], ' +
    '[contenteditable=plaintext-only], input:not([type=radio], [type=checkbox], [type=submit], ' +
    '[type=button], [type=reset], [type=file], [type=range], [type=color], [type=image])';

  const parse = (text) => {
    const parts = text === '+' ? ['+'] : text.split('+');
    const key = parts.pop();
    const has = (name) => parts.includes(name);
    const upper = key.length === 1 && key !== key.toLowerCase();
    return {
      key: key.length === 1 ? key.toLowerCase() : key,
      shift: has('Shift') || upper,
      alt: has('Alt'),
      mod: has('Mod'),
    };
  };

  const nameOf = (chord) =>
    [chord.mod && 'Mod', chord.alt && 'Alt', chord.shift && 'Shift', chord.key]
      .filter(Boolean).join('+');

  const chordsOf = (element) =>
    (element.dataset.keys || element.dataset.key || '').split(/\s+/).filter(Boolean).map(parse);

  const isCharacter = (chord) => chord.key.length === 1 && !chord.mod && !chord.alt;

  // The key as a Latin letter or digit whatever the layout.
  const keyOf = (event) => {
    if (event.key.length !== 1 || /[\x20-\x7e]/.test(event.key)) return event.key;
    const code = /^(?:Key|Digit)(.)$/.exec(event.code);
    return code ? code[1] : event.key;
  };

  const matches = (chord, event) => {
    const altGraph = event.getModifierState('AltGraph');
    if (chord.mod !== ((event.ctrlKey || event.metaKey) && !altGraph)) return false;
    if (chord.alt !== (event.altKey && !altGraph)) return false;
    const key = keyOf(event);
    if (chord.key.length !== 1) return chord.key === key && chord.shift === event.shiftKey;
    if (/[a-z]/.test(chord.key)) {
      // By the shift key, not by the letter's case: caps lock changes nothing.
      return key.toLowerCase() === chord.key && chord.shift === event.shiftKey;
    }
    if (chord.shift) return event.shiftKey && event.code === `Digit${chord.key}` && key !== chord.key;
    return key === chord.key;
  };

  const isUsable = (element) =>
    element.getClientRects().length > 0 && !element.matches(':disabled, [aria-disabled=true]') &&
    !element.closest('[inert]');

  const scopeOf = (element) => element.parentElement?.closest('[data-key-scope], dialog') ?? null;

  const declared = (root) => [...root.querySelectorAll('[data-key], [data-keys]')].filter(isUsable);

  // From the innermost scope around the focus outwards; what is in no scope comes last.
  const scopesFrom = (focused) => {
    const modal = document.querySelector('dialog:modal');
    const scopes = [];
    for (let at = focused; at; at = at.parentElement) {
      if (at.matches('[data-key-scope], dialog')) scopes.push(at);
    }
    if (modal) return scopes.includes(modal) ? scopes : [modal];
    return [...scopes, null];
  };

  const find = (event, typing) => {
    const singles = document.documentElement.dataset.singleKeys !== 'off';
    const candidates = declared(document).filter((element) => chordsOf(element).some((chord) => {
      if (!matches(chord, event)) return false;
      if (isCharacter(chord) && (typing || !singles)) return false;
      const inFields = 'keyField' in element.dataset && (chord.mod || chord.key === 'Escape');
      return !typing || inFields;
    }));
    for (const scope of scopesFrom(focusedElement())) {
      const found = candidates.find((element) => scopeOf(element) === scope);
      if (found) return found;
    }
    return null;
  };

  // What has just been hidden, such as a button of a closed dialog, keeps the focus until the next
  // frame; a key pressed in between is not for it.
  const focusedElement = () => {
    const focused = document.activeElement;
    return focused?.getClientRects().length ? focused : document.body;
  };

  // What the focused control does with the key by itself.
  const isNative = (event) => {
    const focused = focusedElement();
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === 'Enter') {
      return focused.matches('a[href], button, summary, input:is([type=submit], [type=button])');
    }
    if (event.key === ' ') return focused.matches('button, summary, input');
    return event.key.startsWith('Arrow') && focused.matches('input:is([type=radio], [type=range])');
  };

  const press = (element) => {
    const action = element.dataset.keyAction || (element.matches(PRESSABLE) ? 'click' : 'focus');
    if (action === 'click') {
      element.click();
    } else {
      element.focus();
      if (element.matches('textarea')) {
        element.setSelectionRange(element.value.length, element.value.length);
      }
      element.scrollIntoView({ block: 'nearest' });
    }
  };

  const leaveField = (field) => {
    const back = field.closest('[data-key-return]');
    const target = back && document.querySelector(back.dataset.keyReturn);
    if (target) target.focus();
    else field.blur();
  };

  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    const origin = event.composedPath()[0];
    const typing = origin instanceof Element && (origin.matches(TYPING) || origin.isContentEditable);
    if (!typing && isNative(event)) return;
    const element = find(event, typing);
    if (element) {
      event.preventDefault();
      if (!event.repeat || 'keyRepeat' in element.dataset) press(element);
    } else if (typing && event.key === 'Escape' && !document.querySelector('dialog:modal')) {
      leaveField(origin);
    }
  });

  // Two elements that want one key in one place: a fault of the page, said aloud.
  const complain = () => {
    const seen = new Map();
    for (const element of declared(document)) {
      const scope = scopeOf(element);
      for (const chord of chordsOf(element)) {
        const name = nameOf(chord);
        const taken = seen.get(scope) || seen.set(scope, new Map()).get(scope);
        if (taken.has(name)) {
          console.error(`Key ${name} is declared twice in one scope`, taken.get(name), element);
        }
        taken.set(name, element);
      }
    }
  };

  document.addEventListener('DOMContentLoaded', complain);
  document.addEventListener('htmx:afterSettle', complain);
}
