import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  afterLook,
  afterStatement,
  digestsOf,
  type ModuleStatement,
  pinOf,
  type StoredPin,
} from '../../src/core/pins.js';

const hash = (text: string, name = 'sha384') => `${name}-${createHash(name).update(text).digest('base64')}`;
const says = (integrity?: string): ModuleStatement => ({
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
const shown = async (...looks: (readonly [ModuleStatement, string])[]) =>
  pinOf(await seen(...looks), (looks.at(-1) as (typeof looks)[number])[0]);

describe('without a promise', () => {
  test('the first bytes stay, and others are changed until the first are back', async () => {
    expect(await shown([says(), 'a'])).toEqual({ integrity: hash('a') });
    expect(await shown([says(), 'a'], [says(), 'b'])).toEqual({ integrity: hash('a'), changed: hash('b') });
    expect(await shown([says(), 'a'], [says(), 'b'], [says(), 'a'])).toEqual({ integrity: hash('a') });
  });

  test('it is remembered since when they are others', async () => {
    const looks = [[says(), 'a'] as const, [says(), 'b'] as const, [says(), 'c'] as const];
    expect(await seen(...looks)).toMatchObject({ since: 0, changedAt: 1, checked: 2 });
    expect((await seen(...looks, [says(), 'a'])).changedAt).toBeUndefined();
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
    expect(await shown([says(hash('b')), 'a'], [says(hash('a')), 'a'])).toEqual({ integrity: hash('a') });
    expect(await shown([says(hash('b')), 'a'], [says(), 'a'])).toEqual({ integrity: hash('a') });
    // Bytes that the author had promised otherwise were not those of the release.
    expect(await shown([says(hash('b')), 'a'], [says(hash('b')), 'b'])).toEqual({ integrity: hash('b') });
    expect(await shown([says(hash('b')), 'a'], [says(hash('b')), 'b'], [says(), 'b'])).toEqual({
      integrity: hash('b'),
    });
  });

  test('does not free from what was seen first: a version is released once', async () => {
    expect(await shown([says(), 'a'], [says(hash('b')), 'a'])).toEqual({
      integrity: hash('a'),
      changed: hash('b'),
    });
    expect(await shown([says(), 'a'], [says(hash('b')), 'b'])).toEqual({
      integrity: hash('a'),
      changed: hash('b'),
    });
    expect(await shown([says(hash('a')), 'a'], [says(), 'b'])).toEqual({
      integrity: hash('a'),
      changed: hash('b'),
    });
  });

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

  test.each<[what: string, ...looks: (readonly [ModuleStatement, string])[]]>([
    ['where it promises nothing', [none, 'a'], [none, 'b']],
    ['where it promises other bytes', [none, 'a'], [kept, 'b']],
    ['where somebody has promised those bytes in between', [none, 'a'], [kept, 'b'], [none, 'b']],
    ['where somebody had promised others, which counts only for that', [broken, 'a'], [none, 'b']],
  ])('counts for whoever is served later: %s', async (_what, ...looks) => {
    expect(await shown(...looks)).toEqual({ integrity: hash('a'), changed: hash('b') });
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
