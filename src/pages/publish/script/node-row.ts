import { element } from '../../browser/element.js';
import { tellTime } from '../../browser/relative-time.js';
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
  const { since, document: describedIn } = said.is === 'listed' ? said : {};
  const parts: (Node | string)[] = [element('span', { class: `state ${LOOKS[said.is]}` }, WORDS[said.is])];
  if (since !== undefined) parts.push(' since ', element('time', { datetime: since }, since));
  if (said.why !== undefined) parts.push(element('small', {}, said.why));
  if (describedIn !== undefined) parts.push(element('small', {}, `as ${describedIn} says`));
  place.replaceChildren(...parts);
  tellTime(row);
}
