import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeOf } from '../../src/component/component-size.js';
import type { Metadata } from '../../src/component/metadata.js';
import { takenFrom } from '../../src/component/provenance.js';
import type { DocumentChange, Sayings } from '../../src/core/document-change.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import { judge, type Verdict } from '../../src/core/judge.js';
import { allowance, amountOfAll, difference, fitsMore, isWithin, larger } from '../../src/core/limits.js';
import type { Amount, Batch, DocumentReading } from '../../src/core/reading.js';
import type { SourceRecord, StoredDocument } from '../../src/core/source-record.js';
import type { PeerRules } from '../../src/core/take.js';
import { component } from '../support/registry.js';

const HOUR = 3_600_000;
const PEER = 'https://peer.example';
const POD = 'https://pod.example/';
const OF = `pod ${POD}`;
const INVALID = [{ subject: 's', reasons: ['r'] }];
const ENOUGH: Amount = { components: 1e6, bytes: 1e9 };

const named = (...names: string[]) => names.map((name) => component(name));
const many = (prefix: string, count: number) =>
  named(...Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(3, '0')}`));
const uris = (...names: string[]) => named(...names).map(({ uri }) => uri);
const read = (
  url: string,
  components: readonly Metadata[],
  record: DocumentRecord = {},
): DocumentReading => ({
  ...{ url, components, record },
});
const amend = (url: string, put: readonly Metadata[], remove: readonly string[] = []): DocumentReading => ({
  ...{ url, amend: { put, remove }, record: {} },
});

/** A source in memory, of which one poll after the other is judged and stored. */
class Judged {
  readonly said = new Map<string, Map<string, Metadata>>();
  readonly records = new Map<string, DocumentRecord>();
  record: SourceRecord = { failures: 0 };
  rules: PeerRules | undefined;
  limit: Amount = ENOUGH;
  accepts = false;
  now = 0;

  get documents(): Map<string, StoredDocument> {
    return new Map(
      [...this.records].map(([url, record]) => [
        url,
        { ...record, components: this.said.get(url)?.size ?? 0 },
      ]),
    );
  }

  /** The names of what is stored, `name=label` where they differ. */
  get stored(): string[] {
    const all = [...this.said.values()].flatMap((one) => [...one.values()]);
    return all.map(({ uri, label }) => (uri.endsWith(`/${label}.js`) ? label : `${uri}=${label}`)).sort();
  }

  /** What is stored of one document, as its record counts it. */
  of(url: string): StoredDocument | undefined {
    return this.documents.get(url);
  }

  #sayings(url: string): Sayings {
    const all = this.said.get(url) ?? new Map<string, Metadata>();
    const said = [...all].map(([uri, metadata]) => ({ uri, metadata }));
    return { said, find: (uri) => said.find((one) => one.uri === uri) };
  }

  /** After polls of these documents. */
  static async of(settings: Partial<Judged>, ...puts: DocumentReading[][]): Promise<Judged> {
    const source = Object.assign(new Judged(), settings);
    for (const put of puts) await source.poll({ put });
    return source;
  }

  /** Judges a poll, and stores what is decided. */
  async poll(given: Partial<Batch>): Promise<Verdict> {
    const source = { kind: 'peer', url: PEER } as const;
    const batch = { put: [], gone: [], isLast: true, complete: true, ...given };
    const verdict = await judge(batch, {
      stored: { source, record: this.record, documents: this.documents },
      ...{ rules: this.rules, acceptsShrink: this.accepts, limit: this.limit, now: this.now },
      ...{ sayings: (url: string) => this.#sayings(url), breathe: () => undefined },
    });
    const urls = verdict.documents.map(({ url }) => url);
    expect(new Set(urls).size).toBe(urls.length);
    expect(verdict.refused !== undefined).toBe(this.rules?.isMirror === false);
    this.#store(verdict.documents);
    this.record = { ...this.record, refused: verdict.refused ?? {} };
    const { shrink } = verdict;
    if (shrink) this.record = { ...this.record, shrink };
    else if (batch.complete) this.record = { ...this.record, shrink: undefined as never };
    return verdict;
  }

  #store(documents: readonly DocumentChange[]): void {
    for (const { url, components, amend, record } of documents) {
      const before = components || record === null ? [] : (this.said.get(url) ?? []);
      const after = new Map(before);
      for (const uri of amend?.remove ?? []) after.delete(uri);
      for (const one of components ?? amend?.put ?? []) after.set(one.uri, one);
      if (record === null) this.records.delete(url);
      else this.records.set(url, record);
      if (record === null) this.said.delete(url);
      else this.said.set(url, after);
    }
  }
}

describe('what is read of a pod', () => {
  it('is stored, and counted exactly', async () => {
    const pod = await Judged.of({}, [read('d', named('a', 'b', 'c'))]);
    await pod.poll({ put: [amend('d', [component('b', { label: 'B' }), ...named('d')], uris('a', 'z'))] });
    expect(pod.stored).toEqual(['c', 'd', 'https://c.example/b.js=B']);
    const sizes = [...(pod.said.get('d')?.values() ?? [])].map(sizeOf);
    expect(pod.of('d')).toMatchObject({ components: 3, size: sizes.reduce((sum, size) => sum + size) });
  });

  it.each([
    ['is gone', { gone: ['d'] }, []],
    ['is amended until it says nothing', { put: [amend('d', [], uris('a', 'b'))] }, []],
    ['is not named', {}, ['a', 'b']],
    [
      'comes again in one poll, the last counts',
      { put: [read('d', named('c')), read('d', named('a'))] },
      ['a'],
    ],
    ['is gone by what was not read to its end', { gone: ['d'], complete: false }, ['a', 'b']],
    ['was never there', { gone: ['x'] }, ['a', 'b']],
  ])('stays until it goes: %s', async (_, batch, expected) => {
    const pod = await Judged.of({}, [read('d', named('a', 'b'))]);
    const { documents } = await pod.poll(batch);
    expect(documents.map(({ url }) => url)).not.toContain('x');
    expect(pod.stored).toEqual(expected);
    expect(pod.records.size).toBe(expected.length === 0 ? 0 : 1);
  });

  it('that is only remembered anew keeps what it says, and what there was no room for', async () => {
    const pod = await Judged.of({ limit: { components: 2, bytes: 1e6 } }, [
      read('d', named('a', 'b', 'c'), { etag: '"1"' }),
    ]);
    const { size, firstOmitted } = pod.of('d') ?? {};
    await pod.poll({ put: [{ url: 'd', record: { etag: '"2"' } }] });
    expect(pod.of('d')).toEqual({ components: 2, etag: '"2"', omitted: 1, size, firstOmitted });
  });
});

describe('whatever a source says', () => {
  const description = fc.nat(3).map((size) => 'x'.repeat(size * 100));
  const one = fc
    .tuple(fc.constantFrom(...'abcdef'), description)
    .map(([name, text]) => component(name, { description: text }));
  const some = fc.uniqueArray(one, { selector: ({ uri }) => uri, maxLength: 6 });
  const url = fc.constantFrom('d', 'e', 'f');
  const whole = fc.tuple(url, some).map(([url, components]) => read(url, components));
  const amended = fc.tuple(url, some, fc.array(one, { maxLength: 3 })).map(([url, all, gone]) => {
    const remove = gone.map(({ uri }) => uri);
    const put = all.filter(({ uri }) => !remove.includes(uri));
    return amend(url, put, remove);
  });
  const put = fc.uniqueArray(fc.oneof(whole, amended), { selector: ({ url }) => url, maxLength: 3 });
  const limit = fc.record({ components: fc.nat(12), bytes: fc.integer({ min: 200, max: 4000 }) });
  const poll = fc.record({ put, limit, complete: fc.boolean(), gone: fc.subarray(['d', 'e', 'f']) });

  type Said = Map<string, Map<string, Metadata>>;
  const copyOf = (said: Said): Said => new Map([...said].map(([url, all]) => [url, new Map(all)]));
  /** What a source says after it has said this, if there were room for everything. */
  function say(said: Said, put: readonly DocumentReading[], gone: readonly string[]): void {
    for (const { url, components, amend = {} } of put) {
      const all = components ? new Map<string, Metadata>() : (said.get(url) ?? new Map<string, Metadata>());
      for (const one of components ?? amend.put ?? []) all.set(one.uri, one);
      for (const uri of amend.remove ?? []) all.delete(uri);
      said.set(url, all);
    }
    for (const url of gone) said.delete(url);
  }

  it('is stored as far as there is room, and what is stored makes none for anything else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(poll, { maxLength: 5 }), async (polls) => {
        const [pod, said]: [Judged, Said] = [new Judged(), new Map()];
        for (const { put, limit, complete, gone } of polls) {
          const goes = complete ? gone.filter((url) => put.every((one) => one.url !== url)) : [];
          const [before, amount] = [copyOf(pod.said), amountOfAll(pod.documents)];
          Object.assign(pod, { limit, accepts: true });
          await pod.poll({ put, gone: goes, complete });
          say(said, put, goes);
          expect(isWithin(amountOfAll(pod.documents), larger(limit, amount))).toBe(true);
          for (const [url, stored] of pod.said) {
            const [now, was] = [said.get(url) ?? new Map(), before.get(url) ?? new Map()];
            for (const [uri, one] of stored) {
              expect(now.has(uri)).toBe(true);
              expect([now.get(uri), was.get(uri)]).toContainEqual(one);
            }
            for (const uri of was.keys()) expect(stored.has(uri)).toBe(now.has(uri));
            const sizes = [...stored.values()].map(sizeOf);
            expect(pod.of(url)?.size ?? 0).toBe(sizes.reduce((sum, size) => sum + size, 0));
            if (put.every((one) => one.url !== url || !one.components)) continue;
            const left = [...now.keys()].filter((uri) => now.get(uri) !== stored.get(uri)).sort();
            const omitted = left.filter((uri) => !was.has(uri));
            expect(pod.of(url)?.omitted).toBe(omitted.length || undefined);
            expect(pod.of(url)?.firstOmitted === undefined).toBe(left.length === 0);
            const [first] = omitted;
            for (const uri of stored.keys()) if (first && !was.has(uri)) expect(uri < first).toBe(true);
            const room = difference(limit, amountOfAll(pod.documents));
            if (put.length === 1 && goes.length === 0 && first && left[0] === first)
              expect(fitsMore(pod.of(url) ?? {}, room)).toBe(false);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a limit', () => {
  it('of components goes with one of bytes, in which a single one of the largest size has room', () => {
    expect(allowance(100_000)).toEqual({ components: 100_000, bytes: 51_200_000 });
    expect(allowance(1)).toEqual({ components: 1, bytes: 1_000_000 });
  });

  it('counts what it takes to remember a document, and what is wrong in it', () => {
    const bytes = (url: string, more: DocumentRecord) =>
      amountOfAll(new Map([[url, { components: 1, size: 50, ...more }]])).bytes;
    expect(bytes('12345', {}) - bytes('', {})).toBe(5);
    expect(bytes('', { invalid: INVALID }) - bytes('', {})).toBe(JSON.stringify(INVALID).length);
    expect(bytes('', {})).toBeGreaterThan(50);
  });

  const limited = (components: number, ...puts: DocumentReading[][]) =>
    Judged.of({ limit: { components, bytes: 1e6 } }, ...puts);

  it('leaves out what is beyond, in the order of uris', async () => {
    const pod = await limited(4, [read('d', named('a', 'b')), read('e', named('z', 'x', 'y').reverse())]);
    expect(pod.stored).toEqual(['a', 'b', 'x', 'y']);
    expect(pod.of('e')).toMatchObject({ components: 2, omitted: 1, firstOmitted: sizeOf(component('z')) });
    expect(pod.of('d')?.omitted).toBeUndefined();
  });

  it('keeps what is stored before what comes', async () => {
    const pod = await limited(3, [read('d', named('m', 'n', 'o'))], [read('d', named('a', 'm', 'n', 'o'))]);
    expect(pod.stored).toEqual(['m', 'n', 'o']);
    expect(pod.of('d')).toMatchObject({ components: 3, omitted: 1 });
    await pod.poll({ put: [read('e', named('p'))] });
    expect(pod.of('e')).toMatchObject({ components: 0, omitted: 1 });
  });

  it('lets go what goes, and gives its room to what comes', async () => {
    const pod = await limited(3, [read('d', named('a', 'b')), read('e', named('c'))]);
    await pod.poll({ put: [read('f', named('x', 'y'))], gone: ['d'] });
    expect(pod.stored).toEqual(['c', 'x', 'y']);
  });

  it('waits for room for what comes next in the order of uris, and not for what is behind it', async () => {
    const large = component('a', { description: 'x'.repeat(5000) });
    const pod = await Judged.of({ limit: { components: 9, bytes: 1000 } }, [
      read('d', [large, component('b')]),
    ]);
    expect(pod.of('d')).toMatchObject({ components: 0, omitted: 2, firstOmitted: sizeOf(large) });
  });

  it('knows what a reader has left out, and how large that was', async () => {
    const pod = await limited(9, [read('d', named('a'), { omitted: 3, firstOmitted: 4000 })]);
    expect(pod.of('d')).toMatchObject({ components: 1, omitted: 3, firstOmitted: 4000 });
  });

  it('never withdraws: one that was lowered, and news that are larger than what they replace', async () => {
    const pod = await limited(9, [read('d', named('a', 'b', 'c'))], [amend('e', named('x', 'y'))]);
    const large = (name: string) => component(name, { description: 'x'.repeat(5000) });
    pod.limit = { components: 1, bytes: 100 };
    await pod.poll({ put: [read('d', [large('a'), ...named('b', 'c')]), amend('e', [large('x')])] });
    expect(pod.stored).toEqual(['a', 'b', 'c', 'x', 'y']);
    expect([...pod.said.values()].flatMap((one) => [...one.values()].filter((c) => c.description))).toEqual(
      [],
    );
    for (const url of ['d', 'e']) expect(pod.of(url)?.omitted).toBeUndefined();
    const room = { components: 0, bytes: 6000 };
    for (const url of ['d', 'e']) expect(fitsMore(pod.of(url) ?? {}, room)).toBe(true);
    await pod.poll({ put: [read('d', [component('a', { label: 'A' }), ...named('c')])] });
    expect(pod.stored).toEqual(['c', 'https://c.example/a.js=A', 'x', 'y']);
  });

  it('takes what is shorter than what it replaces, also where more of the document is invalid now', async () => {
    const pod = await Judged.of({}, [read('d', [component('a', { label: 'longer' }), ...named('b')])]);
    pod.limit = amountOfAll(pod.documents);
    await pod.poll({ put: [read('d', named('a', 'b', 'c'), { invalid: INVALID })] });
    expect(pod.stored).toEqual(['a', 'b']);
    expect(pod.of('d')).toMatchObject({ omitted: 1, firstOmitted: sizeOf(component('c')) });
  });

  it('counts documents that do not even fit by name, and those that were not read', async () => {
    const pod = new Judged();
    pod.limit = { components: 1000, bytes: 150 };
    expect(await pod.poll({ put: [read('d', named('a'))], unread: 3 })).toMatchObject({ unread: 4 });
    expect(pod.records.size).toBe(0);
  });

  it('is felt by what is amended: what has no room is counted on', async () => {
    const pod = await limited(3, [amend('d', named('a', 'b', 'z'))], [amend('d', named('c', 'd'))]);
    expect(pod.of('d')).toMatchObject({ components: 3, omitted: 2 });
    await pod.poll({ put: [amend('d', named('e'), uris('a'))] });
    expect(pod.stored).toEqual(['b', 'e', 'z']);
  });

  it.each([
    [{ omitted: 2, firstOmitted: 100 }, { components: 1, bytes: 100 }, true],
    [{ omitted: 2, firstOmitted: 100 }, { components: 1, bytes: 99 }, false],
    [{ omitted: 2, firstOmitted: 100 }, { components: 0, bytes: 100 }, false],
    [{ omitted: 2 }, { components: 1, bytes: 512 }, true],
    [{ omitted: 2 }, { components: 1, bytes: 511 }, false],
    [{}, { components: 9, bytes: 900 }, false],
    [{ firstOmitted: 100 }, { components: 0, bytes: 100 }, true],
    [{ firstOmitted: 100 }, { components: 0, bytes: 99 }, false],
  ])('is told from room for more: %o in %o: %s', (record, room, expected) => {
    expect(fitsMore(record, room)).toBe(expected);
  });
});

describe('what is read of a peer', () => {
  const passedOn = (graph: string) => takenFrom(PEER, graph);
  const OTHER = 'https://other.example/';
  const rules = (more: Partial<PeerRules> = {}): PeerRules => ({
    ...{ peer: PEER, isMirror: false, read: () => undefined, ...more },
  });
  const readsPod: Partial<PeerRules> = { read: (url) => (url.startsWith(POD) ? POD : undefined) };
  const taken = (more: Partial<PeerRules>, record: DocumentRecord = {}) =>
    Judged.of({ rules: rules(more) }, [
      read(passedOn(`${POD}d`), named('a'), record),
      read(passedOn(`${OTHER}d`), named('b')),
    ]);

  it.each([
    ['is taken of pods that this node does not read', {}, ['a', 'b'], undefined],
    ['is not taken of those that it reads', readsPod, ['b'], [POD]],
    ['nor of those that it takes from others', { isFromOthers: (of: string) => of === OF }, ['b'], [POD]],
    ['but all by a mirror', { ...readsPod, isMirror: true }, ['a', 'b'], undefined],
  ] as const)('%s', async (_, more, stored, refused) => {
    const peer = await taken(more as Partial<PeerRules>, { of: OF });
    expect(peer.stored).toEqual(stored);
    expect(peer.record.refused?.[OF]).toEqual(refused);
  });

  it('goes when it is not taken any more, though the peer was not read, and is no loss of it', async () => {
    const put = [
      read(passedOn(`${POD}d`), many('p', 60), { of: OF }),
      read(passedOn(`${OTHER}d`), named('b')),
    ];
    const peer = await Judged.of({ rules: rules() }, put);
    peer.rules = rules(readsPod);
    const verdict = await peer.poll({ complete: false, failure: { message: 'down' } });
    expect(peer.stored).toEqual(['b']);
    expect(verdict.shrink).toBeUndefined();
    expect(verdict.dropped.map(({ url }) => url)).toEqual([passedOn(`${POD}d`)]);
    expect(peer.record).toMatchObject({ refused: { [OF]: [POD] } });
  });

  it('stays noted as not taken until all of the peer is read anew', async () => {
    const peer = await taken(readsPod, { of: OF });
    peer.rules = rules();
    await peer.poll({ put: [read(passedOn(`${OTHER}d`), named('b', 'c'))] });
    expect(peer.record.refused).toEqual({ [OF]: [POD] });
    // Something may still be remembered of a peer whose state is forgotten, such as after a poll that has failed.
    peer.record = { ...peer.record, memo: { pageSize: 1 } };
    await peer.poll({ put: [read(passedOn(`${POD}d`), named('a'), { of: OF })], isWhole: true });
    expect(peer.record.refused).toEqual({});
  });

  it('is given whole when it comes to belong to another source, where not all has room', async () => {
    const url = passedOn(`${POD}d`);
    const peer = await Judged.of({ rules: rules(), limit: { components: 1, bytes: 1e6 } }, [
      read(url, named('a')),
    ]);
    const verdict = await peer.poll({ put: [read(url, named('a', 'b'), { of: OF })] });
    expect(verdict.documents).toMatchObject([{ components: named('a'), record: { of: OF, omitted: 1 } }]);
    peer.limit = { components: 1, bytes: 100 };
    const large = component('a', { description: 'x'.repeat(5000) });
    const other = await peer.poll({ put: [read(url, [large], { of: `pod ${OTHER}` })] });
    expect(other.documents).toMatchObject([{ components: named('a'), record: { omitted: undefined } }]);
    expect(other.documents[0]?.record?.firstOmitted).toBeDefined();
  });

  describe('is compared with the digests that the peer tells', () => {
    const digests = new Map([
      [OF, 'one'],
      [`pod ${OTHER}`, 'other'],
    ]);
    const judged = async (more: Partial<PeerRules>, record: DocumentRecord = {}, limit = ENOUGH) => {
      const peer = new Judged();
      Object.assign(peer, { rules: rules(more), limit });
      const put = [
        read(passedOn(`${OTHER}d`), named('b'), { of: `pod ${OTHER}` }),
        read(passedOn(`${POD}d`), named('a', 'c'), { of: OF, ...record }),
      ];
      return [peer, await peer.poll({ put, digests })] as const;
    };
    it.each([
      ['of all sources', {}, {}, ENOUGH, [OF, `pod ${OTHER}`]],
      ['but of those that are not taken', readsPod, {}, ENOUGH, [`pod ${OTHER}`]],
      ['but of those that are cut', {}, {}, { components: 2, bytes: 1e6 }, [`pod ${OTHER}`]],
      ['but of those with what breaks a rule', {}, { invalid: INVALID }, ENOUGH, [`pod ${OTHER}`]],
      ['but of those that could not be read whole', {}, { error: 'broken' }, ENOUGH, [`pod ${OTHER}`]],
    ] as const)('%s', async (_, more, record, limit, expected) => {
      const [, verdict] = await judged(more as Partial<PeerRules>, record, limit);
      expect([...verdict.expected.keys()].sort()).toEqual([...expected].sort());
    });

    it('but of none where a document was left out for want of room', async () => {
      const [, verdict] = await judged({}, {}, { components: 9, bytes: 1 });
      expect([verdict.unread, verdict.expected.size]).toEqual([2, 0]);
    });

    it('but of those with news that have no room', async () => {
      const [peer] = await judged({});
      peer.limit = { components: 9, bytes: 100 };
      const large = [component('a', { description: 'x'.repeat(5000) }), ...named('c')];
      const verdict = await peer.poll({ put: [read(passedOn(`${POD}d`), large, { of: OF })], digests });
      expect([...verdict.expected.keys()]).toEqual([`pod ${OTHER}`]);
    });

    it('also later, when only what has changed is told', async () => {
      const [peer] = await judged(readsPod);
      expect([...(await peer.poll({ digests })).expected.keys()]).toEqual([`pod ${OTHER}`]);
    });

    it('but of those of which removals are pending', async () => {
      const url = passedOn(`${POD}d`);
      const peer = await Judged.of({ rules: rules() }, [read(url, many('p', 60), { of: OF })]);
      const verdict = await peer.poll({ gone: [url], digests });
      expect([...verdict.expected.keys()]).toEqual([`pod ${OTHER}`]);
    });

    it('and leaves a document where it belonged, while something of it is pending', async () => {
      const url = passedOn(`${POD}d`);
      const peer = await Judged.of({ rules: rules() }, [read(url, many('p', 60))]);
      const verdict = await peer.poll({ put: [read(url, many('p', 10), { of: OF })], digests });
      expect(verdict.documents).toMatchObject([{ url, amend: { remove: [] }, record: { of: undefined } }]);
      expect(verdict.shrink).toMatchObject({ polls: 1 });
    });
  });
});

describe('a source that loses more than half of its components', () => {
  const D = many('d', 60);
  const E = many('e', 40);
  const hundred = () => Judged.of({}, [read('d', D), read('e', E)]);

  it('has its removals pending; whatever else it says is taken', async () => {
    const pod = await hundred();
    const verdict = await pod.poll({ gone: ['d'], put: [read('f', many('f', 3))] });
    expect(verdict.shrink).toMatchObject({ since: 0, polls: 1, from: 100, to: 43 });
    expect(pod.stored).toHaveLength(103);
  });

  it('keeps of a document what it says no more, and forgets what would say that it is as it was', async () => {
    const pod = await hundred();
    const record = { etag: '"2"', lastModified: 'now', modified: 'now', readAt: 5 };
    await pod.poll({ put: [read('d', [component('d000', { label: 'edited' }), ...named('new')], record)] });
    expect(pod.stored).toHaveLength(101);
    expect(pod.stored).toEqual(expect.arrayContaining(['d059', 'new', 'https://c.example/d000.js=edited']));
    expect(pod.of('d')).toMatchObject({ components: 61, readAt: 5 });
    for (const mark of ['etag', 'lastModified', 'modified']) expect(pod.of('d')).not.toHaveProperty(mark);
  });

  it.each([
    ['three complete polls', [0, 90, 91]],
    ['an hour', [0, 30, 59, 60]],
  ])('is believed after %s with the same loss, whatever else it says', async (_, polls) => {
    const pod = await hundred();
    for (const [round, minutes] of polls.entries()) {
      pod.now = (minutes * HOUR) / 60;
      const { shrink } = await pod.poll({ gone: ['d'], put: [read('posts', many(`p${round}`, 3))] });
      expect(shrink === undefined).toBe(round === polls.length - 1);
    }
    expect(pod.stored).toHaveLength(43);
  });

  it('does not become more believable by polls that could not read all of it', async () => {
    const pod = await hundred();
    for (let i = 0; i < 5; i++) {
      pod.now = i * HOUR;
      await pod.poll({ put: [read('d', [])], complete: false });
    }
    expect(pod.record.shrink).toMatchObject({ polls: 0 });
    expect(pod.stored).toHaveLength(100);
  });

  it('waits by itself where it comes on top of another: nothing makes the first one wait longer', async () => {
    const pod = await Judged.of({}, [read('d', D), read('e', many('e', 140))]);
    const polls: readonly (readonly [hours: number, left: number, stored: number])[] = [
      [0, 80, 200],
      [0.67, 30, 200],
      [1, 30, 80],
      [1.67, 30, 80],
      [2, 30, 30],
    ];
    for (const [hours, left, stored] of polls) {
      pod.now = hours * HOUR;
      await pod.poll({ gone: pod.records.has('d') ? ['d'] : [], put: [read('e', many('e', left))] });
      expect(pod.stored).toHaveLength(stored);
    }
  });

  it('is taken back of a document as far as it is believed', async () => {
    const pod = await Judged.of({}, [read('d', many('d', 200), { etag: '"1"' })]);
    for (const gone of [120, 180]) {
      const remove = many('d', gone).map(({ uri }) => uri);
      await pod.poll({ put: [amend('d', [], remove)] });
    }
    pod.now = HOUR;
    await pod.poll({ gone: ['d'] });
    expect(pod.stored).toHaveLength(80);
    expect(pod.record.shrink).toMatchObject({ polls: 1, from: 80, to: 0 });
    expect(pod.of('d')).not.toHaveProperty('etag');
  });

  it('is not believed when each poll loses something else, however often', async () => {
    const pod = new Judged();
    const thirds = ['a', 'b', 'c'];
    await pod.poll({ put: thirds.map((name) => read(name, many(name, 40))) });
    for (let round = 0; round < 9; round++) {
      pod.now = round * HOUR;
      const stays = thirds[round % 3];
      const verdict = await pod.poll({ gone: thirds.filter((name) => name !== stays) });
      expect(verdict.shrink).toBeDefined();
      expect(pod.stored).toHaveLength(120);
    }
  });

  it('is believed at once when the operator accepts it', async () => {
    const pod = await hundred();
    pod.accepts = true;
    expect(await pod.poll({ gone: ['d'] })).toMatchObject({ shrink: undefined });
    expect(pod.stored).toHaveLength(40);
  });

  it.each([
    [40, 19, true],
    [40, 20, false],
    [41, 20, true],
    [21, 0, true],
    [20, 0, false],
    [30, 12, false],
  ])('is one that had %i and has %i: %s', async (had, has, isPending) => {
    const pod = await Judged.of({}, [read('d', many('d', had))]);
    expect((await pod.poll({ put: [read('d', many('d', has))] })).shrink !== undefined).toBe(isPending);
  });

  it('is counted with what a feed takes back, but with nothing that it takes back in vain', async () => {
    const pod = await hundred();
    const gone = [...D, ...E.slice(0, 15)].map(({ uri }) => uri);
    const verdict = await pod.poll({
      put: [amend('d', [], [...gone, ...gone]), amend('e', named('e039', 'new'), [...gone, ...uris('z')])],
    });
    expect(verdict.shrink).toMatchObject({ from: 100, to: 26 });
    expect(verdict.shrink?.lost).toHaveLength(75);
    expect(pod.stored).toHaveLength(101);
    expect(pod.of('d')).toMatchObject({ components: 60 });
  });

  it('begins anew where it finds none of what was lost before', async () => {
    const pod = await hundred();
    pod.record = { failures: 0, shrink: { since: 0, polls: 2, from: 100, to: 40 } };
    pod.now = 9 * HOUR;
    expect((await pod.poll({ gone: ['d'] })).shrink).toMatchObject({ since: 9 * HOUR, polls: 1 });
  });

  it('is one by what it says, stored or not', async () => {
    const pod = await Judged.of({ limit: { components: 30, bytes: 1e6 } }, [read('d', many('d', 100))]);
    expect((await pod.poll({ put: [read('d', many('d', 45), { omitted: 5 })] })).shrink).toBeUndefined();
    expect((await pod.poll({ put: [read('d', many('d', 20), { omitted: 4 })] })).shrink).toMatchObject({
      ...{ from: 50, to: 24 },
    });
  });

  it('has lost nothing by what there is no room for', async () => {
    const pod = await hundred();
    pod.limit = { components: 5, bytes: 1e6 };
    expect(await pod.poll({ put: [read('e', many('e', 90))] })).toMatchObject({ shrink: undefined });
    expect(pod.stored).toHaveLength(100);
  });

  it('had nothing twice, though the news of what is stored had no room for a while', async () => {
    const pod = await hundred();
    const large = D.map((one) => ({ ...one, description: 'x'.repeat(5000) }));
    pod.limit = { components: 100, bytes: 100 };
    await pod.poll({ put: [read('d', large)] });
    pod.limit = ENOUGH;
    expect((await pod.poll({ put: [read('d', large.slice(1))] })).shrink).toBeUndefined();
    expect(pod.stored).toHaveLength(99);
  });
});
