import { describe, expect, it, vi } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import type { DocumentRecord, StoredDocument } from '../../src/core/document-record.js';
import type { Batch, DocumentReading } from '../../src/core/reading.js';
import type { PeerRules } from '../../src/core/take.js';
import { components, ENOUGH, Judged, most, PEER, reading } from './judged.js';

it.each<[what: string, polls: string[], stored: string]>([
  ['what is amended', ['d: a b c', 'd+ b=B d -a -z'], 'd: b=B c d'],
  ['what is gone', ['d: a b; e: c', '-d'], 'e: c'],
  ['what was never there', ['d: a', '-x'], 'd: a'],
  ['what is amended until it says nothing', ['d: a b', 'd+ -a -b'], ''],
  ['what is not named', ['d: a b', ''], 'd: a b'],
  ['what comes again in one poll, of which the last counts', ['d: c; d: a'], 'd: a'],
  ['what is gone by what was not read to its end', ['d: a b', '-d …'], 'd: a b'],
  ['what is gone and said by one poll', ['d: a b', 'd: c; -d'], ''],
])('is stored: %s', async (_, polls, stored) => {
  expect((await Judged.of({}, ...polls)).stored).toBe(stored);
});

it('says nothing of a document that was never there', async () => {
  const { documents, refused } = await new Judged().poll('-x');
  expect([documents, refused]).toEqual([[], undefined]);
});

describe('what is read of a peer', () => {
  const [POD, OTHER] = ['https://pod.example/', 'https://other.example/'] as const;
  const [OF, OTHER_OF] = [`pod ${POD}`, `pod ${OTHER}`];
  const [D, E] = [takenFrom(PEER, `${POD}d`), takenFrom(PEER, `${OTHER}e`)];
  const ofPod = (words: string, record: DocumentRecord = {}) => reading(D, words, { of: OF, ...record });
  const ofOther = (words: string) => reading(E, words, { of: OTHER_OF });
  const rules = (more: Partial<PeerRules> = {}): PeerRules => ({
    ...{ peer: PEER, isMirror: false, read: () => undefined, ...more },
  });
  const readsPod = rules({ read: (url) => (url.startsWith(POD) ? POD : undefined) });
  const fromOthers = rules({ isFromOthers: (of) => of === OF });
  const peer = (settings: Partial<Judged>, ...polls: DocumentReading[][]) =>
    Judged.of({ rules: rules(), ...settings }, ...polls.map((put) => ({ put })));
  const INVALID = [{ subject: 's', reasons: ['r'] }];
  const [A, BOTH] = [`${E}: b`, `${E}: b; ${D}: a`];

  it.each<[string, PeerRules, stored: string, refused: unknown]>([
    ['is taken of pods that this node does not read', rules(), BOTH, {}],
    ['is not taken of those that it reads', readsPod, A, { [OF]: [POD] }],
    ['nor of those that it takes from others', fromOthers, A, { [OF]: [POD] }],
    ['but all by a mirror', { ...readsPod, isMirror: true }, BOTH, undefined],
  ])('%s', async (_, rules, stored, refused) => {
    const source = await peer({ rules });
    expect((await source.poll({ put: [ofPod('a'), ofOther('b')] })).refused).toEqual(refused);
    expect(source.stored).toBe(stored);
  });

  it('is noted by the pods because of which it is not taken, where there are any', async () => {
    const source = await peer({ rules: rules({ read: (url) => new URL(url).origin }) });
    const far = reading(takenFrom(PEER, takenFrom('https://far.example', `${POD}d`)), 'a', { of: OF });
    const { refused } = await source.poll({ put: [reading(D, 'a'), reading(E, 'b'), far] });
    expect(refused).toEqual({ [OF]: [], '': ['https://other.example', 'https://pod.example'] });
  });

  it('goes when it is not taken any more, though the peer was not read, and is no loss of it', async () => {
    const source = await peer({}, [ofPod('p*60'), ofOther('b')]);
    source.rules = readsPod;
    const verdict = await source.poll({ complete: false, failure: { message: 'down' } });
    expect([source.stored, verdict.shrink]).toEqual([A, undefined]);
    expect(verdict).toMatchObject({ dropped: [{ url: D }], refused: { [OF]: [POD] } });
  });

  it('stays noted as not taken until all of the peer is read anew', async () => {
    const source = await peer({ rules: readsPod }, [ofPod('a'), ofOther('b')]);
    source.rules = rules();
    expect((await source.poll({ put: [ofOther('b c')] })).refused).toEqual({ [OF]: [POD] });
    expect((await source.poll({ put: [ofPod('a')], isWhole: true })).refused).toEqual({});
  });

  it('is given whole when it comes to belong to another source, where not all has room', async () => {
    const source = await peer({ limit: most(1) }, [ofOther('a')]);
    const moved = (words: string, of: string) => source.poll({ put: [reading(E, words, { of })] });
    const said = { components: components('a') };
    expect(await moved('a b', OF)).toMatchObject({ documents: [{ ...said, record: { omitted: 1 } }] });
    source.limit = most(1, 100);
    const record = { omitted: undefined, firstOmitted: expect.any(Number) };
    expect(await moved('a!', OTHER_OF)).toMatchObject({ documents: [{ ...said, record }] });
  });

  const digests = new Map([OF, OTHER_OF].map((of) => [of, `digest of ${of}`]));
  const other = { put: [ofOther('b')] };
  it.each<[string, Partial<Judged>, DocumentReading[], last: Partial<Batch>, expected: string[]]>([
    ['all of them', {}, [], { put: [ofPod('a c'), ofOther('b')] }, [OF, OTHER_OF]],
    ['not what is not taken', { rules: readsPod }, [], { put: [ofPod('a'), ofOther('b')] }, [OTHER_OF]],
    ['nor later', { rules: readsPod }, [ofPod('a'), ofOther('b')], {}, [OTHER_OF]],
    ['not what is cut', { limit: most(1) }, [], { put: [ofOther('b'), ofPod('a c')] }, [OTHER_OF]],
    ['not what breaks a rule', {}, [], { put: [ofPod('a', { invalid: INVALID })] }, [OTHER_OF]],
    ['not what could not be read', {}, [ofPod('a', { error: 'broken' })], other, [OTHER_OF]],
    ['none where a document has no room', { limit: most(9, 1) }, [], other, []],
    ['not news that have no room', { limit: most(9, 100) }, [ofPod('a')], { put: [ofPod('a!')] }, [OTHER_OF]],
    ['not what has removals pending', {}, [ofPod('p*60')], { gone: [D] }, [OTHER_OF]],
    ['nor what it moves to', {}, [ofPod('p*60')], { put: [reading(D, 'p*9', { of: OTHER_OF })] }, []],
  ])('is compared by digests: %s', async (_, { limit = ENOUGH, ...settings }, before, last, expected) => {
    const source = Object.assign(await peer(settings, before), { limit });
    const { expected: told } = await source.poll({ ...last, digests });
    expect([...told]).toEqual(expected.map((of) => [of, `digest of ${of}`]));
  });

  it('is walked through once where nothing new is said, however much is stored', async () => {
    const source = await peer({}, [ofPod('a'), ofOther('b')]);
    let walks = 0;
    class Walked extends Map<string, StoredDocument> {
      override [Symbol.iterator]() {
        walks += 1;
        return super[Symbol.iterator]();
      }
    }
    vi.spyOn(source, 'documents', 'get').mockReturnValue(new Walked(source.documents));
    await source.poll('');
    expect(walks).toBe(1);
  });

  it('belongs to what it belonged to while something of it is pending', async () => {
    const source = await peer({}, [ofPod('p*60')]);
    const verdict = await source.poll({ put: [reading(D, 'p*10', { of: OTHER_OF })] });
    expect(verdict).toMatchObject({ documents: [{ url: D, amend: { remove: [] }, record: { of: OF } }] });
  });
});
