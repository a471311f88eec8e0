import { createInterface } from 'node:readline/promises';
import type { FlagValues } from '../lib/command-line.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { wordsOf } from './flag-text.js';
import { knownShapes } from './known-shapes.js';
import { DEFAULT_NODE } from './query-node.js';
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
    ...{ input: process.stdin, output: process.stderr },
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
