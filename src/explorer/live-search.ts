import { followHints } from './hints.js';

/** How long nothing must have been typed before the search starts, in ms; and how long hints wait for others. */
const PAUSE_MS = 180;

/** Shows results while the visitor types, taken from the page that the server makes for the form. */
export function searchAsTyped(): void {
  const form = document.querySelector<HTMLFormElement>('form.search');
  if (!form) return;
  let pause: ReturnType<typeof setTimeout>;
  let latest = new AbortController();
  const search = (address: () => string) => {
    clearTimeout(pause);
    pause = setTimeout(async () => {
      latest.abort();
      latest = new AbortController();
      await showResults(address(), latest.signal);
    }, PAUSE_MS);
  };
  form.addEventListener('input', () => search(() => addressOf(form)));
  followHints(() => {
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
  const results = document.getElementById('results');
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' }, signal });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const found = page.getElementById('results');
    if (!results || !found || signal.aborted) return;
    results.replaceChildren(...found.children);
    document.title = page.title;
    announce(document.getElementById('count')?.textContent ?? '');
    history.replaceState(null, '', address);
  } catch (error) {
    // The visitor can still send the form, and then sees the error page of the server.
    if (!signal.aborted) console.warn('The search could not be refreshed', error);
  }
}

/** Has screen readers read out the number of results. */
function announce(text: string): void {
  const place = document.getElementById('announcement');
  if (place) place.textContent = text;
}
