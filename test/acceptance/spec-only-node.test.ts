import { expect, test } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { component, listedUris, statusOf, sync } from '../support/node/node-reader.js';
import { simple, specOnlyPeer } from '../support/peer/fake-peer.js';
import { NETWORKED, startInProcess } from './adapters/in-process-node.js';

const CARD: Metadata = {
  ...simple('card', 'Card'),
  ...{ author: ['Ann'], tag: ['card'], version: '1.0.0', latest: true },
  shapes: ['http://xmlns.com/foaf/0.1/Person'],
};
const LIST: Metadata = { ...simple('list', 'List'), tag: ['a', 'b'] };

test.each(['registry', 'mirror'])(
  'a %s shows what a node has that knows just the specification, follows it, and serves while it is down, also after a restart',
  async (mode) => {
    const other = await specOnlyPeer(CARD, LIST);
    other.peers = ['https://peer.example'];
    const node = await startInProcess({ config: { ...NETWORKED, write: 'off', mode, peers: [other.url] } });
    await sync(node);
    expect(await component(node, CARD.uri)).toMatchObject(CARD);
    expect(await node.getJson('/peers')).toContain('https://peer.example');

    other.says(LIST);
    await sync(node);
    expect(await listedUris(node)).toEqual([LIST.uri]);
    await other.server.close();
    await sync(node);
    await node.stop();
    await node.start();
    expect(await listedUris(node)).toEqual([LIST.uri]);
    expect(await statusOf(node, other.url)).toMatchObject({ state: 'failing' });
  },
);
