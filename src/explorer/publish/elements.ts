import { withoutStop } from '../../lib/sentence.js';
/** The element of the page with this id. @throws Error where the page has none: then page and script do not belong together */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as E;
}

/** Says something in a place that screen readers read out. */
export function say(id: string, text: string, isAlert = false): void {
  const place = byId(id);
  place.textContent = text;
  place.classList.toggle('alert', isAlert);
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Does something for a click or a change; what goes wrong is said there. */
export async function attempt(place: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    say(place, `${withoutStop(wordsOf(error))}.`, true);
  }
}
