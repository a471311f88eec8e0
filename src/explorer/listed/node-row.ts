import { tellTime } from '../relative-time.js';
import type { Said } from './ask-node.js';

/** The rows of nodes on a page, by the base URL of each. */
export function nodeRows(): Map<string, HTMLElement> {
  const rows = [...document.querySelectorAll<HTMLElement>('#nodes > [data-node]')];
  return new Map(rows.map((row) => [row.dataset.node ?? '', row]));
}

const WORDS = { listed: 'lists it', absent: 'does not list it', silent: 'cannot be asked' } as const;
const LOOKS = { listed: 'ok', absent: 'waiting', silent: 'failing' } as const;

/** Writes into its row what a node says of a component. */
export function showSaid(row: HTMLElement, said: Said): void {
  const place = row.querySelector('.said');
  if (!place) return;
  const state = document.createElement('span');
  state.className = `state ${LOOKS[said.is]}`;
  state.textContent = WORDS[said.is];
  const parts: (Node | string)[] = [state];
  if (said.is === 'listed' && said.since !== undefined) {
    const time = document.createElement('time');
    time.dateTime = said.since;
    time.textContent = said.since;
    parts.push(' since ', time);
  }
  if (said.why !== undefined) parts.push(small(said.why));
  if (said.is === 'listed' && said.document !== undefined) parts.push(small(`as ${said.document} says`));
  place.replaceChildren(...parts);
  tellTime(row);
}

function small(text: string): HTMLElement {
  const element = document.createElement('small');
  element.textContent = text;
  return element;
}
