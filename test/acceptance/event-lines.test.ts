import { expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type AnyNode, metric, publish } from '../support/node/node-reader.js';
import { waitFor } from '../support/wait-for.js';
import { startInProcess } from './adapters/in-process-node.js';

let changes = 0;
/** Changes something, and gives the cursor that it led to. */
async function change(node: AnyNode): Promise<string> {
  changes += 1;
  await publish(node, { uri: 'https://c.example/a.js', label: `Label ${changes}` });
  return (await fetch(`${node.url}/feed`)).headers.get('feed-cursor') ?? '';
}

it('an EventSource hears of each change, and goes on where it was when the node comes back', async () => {
  const { EventSource } = await import('undici');
  const node = await startInProcess({ config: { write: 'open' } });
  const first = await change(node);
  const source = new EventSource(`${node.url}/feed`);
  cleanup(() => source.close());
  const heard: unknown[] = [];
  source.onmessage = ({ data, lastEventId }) => heard.push([data, lastEventId]);
  await waitFor(() => heard.length === 1);
  await node.stop();
  await node.start();
  await waitFor(async () => (await metric(node, 'registry_feed_readers')) === 1);
  const second = await change(node);
  await waitFor(() => heard.length === 2);
  expect(heard).toEqual([
    [first, first],
    [second, second],
  ]);
});

it('lines of events end when the node stops, which does not take longer for them', async () => {
  const node = await startInProcess({ config: { write: 'open' } });
  const line = await fetch(`${node.url}/feed`, { headers: { accept: 'text/event-stream' } });
  const began = performance.now();
  await node.stop();
  // A line that is cut when the time for requests in flight is over has no end, and cannot be read to it.
  expect(await line.text()).toMatch(/^:/);
  expect(performance.now() - began).toBeLessThan(3_000);
});
