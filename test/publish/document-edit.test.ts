import { Parser } from 'n3';
import { describe, expect, it } from 'vitest';
import { parseRdf } from '../../src/component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../../src/component/reading/descriptions.js';
import { describedInJson } from '../../src/component/reading/json-descriptions.js';
import { putComponents, removeComponents } from '../../src/publish/document-edit.js';
import { turtleText } from '../../src/publish/turtle-text.js';
import { growth } from '../support/growth.js';
import { component, VOCABULARY } from '../support/registry.js';

const DOCUMENT = 'https://pod.example/components.ttl';
const quadsOf = (text = '') =>
  parseRdf({ text, mediaType: 'text/turtle', baseIri: DOCUMENT, namespace: VOCABULARY.namespace });
const componentsIn = async (text?: string) => componentsFromQuads(await quadsOf(text), VOCABULARY).components;
const put = async (text: string | undefined, ...components: ReturnType<typeof component>[]) =>
  putComponents(await quadsOf(text), components, VOCABULARY);
const read = (said: object) =>
  describedInJson(said, VOCABULARY).components[0] as ReturnType<typeof component>;

const CARD = read({
  ...{ uri: 'https://c.example/card@1.0.0.js', label: 'Card', version: '1.0.0', tag: ['card'] },
  capability: [
    {
      ...{ id: 'https://c.example/#display', action: 'odrl:display' },
      invocation: [
        { id: 'https://c.example/#element', type: 'ElementInvocation', element: 'a-card', mapping: [] },
      ],
    },
  ],
});

const versionsIn = async (text?: string) =>
  (await componentsIn(text))
    .filter(({ label }) => label === 'Card')
    .map(({ version, latest }) => `${version} ${latest}`)
    .sort();

/** Somebody's own document: a component under a name of its own, and more than the vocabulary has words for. */
const BY_HAND = `
@prefix semcom: <${VOCABULARY.namespace}>. @prefix ac: <https://www.w3.org/ns/ac#>. @prefix dct: <http://purl.org/dc/terms/>.
<> dct:title "Mine"; dct:hasPart <#card>.
<#card> a semcom:component; semcom:uri "https://c.example/card@0.9.0.js"; semcom:label "Card"; semcom:version "0.9.0";
  dct:license <https://l.example/mit>; dct:creator [ dct:title "Ann"; dct:relation _:loop ]; ac:capability <#show>.
<#show> a ac:Capability; ac:invocation [ a semcom:ElementInvocation; semcom:element "old-card" ].
_:loop dct:relation [ dct:relation _:loop ].
<https://c.example/other.js> semcom:label "Other".`;

describe('putting components into a document', () => {
  it('makes one where there is none, and finds nothing to change in it afterwards', async () => {
    const { text, changes } = await put(undefined, CARD, component('two'));
    expect(changes.map(({ kind }) => kind)).toEqual(['added', 'added']);
    expect(await componentsIn(text)).toEqual(expect.arrayContaining([CARD, component('two')]));
    expect((await put(text, CARD)).changes).toMatchObject([{ kind: 'unchanged', fields: [] }]);
  });

  it('takes no name of a capability from what has several sources, in whatever order they are written', async () => {
    const written = (sources: string) => `@prefix ac: <https://www.w3.org/ns/ac#>.
<https://c.example/app.js> <${VOCABULARY.namespace}label> "App"; ac:capability [ a ac:Capability;
  <http://purl.org/dc/terms/source> ${sources}; ac:invocation [ a <${VOCABULARY.namespace}ElementInvocation>;
  <${VOCABULARY.namespace}element> "an-app" ] ].`;
    const idsIn = async (text: string) =>
      (await componentsIn(text)).flatMap(({ capability = [] }) => capability.map(({ id }) => id));
    expect(await idsIn(written('<#one>'))).toEqual([`${DOCUMENT}#one`]);
    for (const both of ['<#one>, <#two>', '<#two>, <#one>'])
      expect(await idsIn(written(both))).toEqual([undefined]);
  });

  it('leaves the version before, which is not the latest any more', async () => {
    const { text, changes } = await put(BY_HAND, { ...CARD, latest: true });
    expect(changes).toMatchObject([
      { kind: 'added', component: { version: '1.0.0', latest: true } },
      { kind: 'changed', component: { version: '0.9.0', latest: false }, fields: ['latest'] },
    ]);
    expect(await versionsIn(text)).toEqual(['0.9.0 false', '1.0.0 true']);
    const next = { ...CARD, uri: 'https://c.example/card@2.0.0.js', version: '2.0.0', latest: true };
    const after = await versionsIn((await put(text, next)).text);
    expect(after).toEqual(['0.9.0 false', '1.0.0 false', '2.0.0 true']);
  });

  it.each([
    ['a version that is no release', '2.0.0-rc.1', false],
    ['a release of an older line', '0.9.1', true],
  ])('leaves the latest alone for %s', async (_, version, latest) => {
    const { text } = await put(undefined, { ...CARD, latest: true });
    const other = { ...CARD, uri: `https://c.example/card@${version}.js`, version, latest };
    const expected = ['1.0.0 true', `${version} false`].sort();
    expect(await versionsIn((await put(text, other)).text)).toEqual(expected);
  });

  it('moves a version that is at another address now, and keeps two of one label that have none', async () => {
    const { text } = await put(undefined, CARD);
    const { changes } = await put(text, { ...CARD, uri: 'https://d.example/card.js' });
    expect(changes).toMatchObject([{ kind: 'changed', fields: ['uri'] }]);
    const [one, other] = ['one', 'other'].map((name) => component(name, { label: 'Card' }));
    const both = (await put((await put(undefined, one as typeof CARD)).text, other as typeof CARD)).text;
    expect((await componentsIn(both)).map(({ uri }) => uri).sort()).toEqual([one?.uri, other?.uri]);
  });

  it('puts a new version in the place of the one before when told to, and leaves alone what else is said', async () => {
    const { text, changes } = putComponents(await quadsOf(BY_HAND), [CARD], VOCABULARY, true);
    expect(changes).toMatchObject([
      { kind: 'changed', before: { version: '0.9.0' }, fields: ['uri', 'version', 'tag', 'capability'] },
    ]);
    const [other, card, ...none] = (await componentsIn(text)).sort((a, b) => (a.label < b.label ? 1 : -1));
    expect([other?.label, card, none]).toEqual(['Other', CARD, []]);
    expect(text).not.toMatch(/old-card|#show|0\.9\.0/);
    const said = (await quadsOf(text)).map(({ subject, object }) => `${subject.value} ${object.value}`);
    expect(said).toContain(`${CARD.uri} https://l.example/mit`);
    expect(said).toContain(`${DOCUMENT} ${CARD.uri}`);
    expect(text).toContain('"Ann"');
    // The circle of blank nodes is still one.
    expect(text?.match(/_:b1\b/g)).toHaveLength(3);
  });
});

it('taking a component out leaves the others, and nothing when nothing else was there', async () => {
  const { text, changes } = removeComponents(
    await quadsOf(BY_HAND),
    ({ label }) => label === 'Card',
    VOCABULARY,
  );
  expect(changes).toMatchObject([{ kind: 'removed', component: { version: '0.9.0' } }]);
  expect((await componentsIn(text)).map(({ label }) => label)).toEqual(['Other']);
  expect(text).not.toMatch(/old-card|mit/);
  const single = await quadsOf((await put(undefined, CARD)).text);
  expect(removeComponents(single, () => true, VOCABULARY).text).toBeUndefined();
});

it.each([
  [
    'many versions',
    (i: number) => `<https://c.example/${i}> semcom:label "Card"; semcom:version "1.0.${i}".`,
    /^$/,
  ],
  [
    'one version that shares a list with something else',
    (i: number) =>
      `<https://c.example/v> semcom:label "Card"; <urn:p> _:0. <urn:x> <urn:p> _:0. _:${i + 1} <urn:p> _:${i + 2}. _:0 <urn:p> _:1.`,
    /urn:x/,
  ],
])('taking out %s looks at a statement a few times', (_, said, left) => {
  const written = (count: number) => Array.from({ length: count }, (_, i) => said(i)).reverse();
  const quadsOf = (count: number) =>
    new Parser().parse(`@prefix semcom: <${VOCABULARY.namespace}>. ${written(count).join(' ')}`);
  const take = (quads: ReturnType<typeof quadsOf>) =>
    expect(removeComponents(quads, () => true, VOCABULARY).text ?? '').toMatch(left);
  expect(growth(quadsOf, (quads) => take([...quads]))).toBeLessThan(3);
});

describe('the Turtle of a document', () => {
  it('is read again as what was written, whatever is in the texts, and indents what stands in brackets', async () => {
    const data = { variable: 'data-values', property: 'data' };
    const element = {
      type: 'ElementInvocation',
      element: 'my-form',
      format: 'text/turtle',
      fixed: { view: '' },
    };
    const opened = { type: 'ac:UriTemplateInvocation', template: '{?uri}' };
    const said = read({
      ...{ uri: 'https://c.example/a(b).js?c', label: 'He said "no" [\n\\', latest: true, shapes: ['ac:x'] },
      capability: [
        {
          ...{ action: 'odrl:display', resourceType: ['https://s.example/#S'], accept: ['text/turtle'] },
          invocation: [
            { ...element, mapping: [data], write: { event: 'submit', method: 'serialize' } },
            { ...opened, mapping: [{ variable: 'uri', property: 'ac:open' }] },
          ],
        },
      ],
    });
    const { text = '' } = await put(undefined, said);
    expect(await componentsIn(text)).toEqual([said]);
    expect(text).not.toContain('urn:');
    expect(text).toMatch(/^ {4}\S+ \[\n {8}a \S+;\n(?: {8}.*\n)* {8}\S+ \[\n {12}a /m);
  });

  it('grows with what is written and not with its depth, and keeps every statement of a deep document', async () => {
    const text = `<urn:a> <urn:b> ${'[<urn:b> '.repeat(10_000)}1${']'.repeat(10_000)}.`;
    const quads = await quadsOf(text);
    const written = turtleText(quads, VOCABULARY);
    expect(written.length).toBeLessThan(4 * text.length);
    expect(await quadsOf(written)).toHaveLength(quads.length);
  });
});
