import { beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import type { DocumentRecord } from '../../../../src/core/document-record.js';
import type { SourceStatus } from '../../../../src/explain/source-status.js';
import { browse, HTML, pageText, words as wordsIn } from '../../../support/explorer-pages.js';
import { takenFrom } from '../../../support/promised.js';
import { sourceStatus } from '../../../support/source-status.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const DOCUMENT = 'https://pod.example/card.ttl';
const URI = 'https://c.example/card.js';
const RECORD: DocumentRecord = {
  readAt: Date.UTC(2026, 0, 1, 12, 30),
  modified: '2026-01-01T12:29:58.000Z',
  etag: '"17-text/turtle"',
};

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const read = (record: DocumentRecord, label = 'Card', source = POD, url = DOCUMENT) =>
  app.registry.commit({
    source,
    documents: [{ url, components: record.readAt ? [component(URI, { label })] : [], record }],
    record: { failures: 0, lastSuccess: Date.UTC(2026, 0, 1, 13), nextAttempt: Date.UTC(2026, 0, 1, 14) },
  });
const path = (url: string, more = '') => `/why?document=${encodeURIComponent(url)}${more}`;
const words = async (url: string, more = '') => wordsIn(await pageText(app, path(url, more)));
const receipt = async (url: string) => (await app.app.request(path(url))).json();

describe('a document', () => {
  test('is a receipt: when which form was read, and since when it is in the answers', async () => {
    await read(RECORD);
    const advice = { level: 'advice', what: 'it has no version', fix: 'give it one, as in 1.0.0' };
    const described = { uri: URI, label: 'Card', since: '2026-01-01T12:00:00.000Z', served: true };
    expect(await receipt(DOCUMENT)).toEqual({
      document: DOCUMENT,
      source: POD,
      readAt: '2026-01-01T12:30:00.000Z',
      form: { modified: RECORD.modified, etag: RECORD.etag },
      polled: '2026-01-01T13:00:00.000Z',
      nextAttempt: '2026-01-01T14:00:00.000Z',
      components: 1,
      descriptions: [{ ...described, findings: expect.arrayContaining([advice]) }],
      invalid: [],
    });
    app.node.now += 60_000;
    await read(RECORD, 'Card, edited');
    expect(await receipt(DOCUMENT)).toMatchObject({ descriptions: [{ since: '2026-01-01T12:01:00.000Z' }] });
  });

  test('shows an author what the last poll has found', async () => {
    const invalid = [{ subject: 'https://c.example/bad.js', reasons: ['label must not be empty'] }];
    await read({ ...RECORD, invalid, error: 'line 7', failingSince: 1 });
    const page = await words(DOCUMENT);
    for (const told of [
      'It describes 1 component',
      'in this form since 2026-01-01 12:00:00 UTC',
      'Error label must not be empty',
      'Advice it names no shapes',
      'It could not be read the last time: line 7. What it said before stays',
      `changed ${RECORD.modified}`,
      'Check a document',
    ])
      expect(page).toContain(told);
  });

  test('says which descriptions are shadowed', async () => {
    const other = 'https://other.example/x.ttl';
    await read(RECORD);
    await read(RECORD, 'Relayed', PEER, takenFrom(PEER.url, other));
    const relayed = { source: PEER, descriptions: [{ label: 'Relayed', served: false }] };
    expect(await receipt(other)).toMatchObject(relayed);
    expect(await words(other)).toContain('not served: another description is');
    expect(await receipt('https://other.example/')).toMatchObject({ documents: [relayed] });
  });

  test('is not sent again to a page that follows it while nothing has changed', async () => {
    await read(RECORD);
    const etag = (await browse(app, path(DOCUMENT))).headers.get('etag') ?? '';
    const again = () => browse(app, path(DOCUMENT), { ...HTML, 'if-none-match': etag });
    expect((await again()).status).toBe(304);
    await read(RECORD, 'Card, edited');
    expect((await again()).status).toBe(200);
  });

  test('is read again by a button, without scripts', async () => {
    await read(RECORD);
    const form = /<form[^>]* action="\/hint"[^>]*>.*name="topic"[^>]* value="([^"]*)".*Read it again now/s;
    expect(form.exec(await pageText(app, path(DOCUMENT)))?.[1]).toBe(DOCUMENT);
    const body = new URLSearchParams({ topic: DOCUMENT }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await app.app.request('/hint', { method: 'POST', headers, body });
    expect([answer.status, app.node.hints]).toEqual([303, [DOCUMENT]]);
    expect(answer.headers.get('location')).toBe(path(DOCUMENT, '&asked=1'));
    const [before, after] = [await words(DOCUMENT), await words(DOCUMENT, '&asked=1')];
    expect([before, after].map((page) => page.includes('was asked to read it again'))).toEqual([false, true]);
  });
});

describe('a source', () => {
  const status = (more: Partial<SourceStatus> = {}) =>
    sourceStatus({ lastSuccess: Date.UTC(2026, 0, 1, 11), ...more });

  test('lists its documents that describe something or should, those with a fault first', async () => {
    const documents = Array.from({ length: 205 }, (_, i) => ({
      url: `https://pod.example/${String(i).padStart(3, '0')}.ttl`,
      components: i === 203 ? [] : [component(`https://c.example/${i}.js`)],
      record: i === 202 ? { error: 'line 7' } : {},
    }));
    await app.registry.commit({ source: POD, documents, record: { failures: 0 } });
    const expected =
      /Documents https:\S+202\.ttl 1 component, line 7 https:\S+000\.ttl 1 component .*200 of 204/;
    expect(await words(POD.url)).toMatch(expected);
  });

  test.each<[string, Partial<SourceStatus>, RegExp]>([
    [
      'before its first poll',
      { lastSuccess: undefined, state: 'waiting' },
      /waiting in the configuration; .* not read yet/,
    ],
    [
      'that peers told of and that could never be read',
      { configured: false, lastSuccess: undefined, state: 'failing', error: 'answers 500' },
      /could not read it yet\. .* told of by peers; .* answers 500 not read yet/,
    ],
    [
      'that cannot be read any more',
      { state: 'failing', error: 'answers 500' },
      /What was read before stays\. .* answers 500 last read/,
    ],
  ])('%s says so, and can be read again', async (_what, more, expected) => {
    app.node.status = [status(more)];
    for (const url of ['https://pod.example/', 'https://pod.example']) {
      expect((await browse(app, path(url))).status).toBe(200);
      expect(await words(url)).toMatch(expected);
      expect(await words(url)).toContain('Read it again now');
    }
    expect(await receipt(POD.url)).toMatchObject({ documents: [], source: { state: expect.any(String) } });
  });

  test.each([
    [
      'https://pod.example/new.ttl',
      /its container does not list the document.* Pod https:\/\/pod\.example\/ ok/,
    ],
    ['https://nobody.example/x.ttl', /no source that this node reads has the document/],
  ])('has not the document %s: that is said, with what to do', async (url, expected) => {
    app.node.status = [status()];
    const missing = await browse(app, path(url));
    // Only what succeeds can be unchanged (RFC 9110, section 13.2.1).
    const again = await browse(app, path(url), {
      ...HTML,
      'if-none-match': missing.headers.get('etag') ?? '*',
    });
    expect([missing.status, again.status]).toEqual([404, 404]);
    expect((await app.app.request(path(url))).status).toBe(404);
    expect(await words(url)).toMatch(expected);
    expect(await words(url)).toContain('Check a document');
  });
});
