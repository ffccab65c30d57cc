// Says what was chosen and whether it is too much, lets files be dropped, and keeps a form from
// being sent twice. Everything works without it.
'use strict';
{
  const size = (bytes) => {
    if (bytes < 1024) return `${bytes} bytes`;
    const unit = bytes < 1024 ** 2 ? ['KB', 1024] : bytes < 1024 ** 3 ? ['MB', 1024 ** 2] : ['GB', 1024 ** 3];
    return `${(bytes / unit[1]).toFixed(1)} ${unit[0]}`;
  };

  const tell = (form) => {
    const input = form.querySelector('input[type=file]');
    const line = form.querySelector('[data-chosen]');
    const files = [...input.files];
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const most = Number(input.dataset.maxBytes) || Infinity;
    const many = Number(input.dataset.maxFiles) || Infinity;
    line.hidden = !files.length;
    line.removeAttribute('data-refused');
    if (!files.length) return;
    const names = files.slice(0, 3).map((file) => file.name).join(', ');
    const more = files.length > 3 ? ` and ${files.length - 3} more` : '';
    line.textContent = `${names}${more}: ${size(total)}`;
    if (total > most || files.length > many) {
      line.setAttribute('data-refused', '');
      line.textContent += ', which is more than one upload may have.';
    }
  };

  for (const form of document.querySelectorAll('form[data-upload]')) {
    const input = form.querySelector('input[type=file]');
    const drop = form.querySelector('[data-drop]');
    input.addEventListener('change', () => tell(form));
    for (const type of ['dragenter', 'dragover']) {
      drop.addEventListener(type, (event) => {
        event.preventDefault();
        drop.setAttribute('data-over', '');
      });
    }
    drop.addEventListener('dragleave', () => drop.removeAttribute('data-over'));
    drop.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.removeAttribute('data-over');
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      tell(form);
    });
    tell(form);
  }

  const sent = new WeakSet();
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!form.matches('form[data-upload], form[data-once]')) return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    sent.add(form);
    form.setAttribute('aria-busy', 'true');
    const label = form.querySelector('[data-label]');
    if (label) label.textContent = 'Uploading …';
  });

  // The back button shows the page as it was left: its forms may be sent again.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) window.location.reload();
  });
}
