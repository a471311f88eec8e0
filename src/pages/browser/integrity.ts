import { integrityOf } from '../../component/integrity.js';
import { element } from './element.js';

/** Puts a button above the line that embeds a component, which pins the bytes which the module has now. */
export function addIntegrityButtons(within: ParentNode): void {
  // Pages from plain http have no digests.
  if (!globalThis.crypto?.subtle) return;
  for (const code of within.querySelectorAll<HTMLElement>('[data-integrity-of]')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Pin its bytes');
    button.addEventListener('click', () => pin(code, button));
    code.firstElementChild?.append(button);
  }
}

/** Fetches the module in the visitor's browser, and writes its digest into the line. */
async function pin(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const line = code.querySelector('code');
  if (!line) return;
  button.disabled = true;
  button.textContent = 'Reading the module …';
  try {
    const integrity = await integrityAt(code.dataset.integrityOf ?? '');
    line.textContent = withIntegrity(line.textContent ?? '', integrity);
    button.textContent = 'Pinned';
  } catch {
    button.disabled = false;
    button.textContent = 'The module cannot be read; try again';
  }
}

/** The digest of the module at a URL, as browsers read it. @throws Error when they cannot */
export async function integrityAt(url: string): Promise<string> {
  const answer = await fetch(url, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' });
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`);
  return integrityOf(await answer.arrayBuffer());
}

/** The line that embeds a component, with the digest of its module last. In its attributes, quotes and brackets are escaped. */
function withIntegrity(line: string, integrity: string): string {
  const [unpinned] = line.replace('></script>', '').split(' data-integrity=');
  return `${unpinned} data-integrity="${integrity}"></script>`;
}
