import { tellTime } from './relative-time.js';

/** How often the page is asked for while it is looked at, in ms, and how long the answer may take. */
const INTERVAL_MS = 2000;
const TIMEOUT_MS = 5000;
/** The same while the node tells when something changes: of polls that find nothing new, and that fail, it does not tell. */
const HINTED_MS = 5000;
/** Hints that come faster are taken together, in ms. */
const LEAST_MS = 500;
/** How long to wait before a stream is opened again that the node has refused, in ms: all its streams are taken. */
const REFUSED_MS = 60_000;

/** What the server has sent of an element that it keeps up to date. What stands on the page may look different. */
const sent = new WeakMap<Element, string>();
/** With the token of the operator, where there is one: it stays in the memory of the page. */
let headers: Readonly<Record<string, string>> = {};
/** Of the page as it is shown. */
let etag: string | null = null;
let away: Date | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let began = 0;
let isHinted = false;
let stream: EventSource | undefined;
let cursor: string | undefined;

/**
 * Keeps the elements that are marked `data-live` as the server has them: asks for the page again and again, and replaces
 * what has changed. To be called before anything else changes the page.
 */
export function followPage(): void {
  const elements = document.querySelectorAll('[data-live]');
  if (elements.length === 0) return;
  for (const element of elements) {
    sent.set(element, element.innerHTML);
    for (const child of element.children) sent.set(child, child.outerHTML);
  }
  askIn(INTERVAL_MS);
  listen();
  document.addEventListener('visibilitychange', () => {
    listen();
    void refresh();
  });
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
export async function ask(
  path: string,
  request: RequestInit = {},
  accept = 'application/json',
): Promise<string> {
  const all = { accept, ...headers, ...(request.body ? { 'content-type': 'application/json' } : {}) };
  const answer = await fetch(path, { ...request, headers: all }).catch(() => {
    throw new Error('The node does not answer. Is it running?');
  });
  const text = await answer.text();
  if (answer.ok) return text;
  const { detail = `The node answers ${answer.status}`, errors = [] } = problemIn(text);
  throw new Error(`${[detail, ...errors.map((one) => one.detail)].join(': ')}.`);
}

/** What a problem document says (RFC 9457), with the faults that it names. */
function problemIn(text: string): { detail?: string; errors?: readonly { detail: string }[] } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Asks for the page, and swaps the parts of it that have changed. @throws Error when there is none */
export async function showAnew(): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const accept = 'application/problem+json, text/html';
  const answer = await fetch(location.href, { cache: 'no-cache', signal, headers: { accept, ...headers } });
  const text = await answer.text();
  const isPage = answer.headers.get('content-type')?.startsWith('text/html');
  if (!isPage) throw new Error(`${problemIn(text).detail ?? `The node answers ${answer.status}`}.`);
  if (etag !== null && answer.headers.get('etag') === etag) return;
  etag = answer.headers.get('etag');
  const page = new DOMParser().parseFromString(text, 'text/html');
  for (const shown of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(shown.id);
    if (next) swap(shown, next);
  }
  tellTime(document);
}

/** Children that have a key, and were sent as they are before, stay: with them a selection, and the focus. */
function swap(shown: Element, next: Element): void {
  const html = next.innerHTML;
  if (sent.get(shown) === html) return;
  const focused = shown.contains(document.activeElement) ? document.activeElement : null;
  const present = new Map([...shown.children].map((child) => [child.getAttribute('data-key'), child]));
  const children = [...next.childNodes].map((child) => {
    const key = child instanceof Element && child.getAttribute('data-key');
    const before = key ? present.get(key) : undefined;
    return before && sent.get(before) === (child as Element).outerHTML ? before : child;
  });
  for (const child of children)
    if (child instanceof Element && !child.isConnected) sent.set(child, child.outerHTML);
  for (const child of [...shown.childNodes]) if (!children.includes(child)) child.remove();
  let at = shown.firstChild;
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else shown.insertBefore(child, at);
  }
  sent.set(shown, html);
  // A link or a button that was replaced by its like keeps the focus.
  if (focused && !focused.isConnected)
    [...shown.querySelectorAll<HTMLElement>(focused.localName)]
      .find((one) => one.isEqualNode(focused))
      ?.focus();
}

async function refresh(): Promise<void> {
  if (document.visibilityState !== 'visible') return;
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
  const text = away
    ? `The node does not answer since ${away.toLocaleTimeString()}. What you see is how it was then.`
    : '';
  if (alert && alert.textContent !== text) alert.textContent = text;
  if (alert) alert.hidden = away === undefined;
  if (live) live.textContent = away ? '' : 'Live.';
}

async function again(): Promise<void> {
  [began, isHinted] = [performance.now(), false];
  await refresh();
  tellTime(document);
  const usual = stream?.readyState === EventSource.OPEN ? HINTED_MS : INTERVAL_MS;
  // A page that takes long to make is asked for less often.
  askIn(Math.max(isHinted ? LEAST_MS : usual, 10 * (performance.now() - began)));
}

function askIn(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(again, ms);
}

function askSoon(): void {
  isHinted = true;
  askIn(Math.max(0, began + LEAST_MS - performance.now()));
}

/**
 * Has the node tell whenever something has changed; also when the stream is lost, so that the page finds out what is the matter.
 * A page that is not looked at closes its stream, because browsers allow few connections to one server.
 */
function listen(): void {
  const isVisible = document.visibilityState === 'visible';
  if (!isVisible) stream?.close();
  if (!isVisible || stream?.readyState === EventSource.CLOSED) stream = undefined;
  if (!isVisible || stream) return;
  const opened = new EventSource(`${document.body.dataset.root}/feed`);
  stream = opened;
  opened.onmessage = ({ data }: MessageEvent<string>) => {
    // The first cursor is that of the page as it was loaded.
    const isNews = cursor !== undefined && cursor !== data;
    cursor = data;
    if (isNews) askSoon();
  };
  opened.onerror = () => {
    askSoon();
    // The browser opens a stream again that was lost, but not one that was refused.
    if (opened.readyState === EventSource.CLOSED) setTimeout(listen, REFUSED_MS);
  };
}
