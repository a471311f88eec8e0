import { expect, it } from 'vitest';
import { listingTask } from '../../../src/sync/peer/listing-task.js';
import { processorTime } from '../../support/processor-time.js';
import { VOCABULARY } from '../../support/registry.js';

const { namespace, predicates } = VOCABULARY;
const GRAPHS = 2_000;

/** Ms of the processor that it takes to read so many lines of 2 kB, in graphs named after `graphOf`. */
async function cost(graphOf: (line: number) => number): Promise<number> {
  const lines = Array.from({ length: GRAPHS }, (_, i) => {
    const graph = `http://h.example/${'/'.repeat(1_900)}${graphOf(i)}`;
    return `<http://c.example/${i}.js> <${predicates.label}> "x" <${graph}>.\n`;
  });
  const body = {
    text: lines.join(''),
    mediaType: 'application/n-quads',
    base: 'http://p.example',
    namespace,
  };
  const busyMs = processorTime();
  let components = 0;
  for await (const { statements = [] } of listingTask.run(body))
    for (const statement of statements) components += statement.components?.length ?? 0;
  expect(components).toBe(GRAPHS);
  return busyMs();
}

it('what a page of a listing costs is linear in its length, however many documents are on it', async () => {
  const ofOne = await cost(() => 0);
  // Looking through the page once for each document took ten times as long.
  expect(await cost((line) => line)).toBeLessThan(3 * ofOne + 200);
});
