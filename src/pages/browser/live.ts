import { askNode, faultIn } from './ask-node.js';
import { tellTime } from './relative-time.js';

/** How often the page is asked for while it is looked at, in ms, and how long the answer may take. */
const INTERVAL_MS = 2000;
const TIMEOUT_MS = 5000;

/** What the server has sent of each element that it keeps up to date. What stands on the page may look different. */
const sent = new Map<string, string>();
/** With the token of the operator, where there is one: it stays in the memory of the page. */
let headers: Readonly<Record<string, string>> = {};
/** Of the page as it is shown. */
let etag: string | null = null;
let away: Date | undefined;

/**
 * Keeps the elements that are marked `data-live` as the server has them: asks for the page again and again, and replaces
 * what has changed. To be called before anything else changes the page.
 */
export function followPage(): void {
  const elements = document.querySelectorAll('[data-live]');
  if (elements.length === 0) return;
  for (const { id, innerHTML } of elements) sent.set(id, innerHTML);
  document.addEventListener('visibilitychange', refresh);
  void refreshAgain(INTERVAL_MS);
}

async function refreshAgain(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  const began = performance.now();
  await refresh();
  tellTime(document);
  // A page that takes long to make is asked for less often.
  void refreshAgain(Math.max(INTERVAL_MS, 10 * (performance.now() - began)));
}

async function refresh(): Promise<void> {
  if (document.hidden) return;
  try {
    await showAnew();
    away = undefined;
  } catch {
    away ??= new Date();
  }
  showAway();
}

/** Says at once that what is shown is not how things are: nothing stays green when nobody answers. */
function showAway(): void {
  document.body.classList.toggle('away', away !== undefined);
  const [alert, live] = [document.getElementById('away'), document.getElementById('live')];
  const text = `The node does not answer since ${away?.toLocaleTimeString()}. What you see is how it was then.`;
  if (alert && alert.hidden === Boolean(away)) [alert.hidden, alert.textContent] = [!away, away ? text : ''];
  if (live) live.textContent = away ? '' : 'Live.';
}

/** Asks for the page, and swaps the parts of it that have changed. @throws Error when there is none */
export async function showAnew(): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const accept = 'application/problem+json, text/html';
  // The browser sends the tag of the page that it has, so that one that has not changed is a 304.
  const answer = await fetch(location.href, { cache: 'no-cache', signal, headers: { accept, ...headers } });
  const text = await answer.text();
  const isPage = answer.headers.get('content-type')?.startsWith('text/html');
  if (!isPage) throw new Error(faultIn(text, answer.status));
  if (etag !== null && answer.headers.get('etag') === etag) return;
  etag = answer.headers.get('etag');
  const page = new DOMParser().parseFromString(text, 'text/html');
  for (const shown of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(shown.id);
    if (next && sent.get(shown.id) !== next.innerHTML) swap(shown, next);
  }
  tellTime(document);
}

/** A link or a button that is replaced by its like keeps the focus. */
function swap(shown: Element, next: Element): void {
  sent.set(shown.id, next.innerHTML);
  const focused = shown.contains(document.activeElement) ? document.activeElement : null;
  shown.replaceChildren(...next.childNodes);
  const alike = [...shown.querySelectorAll<HTMLElement>('a, button')];
  alike.find((one) => one.isEqualNode(focused))?.focus();
}

/** Shows the page as the operator with this token sees it, from now on. @throws Error when the node refuses the token */
export async function signIn(token: string): Promise<void> {
  const before = headers;
  headers = { authorization: `Bearer ${token}` };
  try {
    await showAnew();
  } catch (error) {
    headers = before;
    throw error;
  }
}

/** Sends a request to a path of the node, with the token. @throws Error with what the node says, for people */
export function ask(path: string, request: RequestInit): Promise<string> {
  return askNode(path, { ...request, headers });
}
