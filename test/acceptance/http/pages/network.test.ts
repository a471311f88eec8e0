import { beforeEach, describe, expect, test } from 'vitest';
import type { Refusals } from '../../../../src/core/refusal.js';
import type { SourceStatus } from '../../../../src/explain/source-status.js';
import { browse } from '../../../support/explorer-pages.js';
import { createTestApp, type TestApp, TOKEN } from '../../adapters/registry-app.js';

const POD: SourceStatus = {
  ...{ url: 'https://pod.example/', kind: 'pod', configured: true, hops: 0, via: [], state: 'ok' },
  ...{ failures: 0, components: 2, documents: 2, failing: [], invalid: [] },
};
const PEER = 'https://peer.example';

const REFUSALS: Refusals = {
  counts: { 'private-address': 1200, 'beyond-depth': 7 },
  unintendedBy: { [PEER]: 1200 },
  examples: [
    { url: 'http://10.0.0.7/', kind: 'pod', reason: 'private-address', via: PEER },
    { url: 'https://far.example/', kind: 'peer', reason: 'beyond-depth', via: PEER },
  ],
};

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
  app.node.status = [
    {
      ...POD,
      invalid: [
        {
          document: 'https://pod.example/a.ttl',
          subject: 'https://c.example/a.js',
          reasons: ['no label', 'no uri'],
        },
      ],
      failing: [{ url: 'https://pod.example/b.ttl', error: 'line 7' }],
      omitted: { components: 3, documents: 1 },
    },
  ];
  app.node.activity = {
    allFail: false,
    events: [
      { at: Date.UTC(2026, 0, 1), source: POD, what: 'failed', detail: 'no answer' },
      { at: Date.UTC(2025, 0, 1), source: POD, what: 'came', detail: '2 components' },
    ],
  };
  app.node.refusals = REFUSALS;
});
const text = async (path: string) => (await browse(app, path)).text();

describe('/network', () => {
  test('says that the database cannot be asked, and what is known all the same', async () => {
    const since = Date.UTC(2026, 0, 1, 11);
    app.node.failingStores = [{ store: 'registry', kind: 'unreachable', since, error: 'no connection' }];
    const page = await (await browse(app, '/network')).text();
    expect(page).toMatch(/The storage of the registry has failed since .*: no connection/);
    expect(page).toContain(POD.url);
  });

  test('counts what is refused, and says why', async () => {
    const page = await text('/network');
    expect(page).toContain('<a href="#refused">1,206 refused</a>');
    expect(page).toContain('cannot be read: line 7');
    expect(page).toMatch(
      /https:\/\/c\.example\/a\.js<\/strong> <a .*?<small>in .*a\.ttl<\/a>: no label; no uri/s,
    );
    expect(page).toContain('3 components and 1 document, because this node keeps no more of it');
    expect(page).toContain('<strong>1,200 addresses not read</strong>: what is not public');
    expect(page).toMatch(/far\.example\/<\/a> <a .*?<\/a>, told by https:\/\/peer\.example</);
    // What is meant to be refused is listed, and not counted.
    expect(page).toContain('<strong>7 addresses not read</strong>: farther away than discovery.depth');
  });

  test('shows a source with faults as such, and what happened', async () => {
    const page = await text('/network');
    expect(page).toMatch(
      /<span class="state attention"><svg .*?<\/svg> ok<\/span>\s*<small>some of it is not used<\/small>/s,
    );
    expect(page).toMatch(
      /<span class="event failed">failed<\/span> <span>no answer <small>pod pod\.example<\/small>/,
    );
    expect(page.indexOf('no answer')).toBeLessThan(page.indexOf('2 components <small>'));
  });

  test.each([
    ['ok', {}, ''],
    ['waiting', {}, ''],
    ['failing', { error: 'no answer' }, 'no answer'],
    ['limited', {}, 'some of it is not used'],
    ['held', { shrink: { from: 100, to: 3, since: 0, polls: 1 } }, 'removals pending'],
  ] as const)('has the word of /status for a source that is %s', async (state, more, why) => {
    const sound = { invalid: [], failing: [], omitted: { components: 0, documents: 0 } };
    app.node.status = [{ ...POD, ...sound, ...more, state }];
    const told = (await (await app.app.request('/status')).json()) as { sources: { state: string }[] };
    expect(told.sources[0]?.state).toBe(state);
    const page = await text('/network');
    expect(page).toMatch(new RegExp(`<span class="state \\w+"><svg .*?</svg> ${state}</span>`, 's'));
    expect(page).toContain(why);
  });

  test('of a node that has nothing to show says so', async () => {
    app = await createTestApp();
    const page = await text('/network');
    expect(page).toContain('This node has no sources yet');
    expect(page).toContain('Nothing has changed since this node started');
    expect(page).toContain('all that the sources say is taken up');
    expect(page).toContain('0 components');
  });
});

test('/status tells the same to programs', async () => {
  const status = await (await app.app.request('/status')).json();
  expect(status).toMatchObject({
    sources: [{ url: POD.url }],
    events: [
      { at: '2026-01-01T00:00:00.000Z', url: POD.url, kind: 'pod', what: 'failed', detail: 'no answer' },
      { what: 'came' },
    ],
    refused: { counts: { 'private-address': 1200 }, examples: [{ url: 'https://far.example/' }] },
  });
});

describe('addresses that are refused and that somebody may have meant', () => {
  test('are at the foot of every page, and not named there', async () => {
    for (const path of [
      '/',
      '/data',
      '/publish',
      '/network',
      '/no/such/page',
      '/c/https%3A%2F%2Fc.example%2Fnone.js',
    ])
      expect([path, await text(path)]).toEqual([
        path,
        expect.stringMatching(
          /serving, <span class="state attention"><a href="\/network#refused">1,200 addresses refused<\/a><\/span>/,
        ),
      ]);
  });

  test('that are not public are named to the operator alone', async () => {
    for (const path of ['/', '/network', '/status', '/why?uri=https%3A%2F%2Fc.example%2Fa.js'])
      expect([path, await text(path)]).toEqual([path, expect.not.stringContaining('10.0.0.7')]);
    const token = { authorization: `Bearer ${TOKEN}` };
    app = await createTestApp({ operatorToken: TOKEN });
    app.node.refusals = REFUSALS;
    expect(await (await app.app.request('/status', { headers: token })).text()).toContain('10.0.0.7');
  });

  test('make the peer that told of them amber, not green', async () => {
    const [source] = app.node.status;
    if (source)
      app.node.status = [{ ...source, kind: 'peer', url: PEER, invalid: [], failing: [], refused: 1200 }];
    const page = await text('/network');
    expect(page).toContain('tells of 1,200 addresses that are not read');
    expect(page).toMatch(/<span class="state attention"><svg /);
    app.node.status = app.node.status.map(({ refused: _, ...rest }) => ({
      ...rest,
      state: 'ok' as const,
      omitted: { components: 0, documents: 0 },
    }));
    expect(await text('/network')).not.toMatch(/<span class="state attention"><svg /);
  });

  test("make nothing amber while they wait for approval: the way to the operator's desk says how many", async () => {
    app.node.refusals = { counts: { 'not-approved': 2 }, examples: [], unintendedBy: {} };
    for (const path of ['/', '/network']) {
      const page = await text(path);
      expect(page).toContain('<span class="state serving">serving</span>');
      expect(page).toContain('<a href="/network#operator">/network</a> (2 addresses wait for approval)');
    }
    expect(await text('/network')).not.toContain('2 refused');
  });

  test('leave a node green when all that is refused was meant to be', async () => {
    app.node.refusals = { counts: { denied: 3, 'beyond-depth': 7, own: 1 }, examples: [], unintendedBy: {} };
    const home = await text('/');
    expect(home).toContain(': <span class="state serving">serving</span>.');
  });
});

describe('nothing is green', () => {
  const failing = { ...POD, state: 'failing' as const, error: 'no answer' };

  test('while no source answers', async () => {
    app.node.activity = { ...app.node.activity, allFail: true };
    app.node.status = [failing];
    app.node.refusals = { counts: {}, examples: [], unintendedBy: {} };
    const page = await text('/network');
    expect(page).toContain('<strong class="failing">no source answers</strong>');
    expect(page).toContain('none of them answers');
    for (const one of [page, await text('/publish')])
      expect(one).toMatch(
        /serving, <span class="state failing">all <a href="\/network">sources<\/a> failing<\/span>: what you see/,
      );
    app.node.status = [failing, { ...POD, url: 'https://other.example/' }];
    expect(await text('/network')).toContain('1 source failing');
  });

  test('while the storage fails', async () => {
    app.node.failingStores = [{ store: 'registry', kind: 'unreachable', since: 0, error: 'away' }];
    expect(await text('/publish')).toContain('serving, <span class="state failing">storage failing</span>');
  });
});

describe('what only the operator can do', () => {
  test('opens with a token; visitors see what is pending, and no way to decide', async () => {
    app.node.status = [
      { ...POD, state: 'held', shrink: { from: 100, to: 3, since: 0, polls: 1 }, notice: 'POST /sync' },
    ];
    const network = await text('/network');
    expect(network).toContain('removals pending: 3 of 100 components are left there');
    expect(network).not.toMatch(/POST \/|<form/);
    expect(network).toContain('This node has no operator token');
    app = await createTestApp({ operatorToken: TOKEN });
    const page = await text('/network');
    expect(page).toMatch(/<form id="sign-in" class="question" hidden>/);
    expect(page).toMatch(/<div id="desk" [^>]*hidden>.*Waiting for approval/s);
    expect(page).toContain('<script type="module" src="/assets/network.js">');
    expect(page).not.toContain(TOKEN);
  });
});
