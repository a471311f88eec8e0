import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderTarget } from '../../src/cli/publish-targets.js';
import { systemClock } from '../../src/lib/clock.js';
import { cautionOf, type Fetch, podDocument, proofOf } from '../../src/publish/document.js';
import { listedOn, listedSince } from '../../src/publish/receipt.js';
import { tempDir } from '../support/temp-dir.js';
import { expectSoon } from '../support/wait-for.js';

const DOCUMENT = 'https://pod.example/components/card.ttl';
const TURTLE = { 'content-type': 'text/turtle' };

describe('a document in a pod', () => {
  /** A pod with one document, of which somebody else may write another state. */
  function pod(tag: string | undefined) {
    const state = { text: '<a> <b> <c>.', written: [] as unknown[] };
    const fetch: Fetch = async (_, { method = 'GET', headers, body } = {}) => {
      if (method === 'GET')
        return new Response(state.text, { headers: { ...TURTLE, ...(tag !== undefined && { etag: tag }) } });
      state.written.push([body, new Headers(headers).get('if-match')]);
      state.text = String(body);
      return new Response(null, { status: 204 });
    };
    return { state, target: podDocument(DOCUMENT, fetch, 'sign in') };
  }

  it('is written with the state that was read', async () => {
    const { state, target } = pod('"one"');
    const stored = await target.read();
    expect(cautionOf(stored)).toBeUndefined();
    await target.write('new', stored);
    expect(state.written).toEqual([['new', '"one"']]);
  });

  it.each([
    ['a weak ETag', 'W/"one"'],
    ['no ETag', undefined],
  ])('with %s is read again before it is written, and that is said', async (what, tag) => {
    const { state, target } = pod(tag);
    const stored = await target.read();
    expect(cautionOf(stored)).toContain(`Its server sends ${what}`);
    await target.write('new', stored);
    expect(state.written).toEqual([['new', null]]);
    state.text = 'of somebody else';
    await expect(target.write('newer', stored)).rejects.toThrow('has been changed meanwhile');
    expect(state.text).toBe('of somebody else');
  });

  it.each([
    [403, TURTLE, 'may not be read, because a right is missing: sign in'],
    [500, TURTLE, 'answers 500'],
    [200, { 'content-type': 'text/html' }, 'is text/html, which is not edited'],
  ])('that is answered with %d says what to do', async (status, headers, expected) => {
    const target = podDocument(DOCUMENT, async () => new Response('x', { status, headers }), 'sign in');
    await expect(target.read()).rejects.toThrow(expected);
  });
});

describe('a folder that is published to', () => {
  it.each([
    ['written', 'mine', undefined],
    ['written', 'mine', 'first'],
    ['deleted', undefined, 'first'],
  ])('is not %s over what somebody else has put there meanwhile', async (_, text, first) => {
    const folder = await tempDir();
    const file = join(folder, 'components.ttl');
    if (first !== undefined) await writeFile(file, first);
    const target = folderTarget(folder, undefined);
    const before = await target.read();
    await writeFile(file, 'theirs');
    await expect(target.write(text, before)).rejects.toThrow('has been changed meanwhile');
    expect(await readFile(file, 'utf8')).toBe('theirs');
  });

  it('is written, and emptied, when it is as it was read', async () => {
    const target = folderTarget(join(await tempDir(), 'new'), undefined);
    await target.write('one', await target.read());
    await target.write('two', await target.read());
    expect((await target.read()).text).toBe('two');
    await target.write(undefined, await target.read());
    expect((await target.read()).text).toBeUndefined();
  });
});

describe('what everybody is given', () => {
  const rules = { ...TURTLE, link: '<card.ttl.acl>; rel="acl"' };

  it.each([
    [200, TURTLE, true, 'everybody can read the document'],
    [200, { 'content-type': 'application/octet-stream' }, true, 'everybody can read the document'],
    // What nodes read, although this page writes Turtle alone.
    [200, { 'content-type': 'application/n-triples' }, true, 'everybody can read the document'],
    [200, { 'content-type': 'application/json' }, false, 'serve it as text/turtle'],
    [200, { 'content-type': 'text/html' }, false, 'serve it as text/turtle'],
    [401, rules, false, 'acl:Read in its rules, https://pod.example/components/card.ttl.acl'],
    [403, rules, false, 'acl:Read in its rules, https://pod.example/components/card.ttl.acl'],
    [404, TURTLE, false, 'put it at this URL'],
    // No right would help.
    [406, TURTLE, false, 'nobody lacks a right'],
    [501, TURTLE, false, 'nobody lacks a right'],
  ])('with %d and %j is judged, and never changed', async (status, headers, isRead, words) => {
    const asked: unknown[] = [];
    const { finding } = await proofOf(DOCUMENT, async (url, { method = 'GET', credentials } = {}) => {
      asked.push([method, url, credentials]);
      return new Response('', { status, headers });
    });
    expect(finding.level).toBe(isRead ? 'ok' : 'error');
    expect(`${finding.what} → ${finding.fix}`).toContain(words);
    expect(asked).toEqual([['GET', DOCUMENT, 'omit']]);
  });
});

describe('what a node makes of a document', () => {
  const uri = 'https://c.example/card.js';
  const expected = { document: DOCUMENT, etag: '"two"', components: [{ uri, version: '2.0.0' }], gone: [] };
  const said = (more: object = {}) => ({
    descriptions: [{ uri, version: '2.0.0', since: 'then', served: true }],
    ...more,
  });
  const NOT_YET = 'it has not read this version yet';
  const invalid = [{ subject: uri, reasons: ['label is missing'] }];
  const BROKEN = { descriptions: [], invalid, nextAttempt: 'noon' };
  const asking = { ...systemClock, patienceMs: -1, signal: new AbortController().signal };
  const answered = (status: number, body: unknown): Fetch => {
    return async (url) => (url.endsWith('/hint') ? new Response('{}') : Response.json(body, { status }));
  };

  it.each([
    ['has this form', 200, said({ form: { etag: '"two"' } }), { listed: true, since: 'then' }],
    ['has the form before', 200, said({ form: { etag: '"one"' } }), { reason: NOT_YET }],
    ['has another version', 200, said({ descriptions: [] }), { reason: NOT_YET }],
    ['cannot read it', 200, said({ descriptions: [], error: 'answers 403' }), { reason: 'answers 403' }],
    ['finds it broken', 200, BROKEN, { reason: `${uri}: label is missing; it looks again at noon` }],
    ['does not read it', 404, {}, { reason: expect.stringContaining('its operator can add') }],
    ['is none', 200, 'hello', { reason: expect.stringContaining('is it a node?') }],
  ])('is told when it %s', async (_, status, body, outcome) => {
    const fetch = answered(status, body);
    const listed = await listedOn('https://n.example/', expected, { ...asking, fetch });
    expect(listed).toMatchObject({ node: 'https://n.example/', listed: false, ...outcome });
  });

  it('is new only when it is said in another form than before, and gone when it is said no more', async () => {
    const fetch = answered(200, said());
    const before = new Map([['n:', await listedSince('n:', DOCUMENT, [uri], { ...asking, fetch })]]);
    const changed = { ...expected, etag: undefined, before };
    expect(await listedOn('n:', changed, { ...asking, fetch })).toMatchObject({ listed: false });
    const newer = answered(200, { descriptions: [{ ...said().descriptions[0], since: 'now' }] });
    expect(await listedOn('n:', changed, { ...asking, fetch: newer })).toMatchObject({ listed: true });
    const gone = { document: DOCUMENT, components: [], gone: [uri] };
    expect(await listedOn('n:', gone, { ...asking, fetch })).toMatchObject({ listed: false });
    const unread = { ...asking, fetch: answered(404, {}) };
    expect(await listedOn('n:', gone, unread)).toMatchObject({ listed: true });
  });

  it('is waited for no longer than was asked, when the clock is set back and when the node never answers', async () => {
    const asked: string[] = [];
    const quick = answered(200, said({ form: { etag: '"one"' } }));
    const fetch: Fetch = (url, init) => {
      asked.push(url);
      if (asked.length < 4) return quick(url, init);
      return new Promise((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('over'))),
      );
    };
    // Each look at this clock finds it set back by an hour; its pauses are as long as ever.
    let now = 0;
    const clock = { ...asking, now: () => (now -= 3_600_000), patienceMs: 1_500, fetch };
    const waiting = listedOn('https://n.example', expected, clock);
    await expectSoon(() => expect(asked.length).toBeGreaterThan(3));
    expect(asked[0]).toBe('https://n.example/hint');
    expect(await waiting).toMatchObject({ listed: false, reason: NOT_YET });
  });
});
