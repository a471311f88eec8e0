import fc from 'fast-check';
import { expect } from 'vitest';
import { pinKey } from '../../src/component/pin.js';
import type { StoredPin } from '../../src/core/pins.js';
import { forgetPins } from '../../src/registry/pins.js';
import { BASE_URL, component } from '../support/registry.js';
import { anyChange, anyLook, anySource, heardSource } from './any-change.js';
import { anyQuery, pick, pinned, someMetadata, someUris } from './any-metadata.js';
import { CRASHES } from './crashes.js';
import { READERS, step } from './modelled-registry.js';
import { matching } from './questions.js';
import { PEER, POD_A, POD_B } from './sources.js';

const DAY = 86_400_000;

/** What may happen to a registry in random histories (`histories.ts`). */
export const anyStep = fc.oneof(
  step(
    8,
    'poll',
    { source: heardSource, changes: fc.array(anyChange, { minLength: 1, maxLength: 2 }) },
    async ({ source, changes }, at) => {
      const { outcomes, wanted } = await at.polls(source, changes);
      expect(outcomes).toEqual(wanted);
    },
  ),
  step(4, 'post', { put: someMetadata, remove: someUris }, async (amend, at) => at.posts(amend)),
  step(1, 'forget', { source: anySource }, async ({ source }, { node, model }) => {
    await node.forget(source);
    model.forget(source);
  }),
  step(1, 'network', { hops: fc.nat(2) }, async ({ hops }, { node, model }) => {
    const peers = hops === 0 ? [] : [{ url: 'https://p.example', hops, via: [] }];
    model.network = { peers, storage: [] };
    await node.setNetwork(model.network);
  }),
  // Twice at once: each decision knows of the one before.
  step(3, 'pin', { look: anyLook }, async ({ look: [subject, decide] }, { node, model }) => {
    await Promise.all([1, 2].map(() => node.pins.change([subject], decide)));
    for (const _ of [1, 2]) model.look(subject, decide);
  }),
  step(2, 'forget pins', pinned, async ({ name, version }, { node, model }) => {
    const { uri } = component(name);
    const isMeant = (pin: StoredPin) => pin.uri === uri && (version === undefined || pin.version === version);
    const meant = [...model.pins.values()].filter(isMeant);
    expect(await forgetPins(node.pins, uri, version)).toBe(meant.length);
    for (const pin of meant) model.pins.delete(pinKey(pin));
  }),
  step(
    3,
    'follow',
    { reader: fc.nat(READERS - 1), limit: fc.integer({ min: 1, max: 4 }) },
    async ({ reader, limit }, { readers, node, model }) => readers[reader]?.follow(node, model.now, limit),
  ),
  // Mostly so long that removals are forgotten.
  step(2, 'time', { passed: pick(-DAY / 24, DAY, 200 * DAY, 200 * DAY) }, async ({ passed }, { model }) => {
    model.now += passed;
  }),
  step(
    2,
    'restart',
    {
      pods: pick([POD_A.url, POD_B.url], [POD_B.url, POD_A.url], [POD_A.url]),
      peers: pick([PEER.url], [PEER.url], []),
      baseUrl: pick(BASE_URL, 'http://elsewhere.example'),
      put: someMetadata,
      query: anyQuery,
    },
    async ({ pods, peers, baseUrl, put, query }, at) => {
      await at.reopen({ baseUrl, order: { pods, peers } });
      // Something is asked and posted while this start has not made its index yet.
      const listed = () => matching(at.model.everything(), query).map(([{ metadata }]) => metadata);
      const before = listed();
      const [found] = await Promise.all([at.node.list(query), at.posts({ put })]);
      expect([before, listed()]).toContainEqual(found);
    },
  ),
  ...CRASHES,
);
