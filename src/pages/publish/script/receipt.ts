import { say } from '../../browser/element.js';
import { askNode, type Said, whyUnread } from './ask-node.js';
import { nodeRows, showSaid } from './node-row.js';

/** How long the nodes are asked again and again, in ms, and how the pauses grow. */
const PATIENCE_MS = 300_000;
const [FIRST_MS, LONGEST_MS, GROWTH] = [500, 10_000, 1.3];

/** Since when each node has listed a component in one form; undefined where it does not. */
export type Listings = ReadonlyMap<string, string | undefined>;

/** What has become of a description that was just written. */
export interface Expected {
  readonly uri: string;
  /** URL of the document that says it. */
  readonly document: string;
  /** As it was before. */
  readonly before: Listings;
  /** Has it been withdrawn? */
  readonly isGone: boolean;
}

export async function currentListings(uri: string): Promise<Listings> {
  const asked = [...nodeRows().keys()].map(async (node) => {
    const said = await askNode(node, uri);
    return [node, said.is === 'listed' ? said.since : undefined] as const;
  });
  return new Map(await Promise.all(asked));
}

/** Asks the nodes of the page until all of them have what was written, and shows what they say. */
export async function follow(expected: Expected, signal: AbortSignal): Promise<void> {
  const rows = [...nodeRows()];
  const began = performance.now();
  for (let pause = FIRST_MS; !signal.aborted; pause = Math.min(LONGEST_MS, pause * GROWTH)) {
    const done = await Promise.all(rows.map(([node, row]) => look(node, row, expected)));
    if (signal.aborted) return;
    const count = done.filter(Boolean).length;
    const seconds = Math.round((performance.now() - began) / 1000);
    const what = expected.isGone ? 'list it no more' : 'list it as it is now';
    const isOver = count === rows.length || performance.now() - began > PATIENCE_MS;
    say(
      'listing',
      `${count} of ${rows.length} nodes ${what}, after ${seconds} s.${isOver ? '' : ' Asking again …'}`,
    );
    if (isOver) return;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Does the node have what was written? */
async function look(
  node: string,
  row: HTMLElement,
  { uri, document, before, isGone }: Expected,
): Promise<boolean> {
  const said = await askNode(node, uri);
  const isOurs = said.is === 'listed' && (said.document === undefined || said.document === document);
  const isOld = said.is === 'listed' && said.since !== undefined && said.since === before.get(node);
  if (isGone || (isOurs && !isOld)) {
    showSaid(row, said);
    return isGone ? said.is === 'absent' : true;
  }
  showSaid(row, await explained(node, document, said, isOld));
  return false;
}

/** Why a node does not have it yet, as far as it knows. */
async function explained(node: string, document: string, said: Said, isOld: boolean): Promise<Said> {
  if (said.is === 'silent') return said;
  if (said.is === 'listed') return isOld ? { ...said, why: 'still as it was' } : said;
  // Peers need not read the pod: they take the description from this node.
  if (node !== [...nodeRows().keys()][0]) return said;
  const why = await whyUnread(node, document).catch(() => undefined);
  return why === undefined ? said : { is: 'absent', why };
}
