import { element } from '../browser/element.js';
import { addIntegrityButtons } from '../browser/integrity.js';
import { followPage } from '../browser/live.js';
import { startFrames } from '../browser/live-frames.js';
import { tellTime } from '../browser/relative-time.js';

// Every page works without scripts. Each of these functions does nothing on pages that lack its elements.
followPage();
tellTime(document);
addCopyButtons(document);
addIntegrityButtons(document);
focusSearchBySlash();
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

/** `/` leads to the search, as on most sites that have one. */
function focusSearchBySlash(): void {
  const field = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (!field) return;
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target))
      return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable)
  );
}
