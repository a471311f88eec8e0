import { afterEach, expect, test, vi } from 'vitest';
import { Publisher } from '../../../src/pages/publish/script/publisher.js';

const DOCUMENT = 'https://pod.example/components/card.ttl';
const TURTLE = { 'content-type': 'text/turtle' };

afterEach(() => vi.unstubAllGlobals());

/** What the page says of a document that everybody is answered with this status. */
async function proofFor(status: number) {
  vi.stubGlobal('fetch', async () => new Response('', { status, headers: TURTLE }));
  const link = { link: '<card.ttl.acl>; rel="acl"' };
  const publisher = await Publisher.open(
    DOCUMENT,
    async () => new Response('', { status: 404, headers: link }),
  );
  return publisher.prove([]);
}

test.each([406, 501])(
  'a document that is answered with %d is in another format, and no right is asked for',
  async (status) => {
    const { findings, isClosed } = await proofFor(status);
    expect(isClosed).toBe(false);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.fix).toMatch(/^it is kept in another format, .*nobody lacks a right$/);
  },
);

test.each([401, 403])(
  'a document that is answered with %d: its owner is told where its rules are',
  async (status) => {
    const { findings, isClosed } = await proofFor(status);
    expect(isClosed).toBe(true);
    expect(findings[0]?.what).toContain('not everyone can read the document');
    expect(findings[0]?.fix).toContain('acl:Read in its rules, https://pod.example/components/card.ttl.acl');
  },
);

test('a document that everyone is given needs nothing', async () => {
  expect(await proofFor(200)).toEqual({
    isClosed: false,
    findings: [
      { level: 'ok', what: `everyone can read the document: ${DOCUMENT}` },
      { level: 'ok', what: expect.stringContaining('its container, where nodes find it') },
    ],
  });
});

/** A pod with one document, of which somebody else may write another state. */
function pod(tag: string | undefined) {
  const state = { text: '<a> <b> <c>.', written: [] as (readonly [string | undefined, string | null])[] };
  const fetch = async (_: string | URL | Request, { method = 'GET', headers, body }: RequestInit = {}) => {
    if (method === 'GET')
      return new Response(state.text, {
        headers: { ...TURTLE, ...(tag === undefined ? {} : { etag: tag }) },
      });
    state.written.push([body?.toString(), new Headers(headers).get('if-match')]);
    state.text = String(body);
    return new Response(null, { status: 205 });
  };
  return { state, fetch };
}

test('a document is written with the state that was read', async () => {
  const { state, fetch } = pod('"one"');
  const publisher = await Publisher.open(DOCUMENT, fetch);
  expect(publisher.caution).toBeUndefined();
  await publisher.write('new');
  expect(state.written).toEqual([['new', '"one"']]);
});

test.each([
  ['a weak ETag', 'W/"one"'],
  ['no ETag', undefined],
])('with %s it is read again before it is written, and that is said', async (what, tag) => {
  const { state, fetch } = pod(tag);
  const publisher = await Publisher.open(DOCUMENT, fetch);
  expect(publisher.caution).toContain(`Its server sends ${what}`);
  await publisher.write('new');
  expect(state.written).toEqual([['new', null]]);
  state.text = 'of somebody else';
  await expect(publisher.write('newer')).rejects.toThrow('somebody has written it meanwhile');
  expect(state.text).toBe('of somebody else');
});
