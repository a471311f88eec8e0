import { expect, test } from 'vitest';
import { type Said, simple, specOnlyPeer } from '../support/peer/fake-peer.js';
import { type NetworkNode, networkNodes } from './adapters/in-process-node.js';

const CARD: Said = {
  ...simple('card', 'Card'),
  ...{ author: ['Ann'], tag: ['card'], version: '1.0.0', latest: true },
  shapes: ['http://xmlns.com/foaf/0.1/Person'],
};
const LIST: Said = { ...simple('list', 'List'), tag: ['a', 'b'] };

/** The components that a reader finds who knows the specification and nothing else. */
async function readBySpecification(node: NetworkNode): Promise<[uri: string, label: string][]> {
  const listing = await node.getJson<Record<string, unknown>[]>('/component');
  return listing.map((object) => {
    const [, after = ''] = String(object['@id']).split(/\/c\/(.*)/);
    const [label] = object['http://semcom.digita.ai/voc#label'] as { '@id': string }[];
    return [after, label?.['@id'] ?? ''];
  });
}

test('the mirror of a node that implements just the specification shows what it has, follows it, and serves while it is down, also after a restart', async () => {
  const other = await specOnlyPeer(CARD, LIST);
  const [mirror] = (await networkNodes(1)) as [NetworkNode];
  other.peers = ['https://peer.example'];
  const settings = { mode: 'mirror', peers: [other.url] };
  await mirror.start(settings);
  await mirror.sync();
  expect(await mirror.getJson(`/c/${CARD.uri}`)).toMatchObject(CARD);
  expect(await mirror.peers()).toEqual(['https://peer.example']);

  other.says(LIST);
  await mirror.sync();
  expect(await readBySpecification(mirror)).toEqual([[LIST.uri, 'List']]);
  await other.server.close();
  await mirror.sync();
  await mirror.stop();
  await mirror.start(settings);
  expect(await mirror.uris()).toEqual([LIST.uri]);
  expect(await mirror.source(other.url)).toMatchObject({ state: 'failing' });
});
