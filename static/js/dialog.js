// Links and buttons that open and close a <dialog>. Without script the link's #target shows it.
'use strict';
{
  const targetOf = (opener) =>
    document.getElementById(opener.dataset.dialogOpen || (opener.hash || '').slice(1));

  document.addEventListener('click', (event) => {
    const opener = event.target.closest('[data-dialog-open]');
    const closer = event.target.closest('[data-dialog-close]');
    if (opener) {
      const dialog = targetOf(opener);
      if (!dialog) return;
      event.preventDefault();
      if (!dialog.open) dialog.showModal();
    } else if (closer) {
      event.preventDefault();
      closer.closest('dialog').close();
    } else if (event.target.matches('dialog:modal')) {
      // The dialog itself is hit only on its backdrop or edge.
      const box = event.target.getBoundingClientRect();
      const inside = event.clientX >= box.left && event.clientX <= box.right &&
        event.clientY >= box.top && event.clientY <= box.bottom;
      if (!inside) event.target.close();
    }
  });
}
