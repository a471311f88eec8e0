import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import { precedenceOf } from '../../src/core/precedence.js';
import { DigestMismatch } from '../../src/core/source-digests.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import { withoutPause } from '../../src/lib/pace.js';
import type { SourceChange } from '../../src/registry/source-change.js';
import { createMemoryStore } from '../../src/store/memory/memory-store.js';
import { portioned } from '../../src/sync/portioned.js';
import { authority } from '../registry/sources.js';
import { registryOptions, TestRegistry } from '../support/registry.js';
import { component } from '../support/registry-app.js';

const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const precedence = precedenceOf({ pods: [], peers: [PEER.url] });
const open = async () => new TestRegistry(await createMemoryStore().load(registryOptions({ precedence })));
const many = (count: number, label: string): Metadata[] =>
  Array.from({ length: count }, (_, i) => component(`https://c.example/${label}/${i}.js`, { label }));

describe('a registry whose changes are made in portions', () => {
  it('comes to the same as one that makes them in one go', async () => {
    const changes: SourceChange[] = [
      {
        source: PEER,
        documents: [
          { url: 'https://a.example/', components: many(4500, 'a'), record: { of: 'pod a' } },
          ...Array.from({ length: 30 }, (_, i) => ({
            url: `https://b.example/${i}`,
            components: many(i * 10, `b${i}`),
            record: {},
          })),
        ],
        record: () => ({ failures: 0, lastSuccess: 5 }),
      },
      {
        source: PEER,
        documents: [
          {
            url: 'https://a.example/',
            amend: {
              put: many(4600, 'a').map((one) => ({ ...one, version: '2' })),
              remove: ['https://c.example/a/1.js'],
            },
            record: { of: 'pod a', authority: authority(1) },
          },
          { url: 'https://b.example/3', record: null },
          { url: 'https://b.example/4', record: { etag: '"x"' } },
        ],
        record: (record) => ({ ...record, lastSuccess: 6 }),
      },
    ];
    const [whole, parts] = [await open(), await open()];
    for (const change of changes) {
      const count = await portioned(parts, withoutPause).commit(change);
      expect(count).toEqual(await whole.commit(change));
    }
    const state = async (registry: TestRegistry) => [
      await registry.source(PEER),
      (await registry.everything()).map(({ document, metadata }) => [document, metadata]),
      (await registry.state()).feed.digest,
    ];
    expect(await state(parts)).toEqual(await state(whole));
  });

  it('makes small ones, and gives way to other work after each', async () => {
    const registry = await open();
    const steps: (number | 'pause')[] = [];
    const watched = {
      ...{ source: registry.source, forget: registry.forget },
      commit: (change: SourceChange) => {
        const stored = change.documents.map(({ components, amend }) => components ?? amend?.put ?? []);
        steps.push(stored.flat().length);
        return registry.commit(change);
      },
    };
    const pace = () => () => {
      steps.push('pause');
      return undefined;
    };
    const documents = [{ url: 'https://a.example/', components: many(250, 'a'), record: {} }];
    await portioned(watched, pace).commit({ source: PEER, documents, record: (record) => record });
    expect(steps).toEqual([100, 'pause', 100, 'pause', 50, 'pause', 0]);
  });

  it('keeps nothing of what does not lead to the digests that were told', async () => {
    const registry = await open();
    const change: SourceChange = {
      source: PEER,
      documents: [{ url: 'https://a.example/', components: many(3000, 'a'), record: { of: 'pod a' } }],
      record: (record) => record,
      expected: new Map([['pod a', LtHash.empty().digest()]]),
    };
    await expect(portioned(registry, withoutPause).commit(change)).rejects.toThrow(DigestMismatch);
    expect(await registry.everything()).toEqual([]);
  });
});
