import { describe, expect, it } from 'vitest';
import { listedOn } from '../../src/publish/receipt.js';
import { systemClock } from '../../src/lib/clock.js';
import { createGuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { component } from '../support/registry.js';
import { expectSoon } from '../support/wait-for.js';

function testFetch() {
  const fetch = createGuardedFetch({
    userAgent: 'test',
    allowPrivate: true,
    maxBytes: 100_000,
    timeoutMs: 30_000,
  });
  cleanup(() => fetch.close());
  return fetch;
}

describe('what a node makes of a document', () => {
  const card = component('card', { version: '2.0.0' });
  const said = (more: object) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      descriptions: [{ uri: card.uri, version: '2.0.0', since: 'then', served: true }],
      ...more,
    }),
  });

  it.each([
    ['has this form', said({ form: { etag: '"two"' } }), { listed: true, since: 'then' }],
    [
      'has the form before',
      said({ form: { etag: '"one"' } }),
      { listed: false, reason: 'it has not read this version yet' },
    ],
    [
      'has another version',
      said({ descriptions: [] }),
      { listed: false, reason: 'it has not read this version yet' },
    ],
    [
      'cannot read it',
      said({ descriptions: [], error: 'answers 403' }),
      { listed: false, reason: 'answers 403' },
    ],
    [
      'does not read it',
      { status: 404 },
      { listed: false, reason: expect.stringContaining('its operator can add') },
    ],
    ['is none', { body: 'hello' }, { listed: false, reason: expect.stringContaining('is it a node?') }],
  ])('is told when it %s', async (_, answer, expected) => {
    const node = await fakeServer();
    node.on('/hint', { status: 202 }).on('/why', answer);
    const listed = await listedOn(node.url('/'), {
      ...{ document: 'https://pod.example/a.ttl', etag: '"two"', components: [card], gone: [] },
      ...{ fetch: testFetch(), clock: systemClock, patienceMs: -1, signal: new AbortController().signal },
    });
    expect(listed).toMatchObject(expected);
    expect(node.requests[0]).toMatchObject({ method: 'POST', url: '/hint' });
  });

  it('is waited for no longer than was asked, when the clock is set back and when the node never answers', async () => {
    const node = await fakeServer();
    node.on('/hint', { status: 202 }).on('/why', said({ form: { etag: '"one"' } }));
    // Each look at this clock finds it set back by an hour; its pauses are as long as ever.
    let now = 0;
    const clock = { ...systemClock, now: () => (now -= 3_600_000) };
    const expected = { document: 'https://pod.example/a.ttl', etag: '"two"', components: [card], gone: [] };
    const waiting = listedOn(node.url('/'), {
      ...{ ...expected, fetch: testFetch(), clock, patienceMs: 1_500, signal: AbortSignal.timeout(20_000) },
    });
    await expectSoon(() => expect(node.requests.length).toBeGreaterThan(1));
    node.on('/why', { hang: 'answer' });
    expect(await waiting).toMatchObject({ listed: false, reason: 'it has not read this version yet' });
  });
});
