import { expect, it } from 'vitest';
import { listingTask } from '../../../src/sync/peer/listing-task.js';
import { expectLinear } from '../../support/processor-time.js';
import { VOCABULARY } from '../../support/registry.js';

const { namespace, predicates } = VOCABULARY;

/** Reads so many lines of 2 kB, each in a graph of its own. */
async function readGraphs(count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, i) => {
    const graph = `http://h.example/${'/'.repeat(1_900)}${i}`;
    return `<http://c.example/${i}.js> <${predicates.label}> "x" <${graph}>.\n`;
  });
  const body = {
    text: lines.join(''),
    mediaType: 'application/n-quads',
    base: 'http://p.example',
    namespace,
  };
  let components = 0;
  for (const statement of (await listingTask.run(body)).statements)
    components += statement.components?.length ?? 0;
  expect(components).toBe(count);
}

it('what a page of a listing costs is linear in its length, however many documents are on it', async () => {
  await expectLinear(700, readGraphs);
});
