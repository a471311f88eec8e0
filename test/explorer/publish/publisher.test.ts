import { afterEach, expect, test, vi } from 'vitest';
import { Publisher } from '../../../src/explorer/publish/publisher.js';

const DOCUMENT = 'https://pod.example/components/card.ttl';

afterEach(() => vi.unstubAllGlobals());

/** What the page says of a document that everybody is answered with this status. */
async function proofFor(status: number) {
  const answer = async () => new Response('', { status, headers: { 'content-type': 'text/turtle' } });
  vi.stubGlobal('fetch', answer);
  const publisher = await Publisher.open(DOCUMENT, async () => new Response('', { status: 404 }));
  return publisher.prove([]);
}

test.each([406, 501])(
  'a document that is answered with %d is in another format, and no right is offered',
  async (status) => {
    const { findings, unreadable } = await proofFor(status);
    expect(unreadable).toBeUndefined();
    expect(findings).toHaveLength(1);
    expect(findings[0]?.fix).toMatch(/^it is kept in another format, .*nobody lacks a right$/);
  },
);

test.each([401, 403])('a document that is answered with %d can be opened for everyone', async (status) => {
  const { findings, unreadable } = await proofFor(status);
  expect(unreadable).toBe('https://pod.example/components/');
  expect(findings[0]?.what).toContain('not everyone can read');
});

test('a document that everyone is given needs nothing', async () => {
  expect(await proofFor(200)).toEqual({
    findings: [
      { level: 'ok', what: `everyone can read the document: ${DOCUMENT}` },
      { level: 'ok', what: expect.stringContaining('its container, where nodes find it') },
    ],
  });
});
