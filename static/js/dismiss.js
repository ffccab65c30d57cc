// A message goes when it is dismissed.
'use strict';
{
  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-dismiss]');
    if (button) button.closest('.message').hidden = true;
  });
}
