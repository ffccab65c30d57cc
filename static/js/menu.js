// A menu (<details class="menu">) closes on a click elsewhere, on Escape and when the focus leaves.
// Loaded before keys.js: an open menu takes Escape first.
'use strict';
{
  const openMenus = () => document.querySelectorAll('details.menu[open]');

  document.addEventListener('click', (event) => {
    for (const menu of openMenus()) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener('focusin', (event) => {
    for (const menu of openMenus()) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    for (const menu of openMenus()) {
      menu.open = false;
      if (menu.contains(document.activeElement)) menu.querySelector('summary').focus();
      event.preventDefault();
    }
  });
}
