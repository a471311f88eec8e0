import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  descriptionsOf,
  type PageRequest,
  type State,
  type StatementChange,
} from '../../src/catalog/catalog.js';
import type { Invocation } from '../../src/component/capability.js';
import { readMatchQuestion } from '../../src/component/match-question.js';
import type { Metadata } from '../../src/component/metadata.js';
import { takenFrom } from '../../src/component/provenance.js';
import { candidateOf, compileQuery, type Query } from '../../src/component/query.js';
import { LOCAL, SAMPLES, type Source, type SourceTrust, sourceKey } from '../../src/component/source.js';
import { planMatch } from '../../src/core/match-plan.js';
import { type Authority, precedenceOf, STATEMENT_CLASSES } from '../../src/core/precedence.js';
import { NO_REFUSALS } from '../../src/core/refusal.js';
import { whyOf } from '../../src/explain/why.js';
import { matchFinder } from '../../src/http/matching/find-matches.js';
import { systemPace } from '../../src/lib/pace.js';
import type { Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';
import { LEARNED, OK, PEER, POD_A, POD_B, precedence } from './sources.js';

/** What is told beside the statements. */
const NOTHING_ELSE = { removals: [], sources: [], refusals: NO_REFUSALS };

function rotated<T>([first, ...others]: readonly T[]): T[] {
  return first === undefined ? [] : [...others, first];
}

/** What every engine answers: `Catalog`, sentence by sentence. Call it in the test file of an engine. */
export function catalogContract(name: string, createEngine: () => Promise<Engine>, runs = 60): void {
  describe(`the catalog contract: ${name}`, () => {
    let engine: Engine;
    let registry: TestRegistry;

    beforeEach(async () => {
      engine = await createEngine();
      registry = await engine.open({ precedence });
    });
    afterEach(async () => {
      await registry.close();
      await engine.remove();
    });

    const say = (source: Source, components: Metadata[], url = `${source.url}doc`) =>
      registry.commit({ source, documents: [{ url, components, record: {} }], record: OK });
    const served = () => registry.list();
    const labels = () => registry.labels();

    it('finds the same as by looking at every component, whole and page by page', async () => {
      const pick = <T>(values: T[]) => fc.constantFrom(...values);
      const anyCapability = fc.record(
        {
          action: pick(['odrl:display', 'odrl:modify']),
          accept: fc.uniqueArray(pick(['text/turtle', 'text/html']), { minLength: 1 }),
          invocation: fc.uniqueArray(
            pick<Invocation>([
              { type: 'ac:UriTemplateInvocation', template: '#' },
              { type: 'FragmentInvocation', fragment: '', module: [] },
            ]),
          ),
        },
        { requiredKeys: [] },
      );
      const anyComponent = fc
        .record({
          name: pick([...'abcdefgh']),
          version: fc.option(pick(['1.0.0', '1.2.0', '2.0.0-beta.1', 'latest']), { nil: undefined }),
          latest: fc.option(fc.boolean(), { nil: undefined }),
          tag: fc.uniqueArray(pick(['t', 'u', 'v'])),
          shapes: fc.uniqueArray(pick(['http://s/1', 'http://schema.org/2', 'https://schema.org/2'])),
          capability: fc.array(anyCapability, { maxLength: 2 }),
        })
        .map(({ name, version, latest, tag, shapes, capability }) =>
          component(name, {
            tag: tag.sort(),
            shapes: shapes.sort(),
            ...(version === undefined ? {} : { version }),
            ...(latest === undefined ? {} : { latest }),
            ...(capability.length === 0 ? {} : { capability }),
          }),
        );
      const anyQuery = fc.record(
        {
          uri: pick([component('a').uri, component('z').uri]),
          label: pick(['a', 'b']),
          version: pick(['^1.0.0', '1.0.0', 'latest', '*', '>=2.0.0-alpha']),
          latest: fc.boolean(),
          tag: fc.uniqueArray(pick(['t', 'u', 'w'])),
          shapes: fc.uniqueArray(pick(['http://s/1', 'http://schema.org/2', 'https://schema.org/2'])),
          action: pick(['odrl:display', 'odrl:modify']),
          accept: pick(['text/turtle', 'text/html']),
          invocation: pick(['ac:UriTemplateInvocation', 'FragmentInvocation', 'none']),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<Query>;
      const step = fc.record({
        source: pick([POD_A, POD_B, PEER]),
        components: fc.uniqueArray(anyComponent, { selector: ({ uri }) => uri, maxLength: 5 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 5 }),
          anyQuery,
          fc.nat(3),
          async (steps, query, limit) => {
            for (const { source, components } of steps) await say(source, components);
            const own = { source: LOCAL, trust: 'own' } as const;
            const expected = (await served()).filter((one) => compileQuery(query)(candidateOf(one, own)));
            expect(await registry.list(query)).toEqual(expected);
            const paged: Metadata[] = [];
            for (let after: string | undefined, pages = 0; pages < 20; pages++) {
              const page = await registry.catalog.page(query, { limit: limit + 1, after });
              for (const { metadata } of await descriptionsOf(page)) paged.push(metadata);
              after = page.next;
              if (after === undefined) break;
            }
            expect(paged).toEqual(expected);
          },
        ),
        { numRuns: runs },
      );
    });

    it('trusts what peers pass on as little as what was learned, unless its pod is configured', async () => {
      const graphs = [LOCAL.url, 'https://stranger.example/doc', `${POD_A.url}doc`];
      const documents = ['posted', 'relayed', 'named'].map((name, i) => ({
        url: takenFrom(PEER.url, graphs[i] ?? ''),
        components: [component(name)],
        record: {},
      }));
      await registry.commit({ source: PEER, documents, record: OK });
      const trusted = async (trust: SourceTrust) =>
        (await registry.list({ trust })).map(({ label }) => label);
      expect(new Set(await trusted('configured'))).toEqual(new Set(['posted', 'named']));
      expect(await trusted('learned')).toEqual(['relayed']);
      const page = await descriptionsOf(await registry.catalog.page({ label: 'relayed' }));
      expect(page.map(({ trust }) => trust)).toEqual(['learned']);
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
      await registry.commit({ source: PEER, documents, record: OK });
      const labelsOf = async (query: Query) => (await registry.list(query)).map(({ label }) => label).sort();
      for (const _ of ['now', 'after a restart']) {
        const statements = await registry.catalog.statements(component('both').uri);
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
        const { by } = await registry.catalog.counts({}, ['source']);
        expect(Object.fromEntries(by.source)).toEqual({
          [sourceKey(far)]: 2,
          [sourceKey(LOCAL)]: 1,
          [sourceKey(stranger)]: 1,
        });
        const told = await registry.catalog.changes({ limit: 10 });
        expect('changes' in told && told.changes.every(({ source }) => source.url === PEER.url)).toBe(true);
        await registry.close();
        registry = await engine.open({ precedence });
      }
    });

    it('orders by the table of classes, whichever order it has, as why and the feed tell it', async () => {
      const from = (source: Source, graph: string = source.url) => {
        const components = [component('x', { label: `${source.kind} ${graph}` })];
        return registry.commit({ source, documents: [{ url: graph, components, record: {} }], record: OK });
      };
      await registry.upsertLocal([component('x', { label: 'own' })]);
      for (const source of [POD_A, LEARNED, SAMPLES]) await from(source);
      await from(PEER, takenFrom(PEER.url, LOCAL.url));
      const other: Source = { kind: 'peer', url: 'https://other.example' };
      await from(other, takenFrom(other.url, LOCAL.url));
      await registry.commit({
        ...{ source: PEER, record: OK },
        documents: [
          {
            url: takenFrom(PEER.url, 'https://stranger.example/doc'),
            components: [component('x', { label: 'passed on' })],
            record: {},
          },
        ],
      });
      for (const table of [STATEMENT_CLASSES, STATEMENT_CLASSES.toReversed(), rotated(STATEMENT_CLASSES)]) {
        await registry.close();
        const permuted = precedenceOf({ pods: [POD_A.url], peers: [PEER.url] }, table);
        registry = await engine.open({ precedence: permuted, servedAs: JSON.stringify(table) });
        const statements = await registry.catalog.statements(component('x').uri);
        expect(statements.map((one) => one.class)).toEqual(table.map(({ name }) => name));
        expect(await registry.labels()).toEqual([statements[0]?.metadata.label]);
        const why = await whyOf(component('x').uri, { ...NOTHING_ELSE, statements }, () => undefined);
        const [first = '', ...words] = table.map((row) => row.words);
        const coming = `${first} ${first.startsWith('what') ? 'comes' : 'come'}`;
        expect(why.statements.map(({ rule }) => rule)).toEqual([
          expect.stringContaining(`${coming} first`),
          ...words.map((one) => `${coming} before ${one}`),
        ]);
        const told = await registry.catalog.changes({ limit: 10 });
        if ('unknown' in told) throw new Error(told.unknown);
        const rankOf = ({ source, rank = 0 }: StatementChange) =>
          (told.sources.find((line) => sourceKey(line.source) === sourceKey(source))?.rank ?? 0) + rank;
        const inOrder = told.changes.toSorted((one, two) => rankOf(one) - rankOf(two));
        expect(inOrder.map(({ document }) => document)).toEqual(statements.map(({ document }) => document));
      }
    });

    it('gives readers snapshots', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const page = await registry.catalog.page({});
      const dataset = await registry.catalog.page({}, { shadowed: true });
      await say(POD_A, [component('c')]);
      expect((await descriptionsOf(page)).map(({ metadata }) => metadata.label)).toEqual(['a', 'b']);
      expect(await descriptionsOf(dataset)).toHaveLength(2);
      expect(page.state.revision.number).toBe((await registry.state()).revision.number - 1);
      expect(await labels()).toEqual(['c']);
    });

    it('gives the same bytes as its descriptions', async () => {
      const many = Array.from({ length: 700 }, (_, i) =>
        component(`c${i}`, { tag: [`t${i % 3}`], description: 'é'.repeat(i) }),
      );
      await registry.upsertLocal(many);
      for (const query of [{}, { tag: ['t1'] }, { tag: ['none'] }]) {
        const page = await registry.catalog.page(query);
        const uris = (await descriptionsOf(page)).map(({ metadata }) => metadata.uri);
        expect(uris).toHaveLength(query.tag?.includes('none') ? 0 : query.tag ? 233 : 700);
        const { json } = page;
        const whole = Buffer.alloc(json?.bytes ?? 0);
        json?.copyTo(whole);
        expect(Buffer.concat([...(json?.pieces() ?? [])]).equals(whole)).toBe(true);
        expect(JSON.parse(whole.toString()).map(({ uri }: Metadata) => uri)).toEqual(uris);
      }
      const [first] = await registry.catalog.statements(component('c1').uri);
      expect(JSON.parse(Buffer.from(first?.json ?? []).toString()).uri).toBe(first?.metadata.uri);
    });

    it('lists what one document of one source says, served or not, page by page', async () => {
      const document = `${POD_B.url}doc`;
      await say(POD_A, [component('b'), component('x')]);
      await say(POD_B, [component('c'), component('a'), component('b', { label: 'shadowed' })]);
      await say(POD_B, [component('d')], `${POD_B.url}other`);
      const page = (request: PageRequest = {}) =>
        registry.catalog.page({}, { ...request, document: { source: POD_B, url: document } });
      const said = async (request?: PageRequest) =>
        (await descriptionsOf(await page(request))).map((one) => ({
          ...{ label: one.metadata.label, source: one.source, document: one.document },
          isShadowed: one.isShadowed ?? false,
        }));
      const of = (label: string, isShadowed = false) => ({ label, source: POD_B, document, isShadowed });
      expect(await said()).toEqual([of('a'), of('shadowed', true), of('c')]);
      const first = await page({ limit: 2 });
      expect(first.next).toBe(component('b').uri);
      expect(await said({ limit: 2 })).toEqual([of('a'), of('shadowed', true)]);
      expect(await said({ limit: 2, after: first.next })).toEqual([of('c')]);
      expect((await page({ limit: 3 })).next).toBeUndefined();
      await registry.forget(POD_A);
      expect(await said()).toEqual([of('a'), of('shadowed'), of('c')]);
      await registry.forget(POD_B);
      expect(await said()).toEqual([]);
    });

    it('lists shadowed descriptions behind the served one, by precedence, also on a page', async () => {
      await say(PEER, [component('x', { label: 'peer' }), component('y', { label: 'peer' })]);
      await say(POD_B, [component('x', { label: 'b' })]);
      await say(POD_A, [component('x', { label: 'a' })]);
      const first = await registry.catalog.page({}, { limit: 1, shadowed: true });
      expect((await descriptionsOf(first)).map(({ metadata }) => metadata.label)).toEqual(['a', 'b', 'peer']);
      expect(first.next).toBe(component('x').uri);
      const second = await registry.catalog.page({}, { after: first.next, limit: 1, shadowed: true });
      expect((await descriptionsOf(second)).map(({ metadata }) => metadata.uri)).toEqual([
        component('y').uri,
      ]);
      expect(second.next).toBeUndefined();
      const statements = await registry.catalog.statements(component('x').uri);
      expect(statements.map(({ source }) => source)).toEqual([POD_A, POD_B, PEER]);
      const documents = [POD_A, POD_B, PEER].map(({ url }) => `${url}doc`);
      expect(statements.map(({ document }) => document)).toEqual(documents);
      expect(await registry.catalog.statements(component('z').uri)).toEqual([]);
    });

    it('counts what is served, and only that', async () => {
      await say(POD_B, [component('x', { tag: ['hidden'] })]);
      await say(POD_A, [
        component('x', { tag: ['t'], author: ['Ann'] }),
        component('y', { tag: ['t', 'u'] }),
      ]);
      await registry.upsertLocal([component('z', { shapes: ['http://s/1'] })]);
      const all = await registry.catalog.counts({}, ['tag', 'author', 'shapes', 'source']);
      expect(all.total).toBe(3);
      expect(Object.fromEntries(all.by.tag)).toEqual({ t: 2, u: 1 });
      expect(Object.fromEntries(all.by.author)).toEqual({ Ann: 1 });
      expect(Object.fromEntries(all.by.shapes)).toEqual({ 'http://s/1': 1 });
      expect(Object.fromEntries(all.by.source)).toEqual({ [sourceKey(POD_A)]: 2, [sourceKey(LOCAL)]: 1 });
      const some = await registry.catalog.counts({ tag: ['u'] }, ['tag', 'source']);
      expect([some.total, Object.fromEntries(some.by.tag)]).toEqual([1, { t: 1, u: 1 }]);
      expect(Object.fromEntries(some.by.source)).toEqual({ [sourceKey(POD_A)]: 1 });
    });

    it('finds texts by what they are, not by what they contain', async () => {
      const quoting = component('a', { label: 'x","label":"y', description: '"label":"y"' });
      await registry.upsertLocal([quoting, component('b', { label: 'y' })]);
      const names = async (query: Query) => (await registry.list(query)).map(({ uri }) => uri);
      expect(await names({ label: 'y' })).toEqual([component('b').uri]);
      expect(await names({ label: 'x","label":"y' })).toEqual([quoting.uri]);
      expect(await names({ description: '"label":"y"' })).toEqual([quoting.uri]);
      expect(await names({ q: 'LABEL' })).toEqual([quoting.uri]);
    });

    it('finds what renders a shape by the name of the shape, as by the shape itself', async () => {
      const [foaf, schema] = ['http://xmlns.com/foaf/0.1/', 'schema.org/'];
      await say(POD_A, [
        component('a', { shapes: [`${foaf}Person`] }),
        component('b', { shapes: [`http://${schema}Person`, 'https://s.example/Odd'] }),
        component('c', { shapes: [`https://${schema}Person`, `http://${schema}Person`], tag: ['t'] }),
        component('d', { shapes: [`${foaf}PersonalProfileDocument`], description: 'Not a foaf:Person' }),
      ]);
      const names = async (query: Query) => (await registry.list(query)).map(({ label }) => label);
      for (const q of ['foaf:Person', `${foaf}Person`, 'FOAF:Person'])
        expect(await names({ q }), q).toEqual(await names({ shapes: [`${foaf}Person`] }));
      expect(await names({ q: 'schema:Person' })).toEqual(['b', 'c']);
      expect(await names({ q: 'schema:Person https://s.example/Odd' })).toEqual(['b']);
      expect(await names({ q: 'schema:Person', tag: ['t'] })).toEqual(['c']);
      expect((await registry.catalog.counts({ q: 'schema:Person' }, ['tag'])).total).toBe(2);
      expect(await registry.list({ q: 'foaf:Person person a nothing' })).toEqual([]);
      // What is no shape here, as a part of a name: a search for words.
      expect(await names({ q: 'person' })).toEqual(['a', 'b', 'c', 'd']);
      expect(await names({ q: 'foaf:person' })).toEqual(['a', 'd']);
      expect(await names({ q: 'foaf:Per profile' })).toEqual(['d']);
      const page = await registry.catalog.page({ q: 'schema:Person' }, { limit: 1 });
      expect(page.next).toBe(component('b').uri);
    });

    it('takes the two spellings of schema.org for one shape, and keeps what the author wrote', async () => {
      const [http, https] = ['http://schema.org/Person', 'https://schema.org/Person'];
      const written = [component('a', { shapes: [http] }), component('b', { shapes: [https] })];
      await say(POD_A, [...written, component('c', { shapes: [http, https] })]);
      for (const shape of [http, https]) {
        expect((await registry.list({ shapes: [shape] })).map(({ label }) => label)).toEqual(['a', 'b', 'c']);
        expect((await registry.list({ shapes: [shape] }))[0]).toEqual(written[0]);
        expect((await registry.list({ q: shape })).length).toBe(3);
      }
      expect((await registry.list({ shapes: [http, https] })).length).toBe(3);
      const all = await registry.catalog.counts({}, ['shapes']);
      expect(Object.fromEntries(all.by.shapes)).toEqual({ [https]: 3 });
      const some = await registry.catalog.counts({ shapes: [http] }, ['shapes']);
      expect([some.total, Object.fromEntries(some.by.shapes)]).toEqual([3, { [https]: 3 }]);
      await say(POD_A, [component('c', { shapes: [http, https] })]);
      expect((await registry.list({ shapes: [https] })).map(({ label }) => label)).toEqual(['c']);
    });

    it('has what matches data best, in the same order', async () => {
      const foaf = 'http://xmlns.com/foaf/0.1/';
      const capability = [{ accept: ['text/turtle'], action: 'odrl:display' }];
      await say(POD_A, [
        component('close', { shapes: ['http://schema.org/Person'] }),
        component('class', { shapes: [`${foaf}Person`] }),
        component('more', { shapes: [`${foaf}Person`, 'https://own.example/Person'] }),
        component('generic', { shapes: ['http://www.w3.org/2000/01/rdf-schema#Resource'] }),
        component('none', { shapes: ['https://s.example/Odd'] }),
      ]);
      await say(LEARNED, [
        component('taking', { capability }),
        component('stranger', { shapes: [`${foaf}Person`, 'https://own.example/Person'] }),
      ]);
      const find = matchFinder({ catalog: registry.catalog });
      const types = [`${foaf}Person`, 'https://own.example/Person'];
      const question = readMatchQuestion({ types, mediaType: 'text/turtle' });
      const { matches: found } = await find(planMatch(question), systemPace);
      expect(found.map(({ candidate }) => candidate.metadata.label)).toEqual([
        ...['more', 'class', 'stranger', 'close', 'taking', 'generic'],
      ]);
      const { matches: first } = await find(planMatch({ ...question, limit: 2 }), systemPace);
      expect(first).toEqual(found.slice(0, 2));
    });

    it('tells watchers each new state, in order, when readers see it', async () => {
      const told: State[] = [];
      const stop = registry.catalog.watch((state) => told.push(state));
      await say(POD_A, [component('a')]);
      expect(told.at(-1)).toBe(await registry.state());
      await registry.setNetwork({ peers: [{ url: 'https://p.example', hops: 0, via: [] }], storage: [] });
      expect(told.at(-1)).toBe(await registry.state());
      await Promise.all([
        say(POD_B, [component('b')]),
        say(PEER, [component('c')]),
        registry.upsertLocal([component('d')]),
      ]);
      const numbers = told.map(({ revision }) => revision.number);
      expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
      expect(told.at(-1)?.components).toBe(4);
      stop();
      const before = told.length;
      await say(POD_A, []);
      expect(told).toHaveLength(before);
    });

    it('has one state until something changes', async () => {
      await say(POD_A, [component('a')]);
      const state = await registry.state();
      await registry.commit({ source: POD_A, documents: [], record: { failures: 1 } });
      expect(await registry.state()).toBe(state);
      expect(state.components).toBe(1);
    });
  });
}
