import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import * as pins from '../../src/core/pins.js';

const hash = (bytes: string, name = 'sha384') => `${name}-${createHash(name).update(bytes).digest('base64')}`;
/** Integrity metadata in short: `a`, `a.512` by SHA-512, and `a|b` for either. */
function integrityOf(text: string): string {
  const digests = text.split('|').map((one) => {
    const [bytes = '', bits = '384'] = one.split('.');
    return hash(bytes, `sha${bits}`);
  });
  return digests.sort().join(' ');
}
/** What a module is described by: `<b` promises the bytes b, `~` is a stranger's, `~<b` both. */
function statementOf(text: string): pins.ModuleStatement {
  const [, stranger, promise] = /^(~?)(?:<(.*))?$/.exec(text) ?? [];
  const source = {
    kind: 'pod',
    url: stranger ? 'https://stranger.example/' : 'https://author.example/',
  } as const;
  return { source, metadata: promise === undefined ? {} : { integrity: integrityOf(promise) } };
}

/** What a module imports: `a` with the bytes a, `a=x` with the bytes x, `?c` that cannot be pinned. */
function importsOf(text: string) {
  const [names, unpinned] = [[], []] as [string[], string[]];
  for (const word of text.split(',').filter(Boolean)) (word.startsWith('?') ? unpinned : names).push(word);
  const files = names.map((word) => {
    const [name = '', bytes = name] = word.split('=');
    return { uri: `https://c.example/${name}`, integrity: hash(bytes), etag: name };
  });
  return { ...(files.length > 0 && { files }), ...(unpinned.length > 0 && { unpinned }) };
}

/** Looks at a module: in `a+x,y b~<c` the bytes a import x and y; then they are b, a stranger promises c. */
async function looked(texts: string) {
  let known: pins.StoredPin | undefined;
  let statement = statementOf('');
  for (const [at, text] of texts.split(' ').filter(Boolean).entries()) {
    const [, letters = '', imported, said = ''] = /^(\w+)(?:\+([^~<]+))?(.*)$/.exec(text) ?? [];
    statement = statementOf(said);
    const bytes = await pins.digestsOf(new TextEncoder().encode(letters), statement.metadata);
    const imports = imported === undefined ? undefined : importsOf(imported);
    const look = { uri: 'https://c.example/c.js', statement, bytes, imports, at, validators: {} };
    known = pins.afterLook(known, look);
  }
  return { known: known as pins.StoredPin, statement };
}
/** A pin in short: `a`, or `a not b`. */
function pinOf(text: string) {
  const [integrity = '', changed] = text.split(' not ');
  return { integrity: integrityOf(integrity), ...(changed && { changed: integrityOf(changed) }) };
}

test.each<[what: string, looks: string, pin: string]>([
  ['the first bytes stay', 'a', 'a'],
  ['others are changed', 'a b', 'a not b'],
  ['until the first are back', 'a b a', 'a'],
  ['a promise by SHA-256 is kept', 'a<a.256', 'a.256'],
  ['or is not', 'a<b.256', 'b.256 not a'],
  ['a promise by SHA-384 is kept', 'a<a', 'a'],
  ['or is not', 'a<b', 'b not a'],
  ['a promise by SHA-512 is kept', 'a<a.512', 'a.512'],
  ['or is not', 'a<b.512', 'b.512 not a'],
  ['and is kept by what was seen before', 'a a<a.512', 'a.512'],
  ['one of several bytes is kept by each of them', 'a<a|b b<a|b', 'a|b'],
  ['one that was wrong and is corrected leaves nothing behind', 'a<b a<a', 'a'],
  ['nor one that is withdrawn', 'a<b a', 'a'],
  ['bytes that were promised otherwise are not those of the release', 'a<b b<b', 'b'],
  ['also when nothing is promised any more', 'a<b b<b b', 'b'],
  ['a version is released once: a promise frees nobody from that', 'a a<b', 'a not b'],
  ['nor with its bytes', 'a b<b', 'a not b'],
  ['nor when it is withdrawn', 'a<a b', 'a not b'],
  ['what was seen first counts for whoever is served later', 'a~ b', 'a not b'],
  ['where somebody has promised other bytes in between', 'a~ b<b b~', 'a not b'],
  ['where it has promised them itself', 'a~ b<b b', 'a not b'],
  ['where somebody had promised others, which counts only for that', 'a<never b~', 'a not b'],
  ['it does not count for somebody else against a promise', 'a~ b<b', 'b'],
  ['which others break', 'a~ b<b c<b', 'b not c'],
  ['also of who promised it', 'a~<a b<b', 'b'],
  ['also after another promise was broken', 'x<never a~<a b<b', 'b'],
  ['and nothing was promised', 'a<never a~ b<b c<b', 'b not c'],
])('%s: %s', async (_, looks, pin) => {
  const { known, statement } = await looked(looks);
  expect(pins.pinOf(known, statement)).toEqual(pinOf(pin));
});

test.each<[what: string, looks: string, statement: string, pin?: string]>([
  ['a promise counts at once', 'a', '<a', 'a'],
  ['against what was seen of the same source', 'a', '<x', 'a not x'],
  ['and of another one', 'a~', '<b', 'b not a'],
  ['not where it cannot be compared', 'a', '<a.512'],
  ['its end counts, too', 'a<never', '', 'a'],
  ['nothing is known of what nobody has seen', '', '<a'],
])('without another look: %s', async (_, looks, said, pin) => {
  const { known } = await looked(looks);
  expect(pins.pinOf(known, statementOf(said))).toEqual(pin && pinOf(pin));
});

test('it is remembered since when the bytes are others', async () => {
  expect((await looked('a b c')).known).toMatchObject({ since: 0, changedAt: 1, checked: 2 });
  expect((await looked('a b c a')).known.changedAt).toBeUndefined();
  const { known } = await looked('a<never');
  const restated = pins.afterStatement(known, statementOf(''), 5);
  expect([known.changedAt, restated.changedAt]).toEqual([0, undefined]);
  expect(pins.afterStatement(restated, statementOf(''), 6)).toBe(restated);
  expect(pins.afterStatement(restated, statementOf('<never'), 7).changedAt).toBe(7);
});

test('is told by the feed only where bytes are others', () => {
  expect(['a not b', 'a'].map((pin) => pins.newsOf(pinOf(pin)))).toEqual([pinOf('a not b'), undefined]);
  expect(pins.newsOf(undefined)).toBeUndefined();
});

test.each<[what: string, before: string, look: string, isNews: boolean]>([
  ['the first look', '', 'a', false],
  ['a first look at bytes that break a promise', '', 'a<b', true],
  ['the same bytes', 'a', 'a', false],
  ['other bytes', 'a', 'b', true],
  ['those bytes once more', 'a b', 'b', false],
  ['again other ones', 'a b', 'c', true],
  ['the first ones again', 'a b', 'a', true],
  ['a promise that is kept again', 'a<b', 'a<a', true],
])('is counted as a change once: %s', async (_, before, look, isNews) => {
  const [{ known }, after] = [await looked(before), await looked(`${before} ${look}`)];
  expect(pins.isPinNews(known, after.known, after.statement)).toBe(isNews);
});

test.each<[what: string, looks: string, imports: string]>([
  ['is pinned with its first bytes', '1+a,b,?c', 'a,b,?c'],
  ['is pinned at the first look at it, though not the first at the module', '1 1+a', 'a'],
  ['is not pinned with bytes that are others than the first', '1 2+a', ''],
  ['is not pinned with bytes that were promised otherwise', '1+a<2', ''],
  ['is not pinned for a promise against what a stranger said', '1+a~ 2+b<2', ''],
  ['stays, whatever is imported later', '1+a 1+b', 'a'],
  ['stays where it could not be looked at', '1+a 1', 'a'],
  ['stays where it was nothing that can be pinned', '1+?x 1+a', '?x'],
  ['is changed where it is other bytes now', '1+a 1+a=x,b', 'a=x'],
  ['is not, once the first bytes are back', '1+a 1+a=x 1+a', 'a'],
])('what a module imports %s', async (_, looks, imports) => {
  const { known, statement } = await looked(looks);
  const { files, unpinned } = pins.pinOf(known, statement) ?? {};
  const expected = importsOf(imports);
  const shown = expected.files?.map(({ uri, integrity: now, etag }) => {
    return { uri, integrity: hash(etag), changed: now === hash(etag) ? undefined : now };
  });
  expect({ files, unpinned }).toEqual({ files: shown, unpinned: expected.unpinned });
  for (const { uri, etag } of known.files ?? []) expect(uri).toBe(`https://c.example/${etag}`);
});
