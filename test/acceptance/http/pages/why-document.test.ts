import { beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import type { DocumentRecord } from '../../../../src/core/document-record.js';
import type { SourceStatus } from '../../../../src/explain/source-status.js';
import { browse } from '../../../support/explorer-pages.js';
import { takenFrom } from '../../../support/promised.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const DOCUMENT = 'https://pod.example/card.ttl';
const URI = 'https://c.example/card.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const read = (
  record: DocumentRecord,
  components = [component(URI, { label: 'Card' })],
  source = POD,
  url = DOCUMENT,
) =>
  app.registry.commit({
    source,
    documents: [{ url, components, record }],
    record: { failures: 0, lastSuccess: Date.UTC(2026, 0, 1, 13), nextAttempt: Date.UTC(2026, 0, 1, 14) },
  });
const path = (url: string, more = '') => `/why?document=${encodeURIComponent(url)}${more}`;
const text = async (url: string) => (await browse(app, path(url))).text();
const receipt = async (url: string) => (await app.app.request(path(url))).json();

describe('a document', () => {
  const record: DocumentRecord = {
    readAt: Date.UTC(2026, 0, 1, 12, 30),
    modified: '2026-01-01T12:29:58.000Z',
    etag: '"17-text/turtle"',
  };

  test('is a receipt: when which form was read, and since when it is in the answers', async () => {
    await read(record);
    expect(await receipt(DOCUMENT)).toEqual({
      document: DOCUMENT,
      source: POD,
      readAt: '2026-01-01T12:30:00.000Z',
      form: { modified: '2026-01-01T12:29:58.000Z', etag: '"17-text/turtle"' },
      polled: '2026-01-01T13:00:00.000Z',
      nextAttempt: '2026-01-01T14:00:00.000Z',
      components: 1,
      descriptions: [
        {
          uri: URI,
          label: 'Card',
          since: '2026-01-01T12:00:00.000Z',
          served: true,
          findings: expect.arrayContaining([
            { level: 'advice', what: 'it has no version', fix: 'give it one, as in 1.0.0' },
          ]),
        },
      ],
      invalid: [],
    });
    app.node.now += 60_000;
    await read(record, [component(URI, { label: 'Card, edited' })]);
    expect(await receipt(DOCUMENT)).toMatchObject({ descriptions: [{ since: '2026-01-01T12:01:00.000Z' }] });
  });

  test('shows an author what the last poll has found', async () => {
    const invalid = [{ subject: 'https://c.example/bad.js', reasons: ['label must not be empty'] }];
    await read({ ...record, invalid, error: 'line 7', failingSince: 1 });
    const page = await text(DOCUMENT);
    expect(page).toContain('It describes 1 component');
    expect(page).toMatch(/in this form since <time datetime="2026-01-01T12:00:00.000Z">/);
    expect(page).toMatch(/class="error"><strong>Error<\/strong> label must not be empty/);
    expect(page).toMatch(/class="advice"><strong>Advice<\/strong> it names no shapes/);
    expect(page).toContain('It could not be read the last time: line 7.');
    expect(page).toMatch(/changed 2026-01-01T12:29:58.000Z/);
    expect(page).toMatch(
      /<form class="again" action="\/publish" method="post"><input type="hidden" name="url" value="https:\/\/pod\.example\/card\.ttl">/,
    );
  });

  test('that could never be read says so first, and claims nothing of it', async () => {
    await read({ error: 'line 7', failingSince: 1, etag: '"1"' }, []);
    const page = await text(DOCUMENT);
    expect(page).toMatch(/<h1>This node could not read it<\/h1>.*role="alert">line 7\./s);
    for (const claim of ['It describes', 'What it said before', 'In the form', '<dt>Read<'])
      expect(page).not.toContain(claim);
    expect(page).toContain('Check it as it is now');
  });

  test('says which descriptions are shadowed', async () => {
    await read(record);
    await read(
      record,
      [component(URI, { label: 'Relayed' })],
      PEER,
      takenFrom(PEER.url, 'https://other.example/x.ttl'),
    );
    expect(await receipt('https://other.example/x.ttl')).toMatchObject({
      source: PEER,
      descriptions: [{ label: 'Relayed', served: false }],
    });
    expect(await text('https://other.example/x.ttl')).toContain('not served: ');
  });

  test('of a source lists its documents, page by page', async () => {
    const documents = Array.from({ length: 201 }, (_, i) => ({
      url: `https://pod.example/${String(i).padStart(3, '0')}.ttl`,
      components: [],
      record: i === 7 ? { error: 'line 7' } : {},
    }));
    await app.registry.commit({ source: POD, documents, record: { failures: 0 } });
    const page = await text(POD.url);
    expect(page).toContain('<h1>201 documents</h1>');
    expect(page).toContain('1–200 of 201');
    expect(page).toMatch(/class="failing">.*>007\.ttl<\/a><small>0 components: line 7/s);
    expect(await (await browse(app, path(POD.url, '&page=2'))).text()).toContain('>200.ttl</a>');
  });

  const status = (more: Partial<SourceStatus> = {}): SourceStatus => ({
    ...{
      url: 'https://pod.example/',
      kind: 'pod',
      configured: true,
      hops: 0,
      via: [],
      state: 'ok',
      failures: 0,
    },
    ...{ components: 0, documents: 0, invalid: [], failing: [], lastSuccess: Date.UTC(2026, 0, 1, 11) },
    ...more,
  });
  const words = (page: string) =>
    page
      .replace(/^.*<main[^>]*>|<\/main>.*$/gs, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');

  test.each<[string, Partial<SourceStatus>, string]>([
    [
      'without descriptions',
      {},
      'It is configured here, was read 2026-01-01 11:00:00 UTC and holds no descriptions.',
    ],
    ['before its first poll', { lastSuccess: undefined, state: 'waiting' }, 'and has not been read yet.'],
    [
      'that cannot be read',
      { lastSuccess: undefined, state: 'failing', error: 'answers 500' },
      'and could not be read so far. answers 500',
    ],
    ['of a peer', { configured: false }, 'It is known from other nodes, was read'],
  ])('of a container %s says so, and has it read again', async (_what, more, expected) => {
    app.node.status = [status(more)];
    for (const url of ['https://pod.example/', 'https://pod.example']) {
      const page = await browse(app, path(url));
      const html = await page.text();
      expect(page.status).toBe(200);
      expect(words(html)).toContain(expected);
      expect(html).not.toContain('not known here');
      expect(html).toMatch(
        /<form class="again" action="\/hint" method="post">.*<button[^>]*>Read it again now</s,
      );
    }
    expect(await receipt('https://pod.example/')).toMatchObject({
      documents: [],
      source: { state: expect.any(String) },
    });
  });

  test('below a container that is read says what became of that', async () => {
    app.node.status = [status()];
    const page = await browse(app, path('https://pod.example/new.ttl'));
    expect(page.status).toBe(404);
    expect(words(await page.text())).toMatch(
      /Above it is https:\/\/pod.example\/ , which is configured here, was read/,
    );
  });

  test('is read again by a button, without scripts', async () => {
    await read(record);
    const answer = await app.app.request('/hint', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ topic: DOCUMENT }).toString(),
    });
    expect(app.node.hints).toEqual([DOCUMENT]);
    expect(answer.status).toBe(303);
    const back = await browse(app, answer.headers.get('location') ?? '');
    expect(words(await back.text())).toContain('This node was asked to read it again');
    expect(words(await text(DOCUMENT))).not.toContain('was asked');
  });

  test('that is not read here says so, with what to do', async () => {
    const page = await browse(app, path('https://nobody.example/x.ttl'));
    expect(page.status).toBe(404);
    expect(await page.text()).toContain('No source that this node reads has the document');
    expect((await app.app.request(path('https://nobody.example/x.ttl'))).status).toBe(404);
    expect((await browse(app, path(`https://x.example/${'x'.repeat(2048)}`))).status).toBe(422);
  });
});
