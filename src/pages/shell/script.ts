import { element } from '../browser/element.js';
import { followPage } from '../browser/live.js';
import { startFrames } from '../browser/live-frames.js';
import { tellTime } from '../browser/relative-time.js';

// Every page works without scripts. Each of these functions does nothing on pages that lack its elements.
followPage();
tellTime(document);
addCopyButtons(document);
startFrames();

/** Puts a button above each piece of code that copies it. */
function addCopyButtons(within: ParentNode): void {
  // Pages from plain http have no clipboard.
  if (!navigator.clipboard) return;
  for (const code of within.querySelectorAll('.code')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.querySelector('pre')?.textContent ?? '');
      button.textContent = 'Copied';
    });
    code.firstElementChild?.append(button);
  }
}
