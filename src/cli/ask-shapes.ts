import { createInterface } from 'node:readline/promises';
import * as z from 'zod';
import { canonicalShapes } from '../component/canonical-shape.js';
import type { FlagValues } from '../lib/command-line.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { wordsOf } from './flag-values.js';
import { DEFAULT_NODE } from './flags.js';
import type { Terminal } from './runnable-verb.js';

/**
 * Asks what an element renders, with completion from what a node knows.
 * @param what the element is called, when there are several
 * @throws Error that says how to give it, where there is no terminal
 */
export async function askShapes(
  { node }: FlagValues,
  fetch: GuardedFetch,
  { note }: Terminal,
  what = 'it',
): Promise<string[]> {
  if (!process.stdin.isTTY)
    throw new Error('name what the element renders: --shape <iri>, several times for several');
  const known = await knownShapes(wordsOf(node)?.[0] ?? DEFAULT_NODE, fetch);
  note(`What does ${what} render?${known.length > 0 ? ' Tab completes what the registry knows.' : ''}`);
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
    completer: (line: string): [string[], string] => [known.filter((iri) => iri.includes(line)), line],
  });
  try {
    const answer = await terminal.question(
      'shape (IRI, or a name like foaf:Person; several with spaces between): ',
    );
    const shapes = wordsOf(answer) ?? [];
    if (shapes.length === 0) throw new Error('a component without a shape is found by nobody: name one');
    return shapes;
  } finally {
    terminal.close();
  }
}

/** How long somebody who is asked waits for a node that may not be there, in ms. */
const PATIENCE_MS = 3000;
const listing = z.array(z.object({ shapes: z.array(z.string()).optional() }).loose());

/** The shapes of the components at a node, the most frequent first; none when it cannot be asked. */
async function knownShapes(node: string, fetch: GuardedFetch): Promise<string[]> {
  try {
    const url = `${withoutTrailingSlashes(node)}/component?limit=1000`;
    const answer = await fetch(url, { trust: 'configured', turn: 'none', timeoutMs: PATIENCE_MS });
    if (answer.status !== 200) {
      await answer.discard();
      return [];
    }
    const counts = new Map<string, number>();
    const read = listing.safeParse(JSON.parse(await answer.text()));
    for (const { shapes = [] } of read.success ? read.data : [])
      for (const shape of canonicalShapes(shapes)) counts.set(shape, (counts.get(shape) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one).map(([shape]) => shape);
  } catch {
    // The completion is a help: without it, people type.
    return [];
  }
}
