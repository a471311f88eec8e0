import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { reportText } from '../../src/cli/lint-verb.js';
import type { Invocation } from '../../src/component/capability.js';
import { createGuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import { inProcess, PoolBusy } from '../../src/lib/pool/task.js';
import { hasErrors, type LintReport } from '../../src/publish/finding.js';
import { type LintOptions, lint, lintText, lintUrl } from '../../src/publish/lint.js';
import { metadataFindings } from '../../src/publish/metadata-rules.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../support/fake-server.js';
import { component, VOCABULARY } from '../support/registry.js';

const NS = VOCABULARY.namespace;
const MODULE = 'export default class extends HTMLElement {}';
const SERVED = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
const PREFIXES = `@prefix c: <${NS}>. @prefix ac: <https://www.w3.org/ns/ac#>. @prefix hydra: <http://www.w3.org/ns/hydra/core#>.
@prefix ldp: <http://www.w3.org/ns/ldp#>.`;
const COMPLETE =
  'a c:component; c:label "Card"; c:description "A card"; c:version "1.0.0"; c:latest true; c:tag "card"; c:shapes <urn:Person>';

let server: FakeServer;
beforeEach(async () => {
  server = await fakeServer();
  server.on('/card.js', { headers: SERVED, body: MODULE });
});

function options(more: Partial<LintOptions> = {}, allowPrivate = true): LintOptions {
  const fetch = createGuardedFetch({ userAgent: 'test', allowPrivate, maxBytes: 2_000_000, timeoutMs: 2000 });
  const parsing = { pool: inProcess, lane: 'lint' } as const;
  return { fetch, trust: 'learned', vocabulary: VOCABULARY, maxModules: 5, parsing, ...more };
}

function check(answer: FakeAnswer, more?: Partial<LintOptions>): Promise<LintReport> {
  server.on('/meta', { headers: { 'content-type': 'text/turtle' }, ...answer });
  return lintUrl(server.url('/meta'), options(more));
}

const turtle = (statements: string) => ({ body: `${PREFIXES} <card.js> ${statements}.` });

/** What is wrong, and what could be better, each with what to do about it. */
function complaints({ findings, components }: LintReport): string[] {
  const all = [...findings, ...components.flatMap((one) => one.findings)];
  return all.flatMap(({ level, what, fix }) => (level === 'ok' ? [] : [`${level}: ${what} → ${fix}`]));
}

const errorsIn = (report: LintReport) => complaints(report).filter((one) => one.startsWith('error'));

const hash = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;

test('a component as it should be has no faults, and its hash is told', async () => {
  const report = await check(turtle(COMPLETE));
  expect([complaints(report), hasErrors(report)]).toEqual([[], false]);
  expect(report.components[0]?.uri).toBe(server.url('/card.js'));
  expect(reportText(report)).toContain(`integrity ${hash(MODULE)}`);
});

const plain = JSON.stringify({ uri: 'card.js', label: 'Card' });
const typed = (type: string, body: string) => ({ headers: { 'content-type': type }, body });
const CONTAINER = `${PREFIXES} <> a ldp:Container; ldp:contains <card.ttl>.`;
/** Beside a capability that somebody can use. */
const OF_NO_KIND = `ac:capability [ ac:invocation [ a <urn:Command> ] ],
  [ ac:invocation [ a ac:UriTemplateInvocation; hydra:template "#{x}" ] ]`;

/** An author sees within ten seconds what is wrong (issue 33): each fault in words, with what to do. */
test.each<[string, FakeAnswer, RegExp]>([
  ['it is not there', { status: 404 }, /^error: the document answers 404 → put it at this URL/],
  ['it is private', { status: 403 }, /the document answers 403 → let everyone read it, at this URL/],
  ['it is a picture', { status: 501 }, /answers 501 → it is kept in another format, .*nobody lacks a right$/],
  ['it is a page', typed('text/html', '<p>'), /is text\/html, which no node reads → send/],
  ['a full stop is missing', { body: '@prefix c: <urn:c>\n<a> c:b "x".' }, /cannot be read: .*line 2/],
  ['it says nothing of components', { body: '<a> <b> <c>.' }, /describes no component → use terms of <http/],
  ['it is too large', { body: `# ${'x'.repeat(1_100_000)}` }, /the document cannot be had: .*larger than/],
  ['it breaks off', { ...turtle(COMPLETE), truncate: 'length' }, /the document cannot be had: .*broke off/],
  ['there is no label', turtle('c:version "1.0.0"'), /label is missing → .*no node lists this component/],
  ['there are two labels', turtle('c:label "One", "Two"'), /label may have only one value.* → correct it/],
  ['it is plain JSON', typed('application/json', plain), /is plain JSON, .* → add "@context": ".*" to each/],
  ['it is a container', { body: CONTAINER }, /is a container, .* → name one of the documents in it/],
  ['an invocation is of no kind', turtle(`${COMPLETE}; ${OF_NO_KIND}`), /no kind of .* → .*without this/],
  [
    'a promise is none',
    turtle(`${COMPLETE}; c:integrity "sha384-abc"`),
    /integrity must be sha256-, sha384-/,
  ],
])('what is wrong when %s', async (_, answer, expected) => {
  const report = await check(answer);
  expect(errorsIn(report)[0]).toMatch(expected);
  expect(hasErrors(report)).toBe(true);
});

test.each<[string, RegExp | undefined]>([
  [
    'c:label "Card"; c:lable "x"',
    /uses lable, which is no term of the vocabulary → there are component, uri, label/,
  ],
  ['a c:Component; c:label "Card"', /uses Component.* → there are component/],
  ['c:label "Card"; c:shapes "foaf:Person"', /shape foaf:Person looks like .*prefix foaf:/],
  ['c:label "Card"; c:shapes <urn:x:Person>, <did:web:c.example>', undefined],
  ['c:label "Card"; c:version "1.2"', /version 1\.2 is no semantic version → .*as in 1\.2\.0/],
  ['c:label "Card"; c:version "v1.2.0"', undefined],
  ['c:label "Card"; c:version "spring"', /version spring is no semantic version/],
  ['c:label "Card"; c:tag "Profile card", "ok-1"', /tag Profile card cannot be part of an element's name/],
])('%s', async (statements, expected) => {
  const found = complaints(await check(turtle(statements))).filter(
    (one) => !/(has|names) no|does not say/.test(one),
  );
  expect(found).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
});

test('what would make a component easier to find is told', async () => {
  const found = complaints(await check(turtle('c:label "Card"')));
  expect(found.map((one) => one.split(' → ')[0])).toEqual([
    'advice: it names no shapes',
    'advice: it has no description',
    'advice: it has no version',
    'advice: it does not say whether it is the latest version',
    'advice: it has no tags',
  ]);
});

test.each<[string, string, RegExp | undefined]>([
  ['two that are the latest', '1.0.0 true, 2.0.0 true', /^advice: 2 versions of Card .*: 1\.0\.0, 2\.0\.0 →/],
  ['none that is the latest', '1.0.0 false, 2.0.0 false', /^advice: no version of Card says/],
  ['one that is the latest', '1.0.0 false, 2.0.0 true', undefined],
])('of versions, %s', async (_, versions, expected) => {
  const lines = versions.split(', ').map((one) => {
    const [version, latest] = one.split(' ');
    return `<card.js?${version}> c:label "Card"; c:version "${version}"; c:latest ${latest}.`;
  });
  const { findings } = await check({ body: `${PREFIXES} ${lines.join('\n')}` });
  const found = complaints({ document: '', findings, components: [] });
  expect(found).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
});

describe('a document', () => {
  test('of a stranger leads to no private address, and who can reach it can check it', async () => {
    const refused = expect.stringMatching(/not on the public internet.* → .*the command lint/);
    const closed = options({}, false);
    expect(complaints(await lintUrl(server.url('/meta'), closed))).toEqual([refused]);
    const text = `${PREFIXES} <${server.url('/card.js')}> ${COMPLETE}.`;
    const asked = { text, mediaType: 'text/turtle', baseIri: 'https://pod.example/' };
    expect(errorsIn(await lintText(asked, closed))).toEqual([refused]);
    expect(server.requests).toEqual([]);
  });

  test('in plain JSON is none, and following the advice mends it', async () => {
    const said = { uri: server.url('/card.js'), label: 'Card' };
    expect(errorsIn(await lint({ text: JSON.stringify([said]) }, options()))[0]).toContain(
      'it is plain JSON',
    );
    const text = JSON.stringify({ '@context': NS, ...said });
    expect(errorsIn(await lint({ text }, options()))).toEqual([]);
  });

  test('is read by the workers: a stranger may send what takes long', async () => {
    const run = async () => {
      throw new PoolBusy();
    };
    const parsing = { pool: { run }, lane: 'lint' } as const;
    await expect(lint({ text: '<a> <b> <c>.' }, options({ parsing }))).rejects.toThrow(PoolBusy);
  });

  test('has each of its faulty components named, beside the sound ones, and the first modules looked at', async () => {
    const others = [1, 2, 3].map((i) => `<card.js?${i}> c:label "Card".`).join('\n');
    const body = `${PREFIXES} ${others} <other.js> c:label "One", "Two".`;
    const report = await check({ body }, { maxModules: 2 });
    expect(report.components.map(({ uri }) => uri)).toContain(server.url('/other.js'));
    expect(server.count('/card.js')).toBe(2);
    expect(complaints(report).join()).toContain('its module was not looked at → check at most 2');
  });

  test('of an unnamed application says what it is called', async () => {
    const report = await check({ body: `${PREFIXES} <> ac:capability [ ac:action <urn:show> ] .` });
    const { host } = new URL(server.url('/'));
    expect(complaints(report)[0]).toMatch(`advice: it has no name, and is listed as ${host}/meta`);
    expect(hasErrors(report)).toBe(false);
  });
});

describe('the module', () => {
  const served = (headers: Record<string, string>) => ({ headers: { ...SERVED, ...headers }, body: MODULE });
  const sized = (bytes: number) => ({ headers: SERVED, body: `${MODULE}/*${'x'.repeat(bytes)}*/` });
  const untyped = { headers: { 'access-control-allow-origin': '*' }, body: MODULE };
  const closed = { headers: { 'content-type': 'text/javascript' }, body: MODULE };

  test.each<[string, FakeAnswer, string]>([
    ['is not there', { status: 404 }, 'error: the module answers 404 → put the module at its uri'],
    ['has no type', untyped, 'error: it is served without a Content-Type; browsers refuse to run that'],
    [
      'is text',
      served({ 'content-type': 'text/plain' }),
      'error: it is served as text/plain; browsers refuse to run that',
    ],
    ['has an old type', served({ 'content-type': 'application/javascript' }), 'advice: it is served as app'],
    ['is for its own site', closed, 'import it → serve it with Access-Control-Allow-Origin: *'],
    [
      'is for one site',
      served({ 'access-control-allow-origin': 'https://a.example' }),
      'error: only pages of https://a',
    ],
    ['is large', sized(400_000), 'advice: it is large: 400.'],
    ['is far too large', sized(1_100_000), 'error: the module cannot be had: '],
  ])('%s', async (_, answer, expected) => {
    server.on('/card.js', answer);
    expect(complaints(await check(turtle(COMPLETE)))).toEqual([expect.stringContaining(expected)]);
  });

  test('may be larger for who checks it by a command', async () => {
    server.on('/card.js', sized(1_100_000));
    const report = await check(turtle(COMPLETE), { trust: 'configured' });
    expect(complaints(report)).toEqual([expect.stringMatching(/^advice: it is large: 1\d+\.\d kB/)]);
  });

  test('has the bytes that are promised, and that were there first', async () => {
    const promised = (text: string) => turtle(`${COMPLETE}; c:integrity "${hash(text)}"`);
    const kept = await check(promised(MODULE));
    expect(complaints(kept)).toEqual([]);
    expect(reportText(kept)).toContain('its bytes are those that its integrity promises');
    const others = `not what its integrity promises: they are ${hash(MODULE)} → raise the version`;
    expect(complaints(await check(promised('other')))).toEqual([expect.stringContaining(others)]);
    const firstSeen = async () => hash('before');
    const before = `saw other bytes first under version 1.0.0: ${hash('before')}, and now ${hash(MODULE)}`;
    const seen = complaints(await check(turtle(COMPLETE), { firstSeen }));
    expect(seen).toEqual([expect.stringContaining(before)]);
  });
});

const ELEMENT = 'class extends HTMLElement { static observedAttributes = ["entry"]; }';
const NO_CLASS = 'error: its default export is no class that extends another';

/** What is found in the text of a module. */
describe('the text of a module', () => {
  const found = async (body: string) => {
    server.on('/card.js', { headers: SERVED, body });
    return complaints(await check(turtle(COMPLETE))).filter((one) => !one.includes('it is large'));
  };

  test.each([
    `export default ${ELEMENT}`,
    `const Card = ${ELEMENT}; export default Card;`,
    `var t=${ELEMENT},e=t;export{e as default};`,
    `export ${ELEMENT.replace('class', 'class Card')}`,
    'class Base extends HTMLElement { get entry() {} } export default class extends Base {}',
  ])('exports an element: %s', async (source) => {
    expect(await found(source)).toEqual([]);
  });

  test.each([
    [`customElements.define('x-y', ${ELEMENT});`, 'advice: it defines an element, and exports none'],
    [`window.customElements.define('x-y', ${ELEMENT});`, 'advice: it defines an element, and exports none'],
    [
      `customElements.get('x-y') || customElements.define('x-y', ${ELEMENT});`,
      'advice: it defines an element',
    ],
    ['export default 5;', NO_CLASS],
    ['export default () => 1;', NO_CLASS],
    ['export default class {}', NO_CLASS],
    ['export const x = 1;', 'error: it exports no element class and defines no element'],
    ['// customElements.define("x-y", class extends HTMLElement {})', 'error: it exports no element class'],
    ['export default make("entry");', 'advice: what it exports is the result of a computation'],
    [`import 'lit'; ${MODULE}`, 'error: it imports lit, which no browser can find, and nobody can pin'],
    [`export * from './part.js'; ${MODULE}`, 'advice: it imports ./part.js'],
    [`import x from 'https://cdn.example/x.js'; ${MODULE}`, 'advice: it imports https://cdn.example/x.js'],
    [`${MODULE} import('./part.js');`, 'advice: while it runs, it imports ./part.js'],
    [`${MODULE} import('lit');`, 'error: while it runs, it imports lit, which no browser can find'],
    [`${MODULE} import(this.where);`, 'advice: it imports other modules while it runs'],
    ['export default class {{', 'error: it does not parse as an ES module: '],
    ['with (x) {}', 'error: it does not parse as an ES module: '],
    [`export default ${'['.repeat(100_000)}`, 'error: it does not parse as an ES module: '],
    ['<!doctype html><title>Not found</title>', 'error: it does not parse as an ES module: '],
  ])('%.60s', async (source, expected) => {
    expect(await found(source)).toEqual([expect.stringContaining(expected)]);
  });

  test('that its description names an element of need export none', async () => {
    const invocation =
      'ac:capability [ ac:action <urn:a>; ac:invocation [ a c:ElementInvocation; c:element "x-y"; hydra:mapping [ hydra:variable "src"; hydra:property ac:open ] ] ]';
    server.on('/card.js', { headers: SERVED, body: "import './part.js';" });
    expect(errorsIn(await check(turtle(`${COMPLETE}; ${invocation}`)))).toEqual([]);
  });

  test('does not run, is given up where it takes long, and not looked into where that takes minutes', async () => {
    await found(`globalThis.ranInTheNode = true; ${MODULE}`);
    expect('ranInTheNode' in globalThis).toBe(false);
    const names = Array.from({ length: 120_000 }, (_, i) => `a${i}`).join(',');
    expect(await found(`let ${names};`)).toEqual([expect.stringMatching(/it takes more than \d+ ms/)]);
    const groups = Array.from({ length: 60_000 }, () => '(?<a>)').join('|');
    expect(await found(`export default ${ELEMENT}; /${groups}/v`)).toEqual([]);
  });
});

const whats = (...invocation: Invocation[]) => {
  const capability = [{ action: 'odrl:display', invocation }];
  const complete = { description: 'x', version: '1.0.0', latest: true, tag: ['x'], shapes: ['urn:x'] };
  const found = metadataFindings(component('card', { ...complete, capability }));
  return found.map(({ what }) => what);
};
const element = { type: 'ElementInvocation' as const, element: 'x-y' };
const template = { type: 'ac:UriTemplateInvocation' as const, template: '#o={o}' };

test.each<[Invocation, string[]]>([
  [{ ...element, mapping: [{ variable: 'src', property: 'ac:open' }] }, ['its metadata is complete']],
  [{ ...template, mapping: [{ variable: 'o', property: 'ac:open' }] }, ['its metadata is complete']],
  [{ ...element, mapping: [] }, ['nothing tells x-y what to show']],
  [
    { ...element, mapping: ['dta', 'data', 'shapes'].map((property) => ({ variable: property, property })) },
    [
      'no host knows what dta means, to which x-y maps something',
      'x-y is to be given shapes, and its capability names none',
    ],
  ],
  [
    { type: 'FragmentInvocation', fragment: '<x-y onclick="a()"></x-y>', module: [] },
    [
      'a fragment has no {open}',
      'a fragment has a script in it',
      'a fragment has custom elements, and names no module',
    ],
  ],
  [
    { type: 'FragmentInvocation', fragment: '{open}', module: [{ uri: 'https://x.example/y.js' }] },
    ['the module https://x.example/y.js of a fragment has no integrity'],
  ],
  [
    { ...template, mapping: [{ variable: 'open', property: 'ac:open' }] },
    ['nothing says what {o} in #o={o} means', '#o={o} has no {open}, to which a mapping belongs'],
  ],
])('%j', (invocation, expected) => {
  expect(whats(invocation)).toEqual(expected);
});

test('of one kind, a dozen are told, in short', () => {
  const names = Array.from({ length: 300 }, (_, i) => `a${i}`);
  const told = whats({ ...template, template: `https://open.example/{?${names.join(',')}}`, mapping: [] });
  expect(told).toHaveLength(13);
  expect(told[0]).toMatch(/^nothing says what \{a0\} in https:\/\/open\.example\/.{40,60} … means$/);
  expect(told[12]).toBe('and 288 more');
});
