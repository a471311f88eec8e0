import { systemClock } from '../../../lib/clock.js';
import { type Expected, type Listed, listedOn, listedSince, type Since } from '../../../publish/receipt.js';
import { element, say } from '../../browser/element.js';
import { tellTime } from '../../browser/relative-time.js';
import { strangersFetch } from './own-node.js';

/** How long the nodes are asked again and again, in ms. */
const PATIENCE_MS = 300_000;

/** The rows of nodes on the page, with the base URL of each. */
function nodeRows() {
  const rows = [...document.querySelectorAll<HTMLElement>('#nodes > li')];
  return rows.map((row) => ({ row, node: row.dataset.node ?? '' }));
}

/** Since when each node has listed a component of a document in its present form. */
export async function currentListings(document: string, uri: string): Promise<Map<string, Since>> {
  const asking = { fetch: strangersFetch, signal: new AbortController().signal };
  const asked = nodeRows().map(
    async ({ node }) => [node, await listedSince(node, document, [uri], asking)] as const,
  );
  return new Map(await Promise.all(asked));
}

/** Asks the nodes of the page until all of them have what was written, and shows what they say. */
export async function follow(expected: Expected, signal: AbortSignal): Promise<void> {
  const rows = nodeRows();
  const isGone = expected.components.length === 0;
  let listing = 0;
  const tell = () => {
    const what = isGone ? 'list it no more' : 'list it as it is now';
    say('listing', `${listing} of ${rows.length} nodes ${what}.`);
  };
  tell();
  const asking = { ...systemClock, fetch: strangersFetch, patienceMs: PATIENCE_MS, signal };
  const looks = rows.map(async ({ node, row }) => {
    const [component] = expected.components;
    const page = component && `${node}/c/${encodeURIComponent(component.uri)}`;
    const said = (listed: Listed) => showSaid(row, listed, page);
    const { listed } = await listedOn(node, expected, { ...asking, said });
    if (listed) listing += 1;
    tell();
  });
  await Promise.all(looks).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Writes into its row what a node says. @param page of the component on that node, unless it is gone */
function showSaid(row: HTMLElement, { listed, since, reason }: Listed, page: string | undefined): void {
  const isListed = listed === (page !== undefined);
  const known = page === undefined ? 'lists it' : element('a', { href: page }, 'lists it');
  const words = isListed ? known : 'does not list it';
  const state = element('span', { class: `state ${listed ? 'ok' : 'waiting'}` }, words);
  const began = { datetime: since, 'data-since': '' };
  const time = since === undefined ? [] : [' ', element('time', began, `since ${since}`)];
  const why = reason === undefined ? '' : element('small', {}, reason);
  row.querySelector('.said')?.replaceChildren(state, ...time, why);
  tellTime(row);
}
