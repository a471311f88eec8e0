import { beforeEach, describe, expect, test } from 'vitest';
import type { SourceStatus } from '../../../src/registry/source-status.js';
import { browse } from '../../support/explorer-pages.js';
import { createTestApp, type TestApp } from '../../support/registry-app.js';

const POD: SourceStatus = {
  ...{ url: 'https://pod.example/', kind: 'pod', configured: true, hops: 0, via: [], state: 'ok' },
  ...{ failures: 0, components: 2, documents: 2, failing: [], invalid: [] },
};
const PEER = 'https://peer.example';

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
    polls: ({ url }) =>
      url === POD.url
        ? (['unchanged', 'changed', 'failed'] as const).map((outcome, i) => ({
            at: i,
            durationMs: 5,
            outcome,
          }))
        : [],
    events: [
      { at: Date.UTC(2026, 0, 1), source: POD, what: 'failed', detail: 'no answer' },
      { at: Date.UTC(2025, 0, 1), source: POD, what: 'came', detail: '2 components' },
    ],
  };
  app.node.refusals = {
    counts: { 'private-address': 1200, 'beyond-depth': 7 },
    examples: [
      { url: 'http://10.0.0.7/', kind: 'pod', reason: 'private-address', via: PEER },
      { url: 'https://far.example/', kind: 'peer', reason: 'beyond-depth', via: PEER },
    ],
  };
});
const text = async (path: string) => (await browse(app, path)).text();

describe('/network', () => {
  test('counts what is refused, and says why', async () => {
    const page = await text('/network');
    expect(page).toContain('<a href="#refused">1,206 refused</a>');
    expect(page).toContain('cannot be read: line 7');
    expect(page).toMatch(/https:\/\/c\.example\/a\.js<\/strong><small>in .*a\.ttl<\/a>: no label; no uri/s);
    expect(page).toContain('3 components and 1 document, because this node keeps no more of it');
    expect(page).toContain('<strong>1,200 addresses not read</strong>: its address is not public');
    expect(page).toMatch(/10\.0\.0\.7\/<\/a>, told by https:\/\/peer\.example</);
    // What is meant to be refused is listed, and not counted.
    expect(page).toContain('<strong>7 addresses not read</strong>: it is farther away than discovery.depth');
  });

  test('shows a source with faults as such, its last polls and what happened', async () => {
    const page = await text('/network');
    expect(page).toMatch(/<span class="state faulty"><svg .*?<\/svg> faulty<\/span>/s);
    expect(page).toContain('aria-label="The last 3 polls: 1 failed"');
    expect(page).toMatch(
      /<span class="event failed">failed<\/span> <span>no answer <small>pod pod\.example<\/small>/,
    );
    expect(page.indexOf('no answer')).toBeLessThan(page.indexOf('2 components <small>'));
  });

  test('of a node that has nothing to show says so', async () => {
    app = await createTestApp();
    const page = await text('/network');
    expect(page).toContain('This node has no sources yet');
    expect(page).toContain('Nothing has changed since this node started');
    expect(page).toContain('all that the sources say is taken up');
    app.node.health = 'loading';
    expect(await text('/network')).toContain('0 components');
  });
});

test('/status tells the same to programs', async () => {
  const status = await (await app.app.request('/status')).json();
  expect(status).toMatchObject({
    sources: [{ url: POD.url, polls: '.+!' }],
    events: [
      { at: '2026-01-01T00:00:00.000Z', url: POD.url, kind: 'pod', what: 'failed', detail: 'no answer' },
      { what: 'came' },
    ],
    refused: { counts: { 'private-address': 1200 } },
  });
});
