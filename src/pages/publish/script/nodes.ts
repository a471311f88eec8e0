import { type Expected, type Listed, listedOn, listedSince, type Since } from '../../../publish/receipt.js';
import { element, say } from '../../browser/element.js';
import { tellTime } from '../../browser/relative-time.js';
import { strangersFetch } from './own-node.js';

/** How long the nodes are asked again and again, in ms. */
const PATIENCE_MS = 300_000;

/** The rows of nodes on the page, by the base URL of each. */
function nodeRows(): Map<string, HTMLElement> {
  const rows = [...document.querySelectorAll<HTMLElement>('#nodes > [data-node]')];
  return new Map(rows.map((row) => [row.dataset.node ?? '', row]));
}

/** Since when each node has listed a component of a document in its present form. */
export async function currentListings(document: string, uri: string): Promise<Map<string, Since>> {
  const asking = { fetch: strangersFetch, signal: new AbortController().signal };
  const asked = [...nodeRows().keys()].map(
    async (node) => [node, await listedSince(node, document, [uri], asking)] as const,
  );
  return new Map(await Promise.all(asked));
}

/** Asks the nodes of the page until all of them have what was written, and shows what they say. */
export async function follow(expected: Expected, signal: AbortSignal): Promise<void> {
  const rows = nodeRows();
  const began = performance.now();
  const isGone = expected.components.length === 0;
  let [listing, asked] = [0, 0];
  const tell = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    const what = isGone ? 'list it no more' : 'list it as it is now';
    const more = asked === rows.size ? '' : ' Asking again …';
    say('listing', `${listing} of ${rows.size} nodes ${what}, after ${seconds} s.${more}`);
  };
  tell();
  const looks = [...rows].map(async ([node, row]) => {
    const said = (listed: Listed) => showSaid(row, listed, isGone);
    const asking = {
      fetch: strangersFetch,
      now: () => Date.now(),
      sleep,
      patienceMs: PATIENCE_MS,
      signal,
      said,
    };
    const { listed } = await listedOn(node, expected, asking);
    asked += 1;
    if (listed) listing += 1;
    tell();
  });
  await Promise.all(looks).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Writes into its row what a node says. */
function showSaid(row: HTMLElement, { listed, since, reason }: Listed, isGone: boolean): void {
  const words = isGone === listed ? 'does not list it' : 'lists it';
  const state = element('span', { class: `state ${listed ? 'ok' : 'waiting'}` }, words);
  const time = since === undefined ? [] : [' since ', element('time', { datetime: since }, since)];
  const why = reason === undefined ? undefined : element('small', {}, reason);
  row.querySelector('.said')?.replaceChildren(state, ...time, ...(why ? [why] : []));
  tellTime(row);
}
