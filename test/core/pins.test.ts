import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Source } from '../../src/component/source.js';
import {
  afterLook,
  afterStatement,
  digestsOf,
  isPinNews,
  type Look,
  type ModuleStatement,
  newsOf,
  pinOf,
  type StoredPin,
} from '../../src/core/pins.js';

const hash = (text: string, name = 'sha384') => `${name}-${createHash(name).update(text).digest('base64')}`;
const AUTHOR: Source = { kind: 'pod', url: 'https://author.example/' };
const STRANGER: Source = { kind: 'pod', url: 'https://stranger.example/' };
const says = (integrity?: string, source = AUTHOR): ModuleStatement => ({
  source,
  metadata: integrity === undefined ? {} : { integrity },
});
/** What is known after looks at a module: at each, who is served, and what the bytes are. */
async function seen(...looks: (readonly [ModuleStatement, string])[]): Promise<StoredPin> {
  let known: StoredPin | undefined;
  for (const [i, [statement, text]] of looks.entries()) {
    const bytes = await digestsOf(new TextEncoder().encode(text), statement.metadata);
    known = afterLook(known, {
      uri: 'https://c.example/c.js',
      version: '1',
      statement,
      bytes,
      at: i,
      validators: {},
    });
  }
  return known as StoredPin;
}
/** Looks in short: `a b<c` is one at bytes a, and one at bytes b where c was promised. */
const looks = (texts: string) =>
  texts.split(' ').map((text) => {
    const [bytes = '', promised] = text.split('<');
    return [says(promised === undefined ? undefined : hash(promised)), bytes] as const;
  });
const shown = async (...looks: (readonly [ModuleStatement, string])[]) =>
  pinOf(await seen(...looks), (looks.at(-1) as (typeof looks)[number])[0]);

describe('without a promise', () => {
  test('the first bytes stay, and others are changed until the first are back', async () => {
    expect(await shown(...looks('a'))).toEqual({ integrity: hash('a') });
    expect(await shown(...looks('a b'))).toEqual({ integrity: hash('a'), changed: hash('b') });
    expect(await shown(...looks('a b a'))).toEqual({ integrity: hash('a') });
  });

  test('it is remembered since when they are others', async () => {
    expect(await seen(...looks('a b c'))).toMatchObject({ since: 0, changedAt: 1, checked: 2 });
    expect((await seen(...looks('a b c a'))).changedAt).toBeUndefined();
  });
});

describe('a promise', () => {
  test.each(['sha256', 'sha384', 'sha512'])('in %s is kept, or is not', async (name) => {
    expect(await shown([says(hash('a', name)), 'a'])).toEqual({ integrity: hash('a', name) });
    expect(await shown([says(hash('b', name)), 'a'])).toEqual({
      integrity: hash('b', name),
      changed: hash('a'),
    });
  });

  test('of several bytes is kept by each of them', async () => {
    const either = [hash('a'), hash('b')].sort().join(' ');
    expect(await shown([says(either), 'a'], [says(either), 'b'])).toEqual({ integrity: either });
  });

  test('that was wrong and is corrected leaves nothing behind', async () => {
    expect(await shown(...looks('a<b a<a'))).toEqual({ integrity: hash('a') });
    expect(await shown(...looks('a<b a'))).toEqual({ integrity: hash('a') });
    // Bytes that the author had promised otherwise were not those of the release.
    expect(await shown(...looks('a<b b<b'))).toEqual({ integrity: hash('b') });
    expect(await shown(...looks('a<b b<b b'))).toEqual({ integrity: hash('b') });
  });

  test.each(['a a<b', 'a b<b', 'a<a b'])(
    'does not free from what was seen first: a version is released once: %s',
    async (texts) => {
      expect(await shown(...looks(texts))).toEqual({ integrity: hash('a'), changed: hash('b') });
    },
  );

  test('counts at once, as far as it can be compared with what was seen', async () => {
    const known = await seen([says(), 'a']);
    expect(pinOf(known, says(hash('a')))).toEqual({ integrity: hash('a') });
    expect(pinOf(known, says(hash('a', 'sha512')))).toBeUndefined();
    expect(await shown([says(), 'a'], [says(hash('a', 'sha512')), 'a'])).toEqual({
      integrity: hash('a', 'sha512'),
    });
  });
});

describe('what was seen first', () => {
  const [none, kept, broken] = [says(), says(hash('b')), says(hash('never'))];
  const stranger = says(undefined, STRANGER);

  test.each<[what: string, ...looks: (readonly [ModuleStatement, string])[]]>([
    ['where it promises nothing', [stranger, 'a'], [none, 'b']],
    ['where it is the same source, and promises other bytes', [none, 'a'], [kept, 'b']],
    ['where somebody has promised those bytes in between', [stranger, 'a'], [kept, 'b'], [stranger, 'b']],
    ['where it has promised those bytes itself in between', [stranger, 'a'], [kept, 'b'], [none, 'b']],
    ['where somebody had promised others, which counts only for that', [broken, 'a'], [stranger, 'b']],
  ])('counts for whoever is served later: %s', async (_what, ...looks) => {
    expect(await shown(...looks)).toEqual({ integrity: hash('a'), changed: hash('b') });
  });

  test.each<[what: string, ...looks: (readonly [ModuleStatement, string])[]]>([
    ['who promised nothing', [stranger, 'a']],
    ['who promised them', [says(hash('a'), STRANGER), 'a']],
    ['who promised them after another promise was broken', [broken, 'x'], [says(hash('a'), STRANGER), 'a']],
    ['who promised nothing after another promise was broken', [broken, 'a'], [stranger, 'a']],
  ])('for somebody else does not count against a promise: %s', async (_what, ...looks) => {
    expect(await shown(...looks, [kept, 'b'])).toEqual({ integrity: hash('b') });
    expect(await shown(...looks, [kept, 'b'], [kept, 'c'])).toEqual({
      integrity: hash('b'),
      changed: hash('c'),
    });
    expect(pinOf(await seen(...looks), kept)).toEqual({ integrity: hash('b'), changed: hash('a') });
  });

  test('counts without another look for who is served then, and so does what that promises', async () => {
    const known = await seen([broken, 'a']);
    expect(pinOf(known, none)).toEqual({ integrity: hash('a') });
    expect(known.changedAt).toBe(0);
    const restated = afterStatement(known, none, 5);
    expect(restated.changedAt).toBeUndefined();
    expect(afterStatement(restated, none, 6)).toBe(restated);
    expect(afterStatement(restated, broken, 7).changedAt).toBe(7);
  });
});

describe('what a module imports', () => {
  const file = (name: string, text = name) => ({ uri: `https://c.example/${name}`, integrity: hash(text) });
  const [A, B, OTHER] = [file('a'), file('b'), file('a', 'other')];
  type Looked = readonly [bytes: string, imports?: Look['imports'], promise?: string, source?: Source];
  const looked = (...looks: readonly Looked[]) =>
    looks.reduce<StoredPin | undefined>((known, [text, imports, promise, source], at) => {
      const look = { uri: 'https://c.example/c.js', bytes: hash(text), imports, at, validators: {} };
      return afterLook(known, { ...look, statement: says(promise, source) });
    }, undefined) as StoredPin;
  const filesOf = (...looks: readonly Looked[]) => pinOf(looked(...looks), says())?.files;

  test('is pinned with its first bytes', () => {
    const seen = looked(['1', { files: [{ ...A, etag: '"a"' }, B], unpinned: ['lit'] }]);
    expect(pinOf(seen, says())).toEqual({ integrity: hash('1'), files: [A, B], unpinned: ['lit'] });
    expect(seen.files?.[0]?.etag).toBe('"a"');
    expect(filesOf(['1'])).toBeUndefined();
  });

  test('is not pinned for a promise of other bytes than those that were seen first for somebody else', () => {
    const seen = looked(['1', { files: [A] }, undefined, STRANGER], ['2', { files: [OTHER] }, hash('2')]);
    expect(pinOf(seen, says(hash('2')))).toEqual({ integrity: hash('2') });
    expect(pinOf(seen, says(hash('1')))?.files).toEqual([{ ...A, changed: OTHER.integrity }]);
  });

  const first: Looked = ['1', { files: [A] }];
  const changed: Looked = ['1', { files: [OTHER, B] }];
  test.each<[what: string, looks: readonly Looked[], files: unknown]>([
    ['at the first look at it, though not the first at the module', [['1'], first], [A]],
    ['not with bytes that are others than the first', [['1'], ['2', { files: [A] }]], undefined],
    ['nor with bytes that were promised otherwise', [['1', { files: [A] }, hash('2')]], undefined],
    ['and stays, whatever is imported later', [first, ['1', { files: [B] }]], [A]],
    ['also where that could not be looked at', [first, ['1']], [A]],
    ['also where it was nothing that can be pinned', [['1', { unpinned: ['x'] }], first], undefined],
    ['and is changed where it is other bytes now', [first, changed], [{ ...A, changed: OTHER.integrity }]],
    ['until the first bytes are back', [first, changed, first], [A]],
  ])('%s', (_, looks, files) => {
    expect(filesOf(...looks)).toEqual(files);
  });
});

describe('what is told of a pin', () => {
  test('is news for readers of the feed only where bytes are others', () => {
    const pin = { integrity: hash('a'), changed: hash('b') };
    const told = [newsOf(pin), newsOf({ integrity: hash('a') }), newsOf(undefined)];
    expect(told).toEqual([pin, undefined, undefined]);
  });

  test.each([
    ['the first look', '', 'a', false],
    ['a first look at bytes that break a promise', '', 'a<b', true],
    ['the same bytes', 'a', 'a', false],
    ['other bytes', 'a', 'b', true],
    ['those bytes once more', 'a b', 'b', false],
    ['again other ones', 'a b', 'c', true],
    ['the first ones again', 'a b', 'a', true],
    ['a promise that is kept again', 'a<b', 'a<a', true],
  ])('is counted as a change once: %s', async (_, before, after, expected) => {
    const known = before ? await seen(...looks(before)) : undefined;
    const all = looks(`${before} ${after}`.trim());
    expect(isPinNews(known, await seen(...all), all.at(-1)?.[0] as ModuleStatement)).toBe(expected);
  });

  test('needs no bytes again where those that were seen can be compared with the promise', async () => {
    const known = await seen([says(), 'a']);
    const promises = [undefined, hash('x'), hash('x', 'sha512')];
    expect(promises.map((one) => pinOf(known, says(one)) !== undefined)).toEqual([true, true, false]);
  });
});
