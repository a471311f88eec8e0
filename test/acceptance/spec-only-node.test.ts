import { beforeEach, describe, expect, test } from 'vitest';
import { type SpecComponent, type SpecOnlyNode, specOnlyNode } from '../support/peer/spec-only-node.js';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

const uri = (name: string) => `https://c.example/${name}.js`;
const CARD: SpecComponent = {
  uri: uri('card'),
  label: 'Card',
  author: ['Ann'],
  tag: ['card'],
  version: '1.0.0',
  latest: true,
  shapes: ['http://xmlns.com/foaf/0.1/Person'],
};
const LIST: SpecComponent = { uri: uri('list'), label: 'List', tag: ['a', 'b'], shapes: [] };

/** The components that a reader finds who knows the specification and nothing else. */
async function readBySpecification(node: NetworkNode): Promise<[uri: string, label: string][]> {
  const listing = await node.json<Record<string, unknown>[]>('/component');
  return listing.map((object) => {
    const [, after = ''] = String(object['@id']).split(/\/c\/(.*)/);
    const [label] = object['http://semcom.digita.ai/voc#label'] as { '@id': string }[];
    return [after, label?.['@id'] ?? ''];
  });
}

let other: SpecOnlyNode;
beforeEach(async () => {
  other = await specOnlyNode({ components: [CARD, LIST] });
});

describe('a node that implements just the specification is a peer', () => {
  test('whose edits, deletions and lists are followed, and which changes nothing while nothing changes', async () => {
    const [node] = (await networkNodes(1)) as [NetworkNode];
    await node.start({ peers: [other.url], discovery: { depth: 1 } });
    await node.publish({ uri: uri('own'), label: 'Own' });
    await node.sync();
    const before = await node.revision();
    await node.sync();
    expect(await node.revision()).toEqual(before);

    other.components.delete(LIST.uri);
    other.components.set(CARD.uri, { ...CARD, label: 'Card of today' });
    other.storage = ['https://pod.example/components/'];
    await node.sync(other.url);
    expect(await readBySpecification(node)).toEqual([
      [CARD.uri, 'Card of today'],
      [uri('own'), 'Own'],
    ]);
    expect(await node.storage()).toEqual(['https://pod.example/components/']);
    other.components.clear();
    await node.sync(other.url);
    expect(await node.uris()).toEqual([uri('own')]);
  });
});

describe('a mirror of a node that implements just the specification', () => {
  test('shows what it has, follows it, and serves while it is down', async () => {
    const [mirror] = (await networkNodes(1)) as [NetworkNode];
    other.peers = ['https://peer.example'];
    await mirror.start({ mode: 'mirror', peers: [other.url] });
    await mirror.sync();
    expect(await mirror.json(`/c/${CARD.uri}`)).toMatchObject(CARD);
    expect(await mirror.peers()).toEqual(['https://peer.example']);
    const before = await mirror.revision();
    await mirror.sync();
    expect(await mirror.revision()).toEqual(before);

    other.components.delete(CARD.uri);
    await mirror.sync();
    expect(await readBySpecification(mirror)).toEqual([[LIST.uri, 'List']]);
    await other.server.close();
    await mirror.sync();
    expect(await mirror.uris()).toEqual([LIST.uri]);
    expect(await mirror.source(other.url)).toMatchObject({ state: 'failing' });
  });
});
