import { withoutStop } from '../../lib/sentence.js';
import { byId, wordsOf } from '../element.js';
/** Says something in a place that screen readers read out. */
export function say(id: string, text: string, isAlert = false): void {
  const place = byId(id);
  place.textContent = text;
  place.classList.toggle('alert', isAlert);
}

/** Does something for a click or a change; what goes wrong is said there. */
export async function attempt(place: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    say(place, `${withoutStop(wordsOf(error))}.`, true);
  }
}
