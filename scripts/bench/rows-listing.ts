import { request } from 'node:http';
import type { Row } from './row.js';
import { ratios } from './statistics.js';
import type { World } from './world.js';

/** Reads an answer to its end, without looking at it: milliseconds and bytes. */
function download(url: string, headers: Record<string, string> = {}): Promise<{ ms: number; bytes: number }> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ ms: performance.now() - started, bytes }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

async function measureListing(world: World, prepare: (url: string) => Promise<unknown>) {
  const [node, floorPort] = [await world.sharedNode(), await world.floorPort()];
  const url = `${node.url}/component`;
  const { bytes } = await download(url);
  const floorUrl = `http://127.0.0.1:${floorPort}/${bytes}`;
  await download(floorUrl);
  const figures = { ms: [] as number[], 'floor ms': [] as number[], MB: [bytes / 1e6] };
  for (let round = 0; round < world.size.rounds; round++) {
    figures['floor ms'].push((await download(floorUrl)).ms);
    await prepare(node.url);
    figures.ms.push((await download(url)).ms);
  }
  return { values: ratios(figures.ms, figures['floor ms']), unit: '× the floor', figures };
}

export const LISTING: readonly Row[] = [
  {
    name: 'full listing, unchanged',
    floor: 'node:http, one Buffer of the same size',
    target: { most: 1.3 },
    meaning: 'time of GET /component as JSON, everything, read to the end',
    measure: (world) => measureListing(world, async () => undefined),
  },
  {
    name: 'full listing, first after a change',
    floor: 'node:http, one Buffer of the same size',
    target: { most: 3 },
    meaning: 'the same, right after one component was posted',
    measure: (world) => {
      let round = 0;
      return measureListing(world, async (url) => {
        round += 1;
        const response = await fetch(`${url}/component`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ uri: 'https://cdn.example.net/posted.js', label: `Posted ${round} times` }),
        });
        if (!response.ok) throw new Error(`posting failed: ${response.status}`);
      });
    },
  },
];
