import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { metadataToQuads } from '../../../src/component/writing/metadata-quads.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import type { QuadStore, Row } from '../../../src/store/disk/database/quad-store.js';
import { TABLES } from '../../../src/store/disk/database/tables.js';
import { component, openRegistry, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { openQuadStore, PLACES, type Place } from '../../support/stores.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const precedence = precedenceOf({ pods: [POD.url], peers: [] });

describe.each(Object.keys(PLACES))('the rows of statements in %s', (kind) => {
  let place: Place;
  let registry: TestRegistry;
  const open = async () => {
    registry = await openRegistry(await place.open(), { precedence });
  };
  beforeEach(async () => {
    place = await (PLACES[kind] as () => Promise<Place>)();
    await open();
    await registry.upsertLocal([component('a', { label: 'mine' }), component('b')]);
    await registry.commit({
      source: POD,
      documents: [{ url: POD.url, components: [component('a', { tag: ['t'] })], record: { etag: '"1"' } }],
      record: { failures: 0 },
    });
  });
  afterEach(async () => {
    await registry.close();
    await place.remove();
  });

  /** Changes what is on disk behind the registry's back. */
  async function tamper(
    change: (store: QuadStore) => Promise<{ rows?: Row[]; add?: Quad[] }>,
  ): Promise<void> {
    await registry.close();
    const store = await openQuadStore(await place.open());
    await store.write({ ...(await change(store)), durable: true });
    await store.close();
    await open();
  }
  const said = async () =>
    (await registry.everything()).map(({ metadata, source }) => [metadata.uri, source.kind]);
  const everything = [
    [component('a').uri, 'pod'],
    [component('a').uri, 'local'],
    [component('b').uri, 'local'],
  ];

  it('are made anew when they are not noted, and the revision stays', async () => {
    const { revision } = await registry.state();
    await tamper(async (store) => {
      for await (const [[first] = ['', '']] of store.texts('statement'))
        return { rows: [{ table: 'statement', key: first }, TABLES.meta('statements', undefined)] };
      throw new Error('there are no rows');
    });
    expect([await said(), (await registry.state()).revision]).toEqual([everything, revision]);
    expect((await registry.source(POD))?.documents.get(POD.url)).toMatchObject({
      etag: '"1"',
      components: 1,
    });
    expect((await registry.source(LOCAL))?.documents.get(LOCAL.url)?.components).toBe(2);
  });

  it('are made where there are none, nor numbers of graphs', async () => {
    await tamper(async (store) => {
      const rows: Row[] = [{ table: 'meta', key: 'statements' }];
      for await (const page of store.texts('statement'))
        for (const [key] of page) rows.push({ table: 'statement', key });
      for await (const [key] of store.rows('graph')) rows.push({ table: 'graph', key });
      return { rows };
    });
    expect(await said()).toEqual(everything);
    await registry.upsertLocal([component('c')]);
    await registry.close();
    await open();
    expect(await registry.size()).toBe(3);
  });

  it('pass over graphs of other software', async () => {
    const foreign = metadataToQuads(
      component('z'),
      VOCABULARY,
      component('z').uri,
      DataFactory.namedNode('http://else'),
    );
    await tamper(async () => ({ add: foreign as Quad[], rows: [{ table: 'meta', key: 'statements' }] }));
    expect(await said()).toEqual(everything);
  });

  it('keep the order of the listing for uris that LevelDB orders differently', async () => {
    const uris = [
      'https://c.example/\u{1f984}.js',
      'https://c.example/\uff5e.js',
      'https://c.example/\ufb00.js',
    ];
    await registry.upsertLocal(uris.map((uri) => ({ ...component('x'), uri })));
    const before = (await registry.list()).map(({ uri }) => uri);
    expect(before).toEqual([...before].sort());
    await registry.close();
    await open();
    expect((await registry.list()).map(({ uri }) => uri)).toEqual(before);
    expect((await registry.get(uris[0] as string))?.uri).toBe(uris[0]);
  });
});
