import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import type { DocumentRecord } from '../../../src/registry/document-record.js';
import { OK, POD_A } from '../../registry/sources.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';

async function open() {
  const url = await newDatabase();
  const store = await openTestStore(url);
  cleanup(() => store.close());
  const registry = new TestRegistry(await store.load(registryOptions()));
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  cleanup(() => admin.end());
  const say = (documents: Record<string, Metadata[]>, record: DocumentRecord = {}) =>
    registry.commit({
      source: POD_A,
      documents: Object.entries(documents).map(([name, components]) => ({
        ...{ url: `${POD_A.url}${name}`, components, record },
      })),
      record: OK,
    });
  return { registry, admin, say };
}

const named = (...names: string[]) => names.map((name) => component(name));

describe('comparing whole documents in the database', () => {
  it('finds what differs in each of several documents, in the order of the document', async () => {
    const { registry, say } = await open();
    await say({ one: named('a', 'b', 'c'), other: named('a', 'd', 'e') });
    const before = (await registry.state()).feed.position;
    const changed = component('b', { tag: ['new'] });
    const counted = await say({ one: [component('z'), ...named('a'), changed], other: named('e', 'd', 'c') });
    expect(counted).toMatchObject({ added: 2, changed: 1, removed: 2 });
    const told = await registry.catalog.changes({ after: before, removals: true, limit: 100 });
    if ('unknown' in told) throw new Error('a state that is not known');
    const lines = told.changes.map(({ metadata, document, uri }) =>
      [metadata ? '+' : '-', document.at(-1), uri.at(-4)].join(''),
    );
    expect(lines).toEqual(['+ez', '+eb', '-ec', '+rc', '-ra']);
  });

  it('tells apart what is nearly the same', async () => {
    const { say } = await open();
    const variants: Metadata[] = [
      component('a', { tag: ['x', 'y'] }),
      component('a', { tag: ['y', 'x'] }),
      component('a', { tag: ['xy'] }),
      component('a', { tag: [], author: ['https://x.example/xy'] }),
      component('a', { tag: ['1:x'] }),
      component('a', { tag: ['undefined'], version: 'undefined' }),
      component('a', { tag: ['undefined'] }),
      component('a', { tag: ['undefined'], latest: true }),
      component('a', { tag: ['undefined'], latest: false }),
      component('a', { description: '-' }),
      component('a', { description: '' }),
      component('a'),
    ];
    await say({ one: named('a') });
    for (const variant of variants) {
      const known = JSON.stringify(variant) === JSON.stringify(variants.at(-1));
      expect([variant, await say({ one: [variant] })]).toMatchObject([
        variant,
        { added: 0, changed: 1, removed: 0 },
      ]);
      expect(await say({ one: [{ ...variant }] })).toMatchObject({ added: 0, changed: 0, removed: 0 });
      if (known) break;
    }
  });

  it('compares the rows of an earlier release, too, which have no marks', async () => {
    const { registry, admin, say } = await open();
    await say({ one: named('a', 'b', 'c') });
    const { feed } = await registry.state();
    await admin.query('UPDATE registry.statement SET mark = NULL');
    expect(await say({ one: named('a', 'b', 'c') })).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect((await registry.state()).feed).toEqual(feed);
    const changed = await say({ one: [component('a', { label: 'A' }), ...named('c', 'd')] });
    expect(changed).toMatchObject({ added: 1, changed: 1, removed: 1 });
    expect(await registry.labels()).toEqual(['A', 'c', 'd']);
  });
});
