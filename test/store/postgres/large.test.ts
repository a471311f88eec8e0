import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Query } from '../../../src/component/query.js';
import type { CountedField } from '../../../src/registry/counts.js';
import { descriptionsOf } from '../../../src/registry/page.js';
import { OK, PEER, POD_A, precedence } from '../../registry/sources.js';
import { memoryEngine } from '../../support/engines.js';
import { postgresEngines } from '../../support/postgres-engine.js';
import { component, type TestRegistry } from '../../support/registry.js';

const MANY = 2_600;
/** Longer than an entry of an index. */
const LONG = Array.from({ length: 330 }, (_, i) => `${i * 7919}`.slice(0, 3))
  .join('-')
  .slice(0, 1_000);

function sample(i: number): Metadata {
  return component(`c${String(i).padStart(4, '0')}`, {
    label: `Label ${i % 50}`,
    description: i % 3 === 0 ? `Says "latest":true, and "label":"Label ${i % 7}" %_\\ éß` : `Plain ${i % 11}`,
    version: `${i % 4}.${i % 9}.${i % 5}`,
    ...(i % 5 === 0 ? {} : { latest: i % 2 === 0 }),
    tag: i % 100 === 0 ? [`t${i % 6}`, `${LONG}${i % 3}`] : [`t${i % 6}`],
    author: [`https://a${i % 13}.example/profile/card#me`],
    shapes: [`http://xmlns.com/foaf/0.1/S${i % 20}`],
  });
}

const LONG_URIS = ['a', 'b', 'c'].map((end) => ({
  ...component('long'),
  uri: `https://c.example/long/${end}/${'long/'.repeat(300)}`,
  tag: ['long'],
}));

/** More than what is read at once, asked of this engine and of the one in memory, which looks at everything. */
describe('a large registry', () => {
  const engines = [postgresEngines(), memoryEngine];
  let registries: TestRegistry[];
  let close: () => Promise<void>;

  beforeAll(async () => {
    const made = await Promise.all(engines.map((engine) => engine()));
    registries = await Promise.all(made.map((engine) => engine.open({ precedence })));
    const components = [...Array.from({ length: MANY }, (_, i) => sample(i)), ...LONG_URIS];
    for (const registry of registries) {
      const document = { url: `${POD_A.url}doc`, components, record: {} };
      await registry.commit({ source: POD_A, documents: [document], record: OK });
      const shadowed = components
        .filter((_, i) => i % 40 === 0)
        .map((one) => ({ ...one, label: 'Shadowed' }));
      await registry.commit({
        source: PEER,
        documents: [{ url: PEER.url, components: shadowed, record: {} }],
        record: OK,
      });
    }
    close = async () => {
      await Promise.all(registries.map((registry) => registry.close()));
      await Promise.all(made.map((engine) => engine.remove()));
    };
  });
  afterAll(() => close());

  const [, ...queries]: Query[] = [
    {},
    {},
    { latest: true },
    { latest: false, tag: ['t1'] },
    { description: sample(3).description ?? '' },
    { description: 'Plain 1' },
    { description: 'lain 1' },
    { version: '^1.2.0' },
    { version: '1.2.3' },
    { label: 'Label 7', shapes: ['http://xmlns.com/foaf/0.1/S7'] },
    { tag: [`${LONG}1`] },
    { tag: [`${LONG}1`, 't1'], author: ['https://a3.example/profile/card#me'] },
    { q: 'foaf:S3 label' },
    { q: '%_\\ éß' },
    { q: 'ESS plain' },
    { trust: 'configured' },
    { trust: 'learned' },
    { source: POD_A.url, latest: true },
    { source: PEER.url },
    { tag: ['nothing has \0 this'] },
    { q: '\ud83d' },
    { uri: LONG_URIS[1]?.uri ?? '' },
  ];

  it.each(queries.map((query) => [JSON.stringify(query), query] as const))(
    'lists and counts %s',
    async (_, query) => {
      const fields: CountedField[] = ['tag', 'author', 'shapes', 'source'];
      const [here, there] = await Promise.all(
        registries.map(async (registry) => {
          const { total, by, areValuesCapped } = await registry.catalog.counts(query, fields);
          const counts = fields.map((field) => [...by[field]].sort());
          const uris = (await registry.list(query)).map(({ uri }) => uri);
          return { uris, total, counts, areValuesCapped };
        }),
      );
      // Many matches are counted up to a number, and their values among the first ones.
      const areMany = Object.keys(query).length > 0 && (there?.total ?? 0) > 1_000;
      const counts = areMany ? here?.counts : there?.counts;
      const total = areMany ? 1_000 : there?.total;
      expect(here).toEqual({ ...there, counts, total, areValuesCapped: areMany ? true : undefined });
    },
  );

  it.each([[1_500], [700], [2_603], [10_000]])(
    'has pages of %d, shadowed descriptions included',
    async (limit) => {
      const [here, there] = await Promise.all(
        registries.map(async ({ catalog }) => {
          const read: (readonly [string, string])[] = [];
          const lengths: number[] = [];
          for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
            const page = await catalog.page({}, { limit, after, shadowed: true });
            const descriptions = await descriptionsOf(page);
            lengths.push(descriptions.length);
            read.push(...descriptions.map(({ metadata, document }) => [metadata.uri, document] as const));
            after = page.next;
          }
          return { read, lengths };
        }),
      );
      expect(here).toEqual(there);
    },
  );

  it('gives a long page twice while nothing changes, and says so when it has', async () => {
    const [registry] = registries;
    const page = await registry?.catalog.page({});
    if (!page) throw new Error('there is no registry');
    const first = await descriptionsOf(page);
    expect(await descriptionsOf(page)).toEqual(first);
    for (const one of registries) await one.upsertLocal([component('zz')]);
    await expect(descriptionsOf(page)).rejects.toThrow(/changed while it was read/);
  });
});

describe('components of the largest size', () => {
  it('are read a few at a time, however many a page has', async () => {
    const engine = await postgresEngines()();
    const registry = await engine.open({ precedence });
    const description = 'ß'.repeat(100_000);
    const components = Array.from({ length: 60 }, (_, i) =>
      component(`c${String(i).padStart(3, '0')}`, i < 5 ? {} : { description }),
    );
    for (const source of [POD_A, PEER]) {
      await registry.commit({ source, documents: [{ url: source.url, components, record: {} }], record: OK });
    }
    const uris = components.map(({ uri }) => uri);
    for (const request of [{}, { limit: 55 }, { limit: 55, after: uris[1] }, { shadowed: true }]) {
      const page = await registry.catalog.page({}, request);
      const read: string[] = [];
      for await (const some of page.descriptions()) {
        expect(JSON.stringify(some.map(({ metadata }) => metadata)).length).toBeLessThan(2_000_000);
        read.push(...some.map(({ metadata }) => metadata.uri));
      }
      const from = request.after ? 2 : 0;
      const expected = uris.slice(from, from + (request.limit ?? 60));
      expect(read).toEqual(request.shadowed ? expected.flatMap((uri) => [uri, uri]) : expected);
      expect(page.next).toBe(request.limit && uris[from + request.limit - 1]);
    }
    await registry.close();
    await engine.remove();
  });
});
