import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { createLog } from '../../src/lib/log.js';
import { createNode } from '../../src/node.js';
import {
  EARLIER_BASE,
  EARLIER_DIGEST,
  EARLIER_HASH,
  EARLIER_LINK,
  EARLIER_SAID,
  EARLIER_TIME,
  EARLIER_TOKEN,
  writeEarlierData,
} from '../support/earlier-data.js';
import { heldPort } from '../support/held-port.js';
import { tempDir } from '../support/temp-dir.js';

/** Runs a node on the data directory for so long. */
async function onNode<T>(dataDir: string, task: (url: string) => Promise<T>): Promise<T> {
  const port = await heldPort();
  const config = parseConfig(
    { dataDir, baseUrl: EARLIER_BASE, listen: { port }, connection: { enabled: true } },
    { directory: dataDir, env: { REGISTRY_OPERATOR_TOKEN: 'operator-token-of-this-test' } },
  );
  const node = createNode(config, { log: createLog({ level: 'silent' }) });
  await node.start();
  try {
    return await task(`http://127.0.0.1:${port}`);
  } finally {
    await node.stop();
  }
}

/** All that clients see of it. */
async function seen(url: string) {
  const get = async (path: string, token?: string) => {
    const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    const response = await fetch(url + path, { headers: { accept: 'application/json', ...authorization } });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every kind, judged by the tests below
    return (response.status === 200 ? response.json() : response.status) as Promise<any>;
  };
  return {
    listing: await get('/component'),
    sources: await get('/feed/sources'),
    feed: await get('/feed'),
    connections: await get('/connection/', EARLIER_TOKEN),
    invites: await get('/invite/', EARLIER_TOKEN),
    link: (await fetch(url + EARLIER_LINK)).status,
  };
}

describe.each([4, 5, 6] as const)('a data directory of layout %i', (layout) => {
  let first: Awaited<ReturnType<typeof seen>>;
  let again: typeof first;
  beforeAll(async () => {
    const dataDir = join(await tempDir(), 'data');
    await writeEarlierData(dataDir, layout);
    first = await onNode(dataDir, seen);
    again = await onNode(dataDir, seen);
  });

  it('has the statements that were posted, with their dates, and nothing else', () => {
    const said = [...EARLIER_SAID.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
    const since = new Date(EARLIER_TIME).toISOString();
    expect(first.listing).toMatchObject(said.map((one) => ({ ...one, since, source: { kind: 'local' } })));
    // What anybody had promised was a pin in 0.1.0, and is forgotten; what was seen since is not.
    const pins = first.listing.flatMap(({ pin }: { pin?: { integrity: string } }) => pin?.integrity ?? []);
    expect(pins).toEqual(layout === 4 ? [] : [EARLIER_HASH]);
  });

  it('has the digest that version 0.1.0 gave to them, and their order', () => {
    expect(first.sources.sources).toMatchObject([{ kind: 'local', count: 4, digest: EARLIER_DIGEST }]);
    const places = first.feed.changes.map((one: { position: number; uri: string }) => [
      one.position,
      one.uri,
    ]);
    expect(places).toEqual([...EARLIER_SAID].map(([position, { uri }]) => [position, uri]));
  });

  it('has its connections and invites, for the tokens and links that were given out', () => {
    expect(first.connections).toMatchObject([{ configuration: { accessToken: 'abc' }, state: 'CONNECTED' }]);
    expect(first.invites).toMatchObject([{ purpose: 'https://research.example/sleep', state: 'not linked' }]);
    expect(first.link).toBe(200);
  });

  it('is the same after the next start', () => expect(again).toEqual(first));
});
