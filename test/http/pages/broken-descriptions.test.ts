import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { type Linted, lint } from '../../../src/publish/lint.js';
import { createTestApp, type TestApp } from '../../acceptance/adapters/registry-app.js';
import { HTML } from '../../support/explorer-pages.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../../support/fake-server.js';
import { VOCABULARY } from '../../support/registry.js';

/** Issue 33: an author sees within ten seconds what is wrong. So it is what stands first, in words, with what to do. */

const NS = VOCABULARY.namespace;
const MODULE =
  'export default class extends HTMLElement { entry; x() { this.attachShadow({ mode: "open" }); } }';
const SCRIPT = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
const TURTLE = { 'content-type': 'text/turtle' };
const JSON_TYPE = { 'content-type': 'application/json' };

let server: FakeServer;
let app: TestApp;
beforeAll(async () => {
  server = await fakeServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  server.on('/card.js', { headers: SCRIPT, body: MODULE });
  const fetch = createGuardedFetch({ userAgent: 'test', allowPrivate: true, maxBytes: 1e6, timeoutMs: 2000 });
  const parsing = { pool: inProcess(withoutPause), lane: 'lint' } as const;
  const options = { fetch, trust: 'learned', vocabulary: VOCABULARY, maxModules: 5, parsing } as const;
  app = await createTestApp({}, { lint: (what: Linted) => lint(what, options) });
});

const turtle = (more = '', label = 'c:label "Card";') =>
  `@prefix c: <${NS}>.\n<card.js> a c:component; ${label} c:description "A card"; c:version "1.0.0"; c:latest true; c:tag "card"; c:shapes <urn:Person>${more}.`;
const served = (body: string, headers: Record<string, string> = TURTLE): FakeAnswer => ({ headers, body });
const plain = { uri: 'card.js', label: 'Card', shapes: ['urn:Person'] };

interface Read {
  readonly heading: string;
  readonly first: string;
  readonly todo: string;
}

/** What stands at the top of the result, as people read it. */
async function readOnPage(fields: Record<string, string>): Promise<Read> {
  const answer = await app.app.request('/publish', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...HTML },
    body: new URLSearchParams(fields).toString(),
  });
  const result = (await answer.text()).split('<h2 id="result">')[1] ?? '';
  const words = (text = '') =>
    text
      .replace(/<[^>]*>/g, '')
      .replace(/&quot;/g, '"')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replaceAll(server.url('/'), '/')
      .trim();
  const errors = [
    ...result.matchAll(/<li class="error"><strong>Error<\/strong> (.*?)<small>(.*?)<\/small>/gs),
  ];
  const [, first, todo] =
    errors[0] ?? result.match(/<strong>Advice<\/strong> (.*?)<small>(.*?)<\/small>/s) ?? [];
  return { heading: words(result.split('</h2>')[0]), first: words(first), todo: words(todo) };
}

test.each<[string, FakeAnswer, FakeAnswer | undefined, RegExp | string, RegExp | string]>([
  [
    'a full stop is missing in Turtle',
    served('@prefix c: <urn:c>\n<card.js> c:label "Card".'),
    undefined,
    /^it cannot be read: .*line 2/,
    'correct the syntax; nodes skip the whole document',
  ],
  [
    'there is no label',
    served(turtle('', '')),
    undefined,
    'label is missing',
    'correct it; until then no node lists this component',
  ],
  [
    'there are two labels',
    served(turtle('', 'c:label "One", "Two";')),
    undefined,
    'label may have only one value, and this is another one',
    'correct it; until then no node lists this component',
  ],
  [
    'the prefix leads to another vocabulary',
    served(turtle().replace(NS, 'https://elsewhere.example/terms#')),
    undefined,
    'it describes no component',
    `use terms of <${NS}>, label at least`,
  ],
  [
    'it is plain JSON',
    served(JSON.stringify(plain), JSON_TYPE),
    undefined,
    'it is plain JSON, which no node reads from a pod',
    /^add "@context": ".*" to each object and name it \.jsonld/,
  ],
  [
    'it is a picture, for which the pod answers 501',
    { status: 501 },
    undefined,
    'the document answers 501',
    /^it is kept in another format, .*nobody lacks a right$/,
  ],
  [
    'it is private',
    { status: 403 },
    undefined,
    'the document answers 403',
    'let everyone read it, at this URL',
  ],
  [
    'the module is not there',
    served(turtle()),
    { status: 404 },
    'the module answers 404',
    'put the module at its uri, readable without credentials',
  ],
  [
    'the module is served as text',
    served(turtle()),
    { headers: { ...SCRIPT, 'content-type': 'text/plain' }, body: MODULE },
    'it is served as text/plain; browsers refuse to run that',
    'serve it with Content-Type: text/javascript',
  ],
  [
    'other sites may not import the module',
    served(turtle()),
    { headers: { 'content-type': 'text/javascript' }, body: MODULE },
    'pages of other sites may not import it',
    'serve it with Access-Control-Allow-Origin: *',
  ],
  [
    'the bytes are not those that are promised',
    served(turtle(`; c:integrity "sha384-${'A'.repeat(64)}"`)),
    undefined,
    /^its bytes are not what its integrity promises: they are sha384-/,
    /^raise the version, and write the integrity of what is served/,
  ],
  [
    'the module exports no element',
    served(turtle()),
    { headers: SCRIPT, body: 'export default 5' },
    'its default export is a plain value',
    /export/,
  ],
])('%s', async (_what, document, module, first, todo) => {
  server.on('/meta', document);
  if (module) server.on('/card.js', module);
  const read = await readOnPage({ url: server.url('/meta') });
  expect(read.heading).toMatch(/^\d things? to correct( and \d+ pieces? of advice)?$/);
  const expected = (text: RegExp | string) => (typeof text === 'string' ? text : expect.stringMatching(text));
  expect(read).toMatchObject({ first: expected(first), todo: expected(todo) });
});

test('a misspelt term is named, with what was probably meant', async () => {
  server.on('/meta', served(`@prefix c: <${NS}>.\n<card.js> c:label "Card"; c:shaeps <urn:Person>.`));
  const { heading, first, todo } = await readOnPage({ url: server.url('/meta') });
  expect(heading).toMatch(/^Nothing stands in the way and \d pieces of advice$/);
  expect([first, todo]).toEqual([
    'it uses shaeps, which is no term of the vocabulary',
    'did you mean shapes? Nodes ignore what they do not know',
  ]);
});

test('plain JSON says what would be read, and following the advice mends it', async () => {
  const document = { ...plain, uri: server.url('/card.js') };
  const before = await readOnPage({ text: JSON.stringify([document, { label: 'No uri' }]) });
  expect(before.first).toBe('it is plain JSON, which no node reads from a pod');
  expect(before.todo).toContain('then 1 component would be read');
  const mended = { '@context': NS, ...document };
  expect((await readOnPage({ text: JSON.stringify(mended) })).heading).toContain('Nothing stands in the way');
  server.on('/card.jsonld', served(JSON.stringify(mended), { 'content-type': 'application/ld+json' }));
  expect((await readOnPage({ url: server.url('/card.jsonld') })).heading).toContain('Nothing stands in');
  // In a container nobody would ask for it.
  server.on('/card.json', served(JSON.stringify(mended), JSON_TYPE));
  const inContainer = await app.app.request('/publish', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ url: server.url('/card.json') }).toString(),
  });
  expect(await inContainer.text()).toContain('nodes read it only where its own address is configured');
});
