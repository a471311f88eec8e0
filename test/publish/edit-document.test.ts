import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { parseRdf } from '../../src/component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../../src/component/reading/descriptions.js';
import { checkedComponents } from '../../src/describe/component-quads.js';
import { putComponents, removeComponents } from '../../src/publish/document-edit.js';
import { component, VOCABULARY } from '../support/registry.js';

const DOCUMENT = 'https://pod.example/components.ttl';
const quadsOf = (text = '') =>
  parseRdf({ text, mediaType: 'text/turtle', baseIri: DOCUMENT, namespace: VOCABULARY.namespace });
const componentsIn = async (text?: string) => componentsFromQuads(await quadsOf(text), VOCABULARY).components;
const put = async (text: string | undefined, ...components: ReturnType<typeof component>[]) =>
  putComponents(await quadsOf(text), components, VOCABULARY);
const replace = async (text: string, one: ReturnType<typeof component>) =>
  putComponents(await quadsOf(text), [one], VOCABULARY, { replace: true });

const CARD = checkedComponents(
  {
    ...{ uri: 'https://c.example/card@1.0.0.js', label: 'Card', version: '1.0.0', tag: ['card'] },
    capability: [
      { action: 'odrl:display', invocation: [{ type: 'ElementInvocation', element: 'a-card', mapping: [] }] },
    ],
  },
  VOCABULARY,
)[0] as ReturnType<typeof component>;

const versionsIn = async (text?: string) =>
  (await componentsIn(text))
    .filter(({ label }) => label === 'Card')
    .map(({ version, latest }) => [version, latest]);

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

  it('leaves the version before, which is not the latest any more', async () => {
    const latest = { ...CARD, latest: true };
    const { text, changes } = await put(BY_HAND, latest);
    expect(changes).toMatchObject([
      { kind: 'added', component: { version: '1.0.0', latest: true } },
      { kind: 'changed', component: { version: '0.9.0', latest: false }, fields: ['latest'] },
    ]);
    expect(text).toContain('<https://l.example/mit>');
    expect(await versionsIn(text)).toEqual([
      ['1.0.0', true],
      ['0.9.0', false],
    ]);
    const again = await put(text, latest);
    expect(again.changes).toMatchObject([{ kind: 'unchanged' }]);
    const next = { ...latest, uri: 'https://c.example/card@2.0.0.js', version: '2.0.0' };
    expect(new Map((await versionsIn((await put(text, next)).text)) as [string, boolean][])).toEqual(
      new Map([
        ['0.9.0', false],
        ['1.0.0', false],
        ['2.0.0', true],
      ]),
    );
  });

  it('leaves the latest alone for a version that is no release, and for a release of an older line', async () => {
    const { text } = await put(undefined, { ...CARD, latest: true });
    const others = [
      { ...CARD, uri: 'https://c.example/card@2.0.0-rc.1.js', version: '2.0.0-rc.1', latest: false },
      { ...CARD, uri: 'https://c.example/card@0.9.1.js', version: '0.9.1', latest: true },
    ];
    for (const other of others)
      expect(await versionsIn((await put(text, other)).text)).toEqual(
        expect.arrayContaining([
          ['1.0.0', true],
          [other.version, false],
        ]),
      );
  });

  it('moves a version that is at another address now', async () => {
    const { text } = await put(undefined, CARD);
    const { changes } = await put(text, { ...CARD, uri: 'https://d.example/card.js' });
    expect(changes).toMatchObject([{ kind: 'changed', fields: ['uri'] }]);
  });

  it('keeps two components of one label that have no version', async () => {
    const [one, other] = ['one', 'other'].map((name) => ({ ...component(name), label: 'Card' }));
    const { text } = await put(undefined, one as typeof CARD);
    const both = (await put(text, other as typeof CARD)).text;
    expect((await componentsIn(both)).map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([one?.uri, other?.uri]),
    );
  });

  it('puts a new version in the place of the one before when told to, and leaves alone what else the document says', async () => {
    const { text, changes } = await replace(BY_HAND, CARD);
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

  it('says which rules a description breaks', () => {
    expect(() => checkedComponents([{ uri: 'javascript:1' }], VOCABULARY)).toThrow(
      /uri must be .*label is missing/,
    );
  });
});

describe('taking components out of a document', () => {
  it('leaves the others', async () => {
    const { text, changes } = removeComponents(
      await quadsOf(BY_HAND),
      ({ label }) => label === 'Card',
      VOCABULARY,
    );
    expect(changes).toMatchObject([{ kind: 'removed', component: { version: '0.9.0' } }]);
    expect((await componentsIn(text)).map(({ label }) => label)).toEqual(['Other']);
    expect(text).not.toMatch(/old-card|mit/);
  });

  it('leaves nothing when nothing else was there', async () => {
    const { text } = await put(undefined, CARD);
    expect(removeComponents(await quadsOf(text), () => true, VOCABULARY).text).toBeUndefined();
  });
});

it('runs in browsers, too: nothing of Node.js is imported', async () => {
  const entryPoints = ['describe-package', 'component-quads', 'edit-document', 'turtle-text'].map(
    (name) => `src/describe/${name}.ts`,
  );
  const options = { bundle: true, format: 'esm', outdir: 'none' } as const;
  const { errors } = await build({ entryPoints, ...options, mainFields: ['module', 'main'], write: false });
  expect(errors).toEqual([]);
});
