import { beforeEach, describe, expect, test } from 'vitest';
import type { Refusals } from '../../../../src/core/refusal.js';
import { browse, HTML, pageText, words as wordsIn } from '../../../support/explorer-pages.js';
import { sourceStatus } from '../../../support/source-status.js';
import { createTestApp, type TestApp, TOKEN } from '../../adapters/registry-app.js';

const SOUND = sourceStatus({ components: 2, documents: 2 });
const SHRINK = { from: 100, to: 3, since: 0, polls: 1 };
const PEER = 'https://peer.example';
const PRIVATE = { url: 'http://10.0.0.7/', kind: 'pod', reason: 'private-address', via: PEER } as const;
const FAR = { url: 'https://far.example/', kind: 'peer', reason: 'beyond-depth', via: PEER } as const;
const refusals = (counts: Refusals['counts'], examples: Refusals['examples'] = []) => {
  app.node.refusals = { counts, examples };
};
const OPERATOR = { ...HTML, authorization: `Bearer ${TOKEN}` };

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp({ operatorToken: TOKEN });
  app.node.status = [SOUND];
  refusals({ 'private-address': 1200, 'beyond-depth': 7 }, [PRIVATE, FAR]);
});
const text = (path: string, headers?: Record<string, string>) => pageText(app, path, headers);
const words = async (path: string, headers?: Record<string, string>) => wordsIn(await text(path, headers));

describe('/network', () => {
  test('counts what is refused, says why, what needs attention, and what happened', async () => {
    const invalid = [
      { document: 'https://pod.example/a.ttl', subject: 'https://c.example/a.js', reasons: ['no label'] },
    ];
    const failing = [{ url: 'https://pod.example/b.ttl', error: 'line 7' }];
    app.node.status = [{ ...SOUND, invalid, failing }];
    const events = [
      { at: 2, source: SOUND, what: 'failed', detail: 'no answer' },
      { at: 1, source: SOUND, what: 'came', detail: '2 components' },
    ] as const;
    app.node.activity = { allFail: false, events };
    const page = await words('/network');
    for (const told of [
      '1,200 refused',
      'some of it is not used',
      '1 invalid 1 document unreadable',
      '1,200 addresses not read : in a private network',
      'https://far.example/ why? , a peer, told by https://peer.example and 6 more',
      // What is meant to be refused is listed, and not counted.
      '7 addresses not read : farther away than discovery.depth',
    ])
      expect(page).toContain(told);
    expect(await text('/network')).toContain(`/why?document=${encodeURIComponent(SOUND.url)}`);
    expect(page).toMatch(/failed no answer pod pod\.example, .* came 2 components pod pod\.example/);
    expect(await (await app.app.request('/status')).json()).toMatchObject({
      events: [
        { at: '1970-01-01T00:00:00.002Z', url: SOUND.url, kind: 'pod', what: 'failed' },
        { what: 'came' },
      ],
      refused: { counts: { 'private-address': 1200 }, examples: [{ url: FAR.url }] },
    });
  });

  test.each([
    ['ok', {}, ''],
    ['waiting', {}, ''],
    ['failing', { error: 'no answer' }, 'no answer'],
    ['limited', {}, 'some of it is not used'],
    ['held', { shrink: SHRINK, notice: 'It has less' }, 'It has less'],
  ] as const)('has the word of /status for a source that is %s', async (state, more, why) => {
    app.node.status = [{ ...SOUND, ...more, state }];
    const told = (await (await app.app.request('/status')).json()) as { sources: { state: string }[] };
    expect(told.sources[0]?.state).toBe(state);
    expect(await words('/network')).toMatch(new RegExp(`https://pod.example/ why\\? ${state} .*${why}`));
  });

  test('is rendered once after a change, for however many tabs', async () => {
    let looks = 0;
    const components = () => {
      looks += 1;
      return 12;
    };
    app.node.status = [
      Object.defineProperty({ ...SOUND }, 'components', { enumerable: true, get: components }),
    ];
    const looksFor = async (ifNoneMatch: string) => {
      const before = looks;
      const { status } = await browse(app, '/network', { ...HTML, 'if-none-match': ifNoneMatch });
      expect(status).toBe(200);
      return looks - before;
    };
    const first = await looksFor('"before"');
    for (const tab of ['"before"', '"another"']) expect(await looksFor(tab)).toBeLessThan(first);
    // Who has it is not sent it again, until something changes.
    const etag = (await browse(app, '/network')).headers.get('etag') ?? '';
    const again = async () => (await browse(app, '/network', { ...HTML, 'if-none-match': etag })).status;
    expect(await again()).toBe(304);
    app.node.status = [{ ...SOUND, nextAttempt: 1 }];
    expect(await again()).toBe(200);
  });
});

test('private addresses that are refused are named to the operator alone', async () => {
  for (const path of ['/', '/network', '/status', '/why?uri=https%3A%2F%2Fc.example%2Fa.js'])
    expect([path, await text(path)]).toEqual([path, expect.not.stringContaining(PRIVATE.url)]);
  for (const path of ['/network', '/status'])
    expect([path, await text(path, OPERATOR)]).toEqual([path, expect.stringContaining(PRIVATE.url)]);
});

test('nothing is green while no source answers', async () => {
  app.node.activity = { events: [], allFail: true };
  app.node.status = [{ ...SOUND, state: 'failing', error: 'no answer' }];
  expect(await words('/network')).toContain('no source answers');
  app.node.status = [...app.node.status, { ...SOUND, url: 'https://other.example/' }];
  expect(await words('/network')).toContain('1 source failing');
});

describe('what only the operator can do', () => {
  const buttons = async (headers?: Record<string, string>) =>
    [...(await text('/network', headers)).matchAll(/data-method="(\w+)" data-path="([^"]*)"/g)].map(
      ([, method, path]) => `${method} ${path?.replaceAll('&amp;', '&')}`,
    );

  beforeEach(() => {
    app.node.status = [{ ...SOUND, state: 'held', shrink: SHRINK }];
    const about = { kind: 'pod', via: PEER } as const;
    refusals({ 'not-approved': 9, rejected: 1 }, [
      { ...about, url: 'https://new.example/', reason: 'not-approved' },
      { ...about, url: 'https://old.example/', reason: 'rejected' },
    ]);
  });

  test('has its buttons, named with what they are about, where the token is, and in no page without it', async () => {
    expect(await buttons()).toEqual([]);
    expect(await words('/network')).not.toContain('9 wait');
    expect(await words('/network', OPERATOR)).toContain('9 wait for your approval');
    expect(await buttons(OPERATOR)).toEqual([
      'POST /sync?source=https%3A%2F%2Fpod.example%2F',
      'POST /sync?source=https%3A%2F%2Fpod.example%2F&accept=shrink',
      'POST /discovery',
      'POST /discovery',
      'POST /discovery',
    ]);
    expect(await words('/network', OPERATOR)).toMatch(
      /9 addresses not read .*https:\/\/new.example\/ why\? , a pod, told by/,
    );
    const html = await text('/network', OPERATOR);
    for (const what of ['Approve: https://new', 'Reject: https://new', 'Poll it now: https://pod'])
      expect(html).toContain(`aria-label="${what}.example/"`);
  });

  test('is in a page of its own, which no cache gives to others', async () => {
    const page = await browse(app, '/network', OPERATOR);
    expect(page.headers.get('cache-control')).toBe('private, no-cache');
    expect(page.headers.get('vary')).toContain('Authorization');
    const etag = (await browse(app, '/network')).headers.get('etag') ?? '';
    expect((await browse(app, '/network', { ...OPERATOR, 'if-none-match': etag })).status).toBe(200);
    expect(await page.text()).not.toContain(TOKEN);
  });
});
