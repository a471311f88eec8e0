import { integrityOf } from '../../component/integrity.js';
import { element } from './element.js';
/** Puts a button above the script of a component that pins the bytes which the module has now. */
export function addIntegrityButtons(within: ParentNode): void {
  // Pages from plain http have no digests.
  if (!globalThis.crypto?.subtle) return;
  for (const code of within.querySelectorAll<HTMLElement>('[data-integrity-of]')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Pin its bytes');
    button.addEventListener('click', () => pin(code, button));
    code.firstElementChild?.append(button);
  }
}

/** Fetches the module in the visitor's browser, and writes its digest into the script. */
async function pin(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const script = code.querySelector('code');
  if (!script) return;
  button.disabled = true;
  button.textContent = 'Reading the module …';
  try {
    const integrity = await integrityAt(code.dataset.integrityOf ?? '');
    script.textContent = withIntegrity(script.textContent ?? '', integrity);
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

/** The script with the integrity among the options of `showComponent`, in place of an earlier one. */
export function withIntegrity(script: string, integrity: string): string {
  const options = /(?<!\\)', \{ into(?:, integrity: '[^']*')? \}\)\.catch/;
  return script.replace(options, `', { into, integrity: '${integrity}' }).catch`);
}
