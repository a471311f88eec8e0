import { fetchedPage } from './element.js';
import { followHints, hintsCome } from './hints.js';
import { tellTime } from './relative-time.js';

/** How often the page is asked for while it is looked at, in ms, and how long the answer may take. */
const INTERVAL_MS = 2000;
const TIMEOUT_MS = 5000;
/** The same while the node tells when something changes: of polls that find nothing new, and that fail, it does not tell. */
const HINTED_MS = 5000;
/** Hints that come faster are taken together, in ms. */
const LEAST_MS = 500;

/**
 * Keeps the elements that are marked `data-live` as the server has them: asks for the page again and again, and replaces
 * what has changed. To be called before anything else changes the page.
 */
export function followPage(): void {
  const elements = [...document.querySelectorAll<HTMLElement>('[data-live]')].map(
    (element) => new LiveElement(element),
  );
  if (elements.length === 0) return;
  let away: Date | undefined;
  const refresh = async () => {
    if (document.visibilityState !== 'visible') return;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const page = await fetchedPage(location.href, { cache: 'no-cache', signal });
      for (const element of elements) element.show(page);
      away = undefined;
      showAway(undefined);
    } catch {
      away ??= new Date();
      showAway(away);
    }
  };
  let timer = setTimeout(again, INTERVAL_MS);
  let began = 0;
  /** Has a hint come since the page was asked for last? */
  let isHinted = false;
  async function again(): Promise<void> {
    [began, isHinted] = [performance.now(), false];
    await refresh();
    tellTime(document);
    const usual = hintsCome() ? HINTED_MS : INTERVAL_MS;
    // A page that takes long to make is asked for less often.
    const pause = Math.max(isHinted ? LEAST_MS : usual, 10 * (performance.now() - began));
    clearTimeout(timer);
    timer = setTimeout(again, pause);
  }
  followHints(() => {
    isHinted = true;
    clearTimeout(timer);
    timer = setTimeout(again, Math.max(0, began + LEAST_MS - performance.now()));
  });
  document.addEventListener('visibilitychange', refresh);
}

/** Says at once that what is shown is not how things are: nothing stays green when nobody answers. */
function showAway(since: Date | undefined): void {
  document.body.classList.toggle('away', since !== undefined);
  const alert = document.getElementById('away');
  const live = document.getElementById('live');
  const text = since
    ? `The node does not answer since ${since.toLocaleTimeString()}. What you see is how it was then.`
    : '';
  if (alert && alert.textContent !== text) alert.textContent = text;
  if (alert) alert.hidden = since === undefined;
  if (live) live.textContent = since ? '' : 'Live.';
}

/** An element that is kept up to date, with what the server has sent of it. */
class LiveElement {
  readonly #element: HTMLElement;
  /** What the server has sent of each child that has a key, and of the rest. The page itself may look different. */
  #sent: ReadonlyMap<string, string>;

  constructor(element: HTMLElement) {
    this.#element = element;
    this.#sent = sentBy(element);
  }

  show(page: Document): void {
    const next = page.getElementById(this.#element.id);
    if (!next) return;
    const sent = sentBy(next);
    const focused = document.activeElement?.getAttribute('href');
    if (![...sent.keys()].every((key) => key === '')) this.#replaceChildren(next, sent);
    else if (sent.get('') !== this.#sent.get('')) this.#element.replaceChildren(...next.childNodes);
    this.#sent = sent;
    this.#focusAgain(focused);
  }

  /** Children that the server has sent before as they are stay, so that a selection in them is not lost. */
  #replaceChildren(next: HTMLElement, sent: ReadonlyMap<string, string>): void {
    const present = new Map(keyed(this.#element));
    const children = keyed(next).map(([key, child]) => {
      const old = present.get(key);
      return old && this.#sent.get(key) === sent.get(key) ? old : child;
    });
    const isSame =
      children.length === present.size && children.every((child, i) => child === this.#element.children[i]);
    if (!isSame) this.#element.replaceChildren(...children);
  }

  /** A link that was replaced by its like keeps the focus. */
  #focusAgain(href: string | null | undefined): void {
    if (!href || document.activeElement !== document.body) return;
    const links = this.#element.querySelectorAll<HTMLElement>('a[href]');
    [...links].find((link) => link.getAttribute('href') === href)?.focus();
  }
}

function keyed(element: Element): [string, Element][] {
  return [...element.children].map((child) => [child.getAttribute('data-key') ?? '', child]);
}

function sentBy(element: Element): Map<string, string> {
  const children = keyed(element).filter(([key]) => key !== '');
  if (children.length === 0) return new Map([['', element.innerHTML]]);
  return new Map(children.map(([key, child]) => [key, child.outerHTML]));
}
