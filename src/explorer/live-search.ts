import { fetchedPage } from './element.js';
import { followHints } from './hints.js';

/** How long nothing must have been typed before the search starts, in ms; and how long hints wait for others. */
const PAUSE_MS = 180;
/** How long an answer may take until the visitor is told that what is shown is old, in ms. */
const PATIENCE_MS = 800;
/** An answer that takes longer is given up, in ms. */
const TIMEOUT_MS = 15_000;

/** Shows results while the visitor types, taken from the page that the server makes for the form. */
export function searchAsTyped(): void {
  const form = document.querySelector<HTMLFormElement>('form.search');
  if (!form) return;
  let pause: ReturnType<typeof setTimeout>;
  let latest = new AbortController();
  let isTyping = false;
  const search = (address: () => string) => {
    clearTimeout(pause);
    pause = setTimeout(async () => {
      isTyping = false;
      latest.abort();
      latest = new AbortController();
      await showResults(address(), latest.signal);
    }, PAUSE_MS);
  };
  form.addEventListener('input', () => {
    isTyping = true;
    search(() => addressOf(form));
  });
  followHints(() => {
    // What is being typed is searched for in a moment anyway.
    if (isTyping) return;
    // Not while the visitor is among the results: a link that is replaced loses the focus.
    if (document.getElementById('results')?.contains(document.activeElement)) return;
    search(() => location.pathname + location.search);
  });
}

function addressOf(form: HTMLFormElement): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== '') parameters.append(name, String(value));
  const text = parameters.toString();
  return new URL(form.action).pathname + (text === '' ? '' : `?${text}`);
}

async function showResults(address: string, signal: AbortSignal): Promise<void> {
  const slow = setTimeout(() => markStale('Searching …'), PATIENCE_MS);
  try {
    const page = await fetchedPage(address, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (signal.aborted) return;
    const results = document.getElementById('results');
    results?.replaceChildren(...(page.getElementById('results')?.children ?? []));
    markFresh();
    document.title = page.title;
    announce(document.getElementById('count')?.textContent ?? '');
    history.replaceState(null, '', address);
  } catch (error) {
    if (!signal.aborted) markStale(`${wordsOf(error)} These results are older than your search.`);
  } finally {
    clearTimeout(slow);
  }
}

/** Says that what is shown belongs to an earlier search. */
function markStale(text: string): void {
  document.getElementById('results')?.classList.add('stale');
  const notice = document.getElementById('stale');
  if (!notice) return;
  notice.textContent = text;
  notice.hidden = false;
  announce(text);
}

function markFresh(): void {
  document.getElementById('results')?.classList.remove('stale');
  const notice = document.getElementById('stale');
  if (notice) notice.hidden = true;
}

/** Has screen readers read out a text. */
function announce(text: string): void {
  const place = document.getElementById('announcement');
  if (place) place.textContent = text.trim();
}

/** A failed `fetch` is a TypeError, with words that mean nothing to visitors. */
function wordsOf(error: unknown): string {
  if (error instanceof TypeError) return 'The node does not answer.';
  return error instanceof DOMException
    ? 'The node takes too long to answer.'
    : String(error).replace(/^Error: /, '');
}
