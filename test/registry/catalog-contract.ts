import { describe, expect, it } from 'vitest';
import type { StatementChange } from '../../src/catalog/catalog.js';
import { takenFrom } from '../../src/component/provenance.js';
import type { Query } from '../../src/component/query.js';
import { LOCAL, SAMPLES, type Source, sourceKey } from '../../src/component/source.js';
import { type Authority, STATEMENT_CLASSES } from '../../src/core/precedence.js';
import { whyOf } from '../../src/explain/why.js';
import type { Engine } from '../support/engines.js';
import { component } from '../support/registry.js';
import { Rig } from './rig.js';
import { LEARNED, OK, PEER, POD_A } from './sources.js';

/** What is told beside the statements. */
const NOTHING_ELSE = { removals: [], sources: [], refusals: { counts: {} }, refusalsAbove: () => [] };

/**
 * What the catalog of every registry answers, beside what `test/catalog/component-catalog.test.ts` compares with a naive model: pages,
 * searches, counts, bytes and changes.
 */
export function catalogContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the catalog contract: ${name}`, () => {
    const rig = Rig.of(createEngine);
    const { reopen } = rig;

    it('finds texts by what they are, not by what they contain', async () => {
      const quoting = component('a', { label: 'x","label":"y', description: '"label":"y"' });
      await rig.registry.upsertLocal([quoting, component('b', { label: 'y' })]);
      const names = async (query: Query) => (await rig.registry.list(query)).map(({ uri }) => uri);
      expect(await names({ label: 'y' })).toEqual([component('b').uri]);
      expect(await names({ label: 'x","label":"y' })).toEqual([quoting.uri]);
    });

    it('shows what a mirror holds as what it is at the upstream, and finds it so', async () => {
      const far = { kind: 'pod', url: 'https://far.example/' } as const;
      const stranger = { kind: 'pod', url: 'https://stranger.example/' } as const;
      const held = (name: string, url: string, said: Authority) => ({
        ...{ url, components: [component(name), component('both', { label: name })] },
        record: { authority: said },
      });
      const documents = [
        held('stranger', 'https://stranger.example/doc', { ...stranger, class: 'learned-pod', place: 0 }),
        held('own', LOCAL.url, { ...LOCAL, class: 'own', place: 0 }),
        held('far', 'https://far.example/doc', { ...far, class: 'configured-pod', place: 1 }),
      ];
      await rig.registry.commit({ source: PEER, documents, record: OK });
      const labelsOf = async (query: Query) =>
        (await rig.registry.list(query)).map(({ label }) => label).sort();
      for (const _ of ['now', 'after a restart']) {
        const statements = await rig.registry.catalog.statements(component('both').uri);
        expect(statements.map(({ source, trust, document }) => [source, trust, document])).toEqual([
          [far, 'configured', 'https://far.example/doc'],
          [LOCAL, 'configured', LOCAL.url],
          [stranger, 'learned', 'https://stranger.example/doc'],
        ]);
        expect(await labelsOf({ source: far.url })).toEqual(['far', 'far']);
        expect(await labelsOf({ source: PEER.url })).toEqual([]);
        expect(await labelsOf({ trust: 'learned' })).toEqual(['stranger']);
        expect(await labelsOf({ trust: 'configured' })).toEqual(['far', 'far', 'own']);
        expect(await labelsOf({ trust: 'own' })).toEqual([]);
        const served = await rig.registry.catalog.served();
        expect(Object.fromEntries(served)).toEqual({
          [sourceKey(far)]: 2,
          [sourceKey(LOCAL)]: 1,
          [sourceKey(stranger)]: 1,
        });
        const told = await rig.registry.catalog.changes({ limit: 10 });
        expect('changes' in told && told.changes.every(({ source }) => source.url === PEER.url)).toBe(true);
        await reopen();
      }
    });

    it('orders by the table of classes, whichever order it has, as why and the feed tell it', async () => {
      const from = (source: Source, graph: string = source.url) => {
        const components = [component('x', { label: `${source.kind} ${graph}` })];
        return rig.registry.commit({
          source,
          documents: [{ url: graph, components, record: {} }],
          record: OK,
        });
      };
      await rig.registry.upsertLocal([component('x', { label: 'own' })]);
      for (const source of [POD_A, LEARNED, SAMPLES]) await from(source);
      await from(PEER, takenFrom(PEER.url, LOCAL.url));
      const other: Source = { kind: 'peer', url: 'https://other.example' };
      await from(other, takenFrom(other.url, LOCAL.url));
      await rig.registry.commit({
        ...{ source: PEER, record: OK },
        documents: [
          {
            url: takenFrom(PEER.url, 'https://stranger.example/doc'),
            components: [component('x', { label: 'passed on' })],
            record: {},
          },
        ],
      });
      await reopen({ order: { pods: [POD_A.url], peers: [PEER.url] } });
      const statements = await rig.registry.catalog.statements(component('x').uri);
      expect(statements.map((one) => one.class)).toEqual(STATEMENT_CLASSES.map(({ name }) => name));
      expect(await rig.registry.labels()).toEqual([statements[0]?.metadata.label]);
      const why = whyOf(component('x').uri, { ...NOTHING_ELSE, statements });
      const [first = '', ...words] = STATEMENT_CLASSES.map((row) => row.words);
      const coming = `${first} ${first.startsWith('what') ? 'comes' : 'come'}`;
      expect(why.statements.map(({ rule }) => rule)).toEqual([
        expect.stringContaining(`${coming} first`),
        ...words.map((one) => `${coming} before ${one}`),
      ]);
      const told = await rig.registry.catalog.changes({ limit: 10 });
      if ('unknown' in told) throw new Error(told.unknown);
      const rankOf = ({ source, rank = 0 }: StatementChange) =>
        (told.sources.find((line) => sourceKey(line.source) === sourceKey(source))?.rank ?? 0) + rank;
      const inOrder = told.changes.toSorted((one, two) => rankOf(one) - rankOf(two));
      expect(inOrder.map(({ document }) => document)).toEqual(statements.map(({ document }) => document));
    });
  });
}
