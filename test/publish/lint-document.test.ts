import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import { withoutPause } from '../../src/lib/pace.js';
import { inProcess, PoolBusy, type TaskPool } from '../../src/lib/pool/task.js';
import { hasErrors, type LintReport } from '../../src/publish/finding.js';
import { lint as lintAny, lintText, lintUrl } from '../../src/publish/lint.js';
import { reportText } from '../../src/cli/lint-verb.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../support/fake-server.js';
import { VOCABULARY } from '../support/registry.js';

const MODULE =
  'export default class extends HTMLElement { entry; x() { this.attachShadow({ mode: "open" }); } }';
const SERVED = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };

let server: FakeServer;
beforeAll(async () => {
  server = await fakeServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.on('/card.js', { headers: SERVED, body: MODULE });
});

function options(more: { maxModules?: number; allowPrivate?: boolean } = {}) {
  const { maxModules = 5, allowPrivate = true } = more;
  const fetch = createGuardedFetch({ userAgent: 'test', allowPrivate, maxBytes: 2_000_000, timeoutMs: 2000 });
  const parsing = { pool: inProcess(withoutPause), lane: 'lint' } as const;
  return { fetch, trust: 'learned' as const, vocabulary: VOCABULARY, maxModules, parsing };
}

const complete = (uri: string) => `@prefix c: <${VOCABULARY.namespace}>.
<${uri}> a c:component; c:label "Card"; c:description "A card"; c:version "1.0.0"; c:latest true; c:tag "card"; c:shapes <urn:Person>.`;

function lint(answer: FakeAnswer, more = {}): Promise<LintReport> {
  server.on('/meta', { headers: { 'content-type': 'text/turtle' }, ...answer });
  return lintUrl(server.url('/meta'), options(more));
}

function complaints({ findings, components }: LintReport): string[] {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  return all.flatMap(({ level, what }) => (level === 'ok' ? [] : [`${level}: ${what}`]));
}

test('a component as it should be has no faults, and its hash is told', async () => {
  const report = await lint({ body: complete('card.js') });
  expect(complaints(report)).toEqual([]);
  expect(hasErrors(report)).toBe(false);
  expect(report.components[0]?.uri).toBe(server.url('/card.js'));
  const digest = createHash('sha384').update(MODULE).digest('base64');
  expect(reportText(report)).toContain(`integrity sha384-${digest}`);
});

describe('the document', () => {
  test.each<[string, FakeAnswer, RegExp]>([
    ['is not there', { status: 404 }, /^error: the document answers 404$/],
    [
      'is a page',
      { headers: { 'content-type': 'text/html' }, body: '<p>' },
      /^error: the document is text\/html, which no node reads$/,
    ],
    ['is broken', { body: '<a> <b' }, /^error: it cannot be read: ./],
    ['says nothing of components', { body: '<a> <b> <c>.' }, /^error: it describes no component$/],
    [
      'is too large',
      { body: `# ${'x'.repeat(1_100_000)}` },
      /^error: the document cannot be had: .*larger than/,
    ],
    [
      'breaks off',
      { body: complete('card.js'), truncate: 'length' },
      /^error: the document cannot be had: .*broke off/,
    ],
  ])('%s', async (_what, answer, expected) => {
    const report = await lint(answer);
    expect(complaints(report)).toEqual([expect.stringMatching(expected)]);
    expect(hasErrors(report)).toBe(true);
  });

  test('of a stranger leads to no private address', async () => {
    const report = await lint({ body: complete('card.js') }, { allowPrivate: false });
    expect(complaints(report)).toEqual([expect.stringMatching(/not on the public internet/)]);
    expect(server.requests).toEqual([]);
    // Whoever can reach it can check it.
    expect(report.findings[0]?.fix).toContain(
      `the command lint of a copy of this software: lint ${server.url('/meta')}`,
    );
  });

  test('that names a module at a private address says how to check that, too', async () => {
    const body = complete(server.url('/card.js'));
    const document = { text: body, mediaType: 'text/turtle', document: 'https://pod.example/card.ttl' };
    const { components } = await lintText(document, options({ allowPrivate: false }));
    const [finding] = components[0]?.findings.filter(({ level }) => level === 'error') ?? [];
    expect(finding?.what).toContain('not on the public internet');
    expect(finding?.fix).toContain('with the command lint');
  });

  test.each<[string, string, RegExp, RegExp | string]>([
    ['a misspelt predicate', 'c:lable "Card"; c:label "Card"', /uses lable/, /did you mean label\?/],
    ['a term in the plural', 'c:label "Card"; c:tags "card"', /uses tags/, /did you mean tag\?/],
    ['a term that is like none', 'c:label "Card"; c:colour "red"', /uses colour/, /there are uri, label/],
    [
      'a class in capitals',
      'a c:Component; c:label "Card"',
      /the class Component/,
      /did you mean component\?/,
    ],
  ])('with %s is told of it', async (_what, statements, what, fix) => {
    const { findings } = await lint({
      body: `@prefix c: <${VOCABULARY.namespace}>. <card.js> ${statements}.`,
    });
    const [finding, ...others] = findings.filter(({ level }) => level === 'advice');
    expect(others).toEqual([]);
    expect(finding).toEqual({
      level: 'advice',
      what: expect.stringMatching(what),
      fix: expect.stringMatching(fix),
    });
  });

  test.each([
    [
      'a ac:UriTemplateInvocation; hydra:template "#{x}{x}{x}"',
      'capability.invocation.template may name at most 16 variables, each at most 2 times',
    ],
    [
      'a <https://desktop.example/ns#Command>',
      expect.stringMatching(/^capability\.invocation\.type is no kind of invocation that is known here/),
    ],
  ])('says what is left out of a component that is listed: %s', async (invocation, what) => {
    const body = `@prefix ac: <https://www.w3.org/ns/ac#>. @prefix hydra: <http://www.w3.org/ns/hydra/core#>.
${complete('card.js')} <card.js> ac:capability [ ac:invocation [ a ac:UriTemplateInvocation; hydra:template "#{x}" ] ],
  [ ac:invocation [ ${invocation} ] ].`;
    const { components } = await lint({ body });
    expect(components[0]?.findings[0]).toEqual({
      level: 'error',
      what,
      fix: expect.stringContaining('without this'),
    });
  });

  test('in JSON-LD is told of keys that no context defines, where they are like a field', async () => {
    const context = [VOCABULARY.namespace, { '@vocab': 'https://other.example/', labels: 'urn:labels' }];
    const body = {
      '@context': context,
      '@id': 'card.js',
      label: 'Card',
      tags: 'card',
      labels: 'x',
      colour: 'red',
    };
    const { findings } = await lint({
      headers: { 'content-type': 'application/ld+json' },
      body: JSON.stringify(body),
    });
    expect(findings.filter(({ level }) => level === 'advice').map(({ what }) => what)).toEqual([
      expect.stringMatching(/^it uses tags,/),
    ]);
  });

  test('that is a container is said to be one', async () => {
    const body = `@prefix ldp: <http://www.w3.org/ns/ldp#>. <> a ldp:Container, ldp:BasicContainer; ldp:contains <card.ttl>.`;
    const report = await lint({ body });
    expect(complaints(report)).toEqual(['error: it is a container, which describes no component itself']);
    expect(report.findings[0]?.fix).toContain(server.url('/card.ttl'));
  });

  test.each<[string, string[], RegExp[]]>([
    [
      'two that are the latest',
      ['1.0.0 true', '2.0.0 true'],
      [/^2 versions of Card .*latest: 1\.0\.0, 2\.0\.0$/],
    ],
    ['none that is the latest', ['1.0.0 false', '2.0.0 false'], [/^no version of Card says/]],
    ['a single one that is not the latest', ['1.0.0 false'], [/^no version of Card says/]],
    ['one that is the latest', ['1.0.0 false', '2.0.0 true'], []],
  ])('with versions, of these %s', async (_what, versions, expected) => {
    const lines = versions.map((one) => {
      const [version, latest] = one.split(' ');
      return `<card.js?${version}> c:label "Card"; c:version "${version}"; c:latest ${latest}.`;
    });
    const { findings } = await lint({ body: `@prefix c: <${VOCABULARY.namespace}>. ${lines.join('\n')}` });
    const found = findings.filter(({ level }) => level === 'advice').map(({ what }) => what);
    expect(found).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  test.each<[string, string, RegExp | undefined]>([
    ['a prefixed name for a shape', 'c:shapes "foaf:Person"', /shape foaf:Person looks like .*prefix foaf:/],
    ['another kind of IRI for a shape', 'c:shapes <urn:x:Person>, <did:web:c.example>', undefined],
    ['a version of two numbers', 'c:version "1.2"', /version 1\.2 is no semantic version/],
    ['a version with a v', 'c:version "v1.2.0"', undefined],
    ['a version in words', 'c:version "spring"', /version spring is no semantic version/],
    [
      'a tag of several words',
      'c:tag "Profile card", "ok-1"',
      /tag Profile card cannot be part of an element's name/,
    ],
  ])('with %s', async (_what, statement, expected) => {
    const body = `@prefix c: <${VOCABULARY.namespace}>. <card.js> c:label "Card"; ${statement}.`;
    const found = complaints(await lint({ body })).filter(
      (what) => !/(has|names) no|does not say/.test(what),
    );
    expect(found).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
  });

  test('has each of its faulty components named, beside the sound ones', async () => {
    const body = `${complete('card.js')} <other.js> c:label "One", "Two".`;
    const { components } = await lint({ body });
    expect(components.map(({ uri }) => uri)).toEqual([server.url('/card.js'), server.url('/other.js')]);
    expect(components[1]?.findings[0]).toMatchObject({
      level: 'error',
      what: expect.stringContaining('only one value'),
    });
  });

  test('is told what would make it easier to find', async () => {
    const body = `<card.js> <${VOCABULARY.namespace}label> "Card".`;
    expect(complaints(await lint({ body }))).toEqual([
      'advice: it names no shapes',
      'advice: it has no description',
      'advice: it has no version',
      'advice: it does not say whether it is the latest version',
      'advice: it has no tags',
    ]);
  });

  test('of an unnamed application says what it is called', async () => {
    const body =
      '<> <https://www.w3.org/ns/ac#capability> [ <https://www.w3.org/ns/ac#action> <urn:show> ] .';
    const report = await lint({ body });
    const host = new URL(server.url('/')).host;
    expect(complaints(report)[0]).toBe(`advice: it has no name, and is listed as ${host}/meta`);
    expect(hasErrors(report)).toBe(false);
  });

  test('with many components has the first modules looked at', async () => {
    const body = [1, 2, 3].map((i) => `<card.js?${i}> <${VOCABULARY.namespace}label> "Card".`).join('\n');
    const report = await lint({ body }, { maxModules: 2 });
    expect(server.count('/card.js')).toBe(2);
    expect(complaints(report)).toContain('advice: its module was not looked at');
  });

  test('in plain JSON is read by the workers: a stranger may send what takes long', async () => {
    const pool: TaskPool = {
      // biome-ignore lint/correctness/useYield: it fails before its first piece
      run: async function* () {
        throw new PoolBusy();
      },
    };
    const parsing = { pool, lane: 'lint' } as const;
    const pasted = lintAny({ text: '{"capability":[{},{}]}' }, { ...options(), parsing });
    await expect(pasted).rejects.toThrow(PoolBusy);
    const report = await lintAny({ text: `[${'{},'.repeat(5000)}{}]` }, options());
    expect(report.components).toHaveLength(100);
  });

  test('may be a body in JSON, when it is a file', async () => {
    const text = JSON.stringify({ uri: server.url('/card.js'), label: 'Card' });
    const report = await lintText({ text, mediaType: 'application/json', document: 'a.json' }, options());
    expect(report.components.map(({ label }) => label)).toEqual(['Card']);
  });
});

describe('the module', () => {
  test.each<[string, FakeAnswer, string | RegExp]>([
    ['is not there', { status: 404 }, 'error: the module answers 404'],
    [
      'has no type',
      { headers: { 'access-control-allow-origin': '*' }, body: MODULE },
      'error: it is served without a Content-Type; browsers refuse to run that',
    ],
    [
      'is text',
      { headers: { ...SERVED, 'content-type': 'text/plain' }, body: MODULE },
      'error: it is served as text/plain; browsers refuse to run that',
    ],
    [
      'has an old type',
      { headers: { ...SERVED, 'content-type': 'application/javascript' }, body: MODULE },
      'advice: it is served as application/javascript',
    ],
    [
      'is for its own site',
      { headers: { 'content-type': 'text/javascript' }, body: MODULE },
      'error: pages of other sites may not import it',
    ],
    [
      'is for one site',
      { headers: { ...SERVED, 'access-control-allow-origin': 'https://a.example' }, body: MODULE },
      'error: only pages of https://a.example may import it',
    ],
    [
      'is large',
      { headers: SERVED, body: `${MODULE}/*${'x'.repeat(400_000)}*/` },
      /^advice: it is large: 400\.\d kB$/,
    ],
    [
      'is far too large',
      { headers: SERVED, body: `/*${'x'.repeat(1_100_000)}*/` },
      /^error: the module cannot be had: .*larger than 1000000 bytes/,
    ],
    ['does not parse', { headers: SERVED, body: 'export {' }, /^error: it does not parse as an ES module/],
  ])('%s', async (_what, answer, expected) => {
    server.on('/card.js', answer);
    const found = complaints(await lint({ body: complete('card.js') }));
    expect(found).toEqual([typeof expected === 'string' ? expected : expect.stringMatching(expected)]);
  });
});

test('a module may be larger for who checks it by a command', async () => {
  const body = `${MODULE}/*${'x'.repeat(1_100_000)}*/`;
  server.on('/card.js', { headers: SERVED, body });
  const document = { text: complete(server.url('/card.js')), mediaType: 'text/turtle', document: 'a.ttl' };
  const report = await lintText(document, { ...options(), trust: 'configured' });
  expect(complaints(report)).toEqual([expect.stringMatching(/^advice: it is large: 1\d+\.\d kB$/)]);
});

describe('the bytes of a module', () => {
  const hash = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;
  const promising = (integrity: string) => `${complete('card.js').slice(0, -1)}; c:integrity "${integrity}".`;

  test('are what the document promises', async () => {
    const report = await lint({ body: promising(hash(MODULE)) });
    expect(complaints(report)).toEqual([]);
    expect(reportText(report)).toContain('its bytes are those that its integrity promises');
  });

  test('are not what the document promises, or the promise is none', async () => {
    expect(complaints(await lint({ body: promising(hash('other')) }))).toEqual([
      `error: its bytes are not what its integrity promises: they are ${hash(MODULE)}`,
    ]);
    expect(complaints(await lint({ body: promising('sha384-abc') }))).toEqual([
      expect.stringMatching(/^error: integrity must be sha256-, sha384- or sha512-/),
    ]);
  });

  test('are not what the node saw first', async () => {
    server.on('/meta', { headers: { 'content-type': 'text/turtle' }, body: complete('card.js') });
    const firstSeen = async (_: unknown, document: string) =>
      document === server.url('/meta') ? hash('before') : undefined;
    const report = await lintUrl(server.url('/meta'), { ...options(), firstSeen });
    expect(complaints(report)).toEqual([
      `error: this node saw other bytes first under version 1.0.0: ${hash('before')}, and now ${hash(MODULE)}`,
    ]);
  });
});
