import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describePackage } from '../../src/publish/describe.js';
import { componentJsonSchema, readComponentJson } from '../../src/publish/manifests.js';
import { tempDir } from '../support/temp-dir.js';

const SHAPE = 'https://s.example/#Person';
const CARD =
  "class Card extends HTMLElement {}\ncustomElements.define('my-card', Card);\nexport default Card;\n";

type Files = Readonly<Record<string, string | object>>;

/** Describes a package with these files. */
async function described(files: Files, element?: string) {
  const folder = await tempDir();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const { components, notes } = await describePackage({ ...{ folder, shapes: [SHAPE], element } });
  return { component: components[0] ?? {}, notes };
}

/** A package with one module. */
const card = (more: object = {}, files: Files = {}, element?: string) =>
  described(
    { 'package.json': { name: 'card', main: 'card.js', ...more }, 'card.js': CARD, ...files },
    element,
  );
const MANIFEST = 'custom-elements.json';
const manifest = (attributes: readonly string[], rest: object = {}, path = MANIFEST) => {
  const own = { tagName: 'my-card', attributes: attributes.map((name) => ({ name })), ...rest };
  return { [path]: { modules: [{ declarations: [own] }] } };
};

describe('the description of a package', () => {
  it('has its address at npm, version, author, hash, and what its manifest says of the element', async () => {
    const customElements = { customElements: `./dist/${MANIFEST}` };
    const { component, notes } = await described({
      'package.json': {
        ...{ name: '@me/card', version: '1.2.3', author: 'Ann <ann@example.org>', module: './dist/card.js' },
        ...customElements,
      },
      'dist/card.js': CARD,
      ...manifest(['src', 'size'], { description: 'Shows a card.\nMore.' }, `dist/${MANIFEST}`),
    });
    const mapping = [{ variable: 'src', property: 'ac:open' }];
    const invocation = [{ type: 'ElementInvocation', element: 'my-card', mapping }];
    expect(component).toMatchObject({
      ...{ uri: 'https://unpkg.com/@me/card@1.2.3/dist/card.js', label: 'My card', author: ['Ann'] },
      ...{ description: 'Shows a card.', version: '1.2.3', tag: ['my-card'], shapes: [SHAPE], latest: true },
      integrity: expect.stringMatching(/^sha384-.{64}$/),
      capability: [{ action: 'odrl:display', resourceType: [SHAPE], invocation }],
    });
    expect(notes).toEqual([
      expect.stringContaining("where npm's packages are served"),
      expect.stringContaining('Guessed, from its manifest of custom elements: src is ac:open'),
    ]);
  });

  it.each([
    ['entry theme', 'entry is ac:open'],
    ['data-url', 'data-url is ac:open'],
    // The host can hand over what only its session may read; then nothing need be read by an address.
    ['value url', 'value is data'],
    [
      'data-values data-values-url data-shapes data-shapes-url data-values-subject',
      'data-values is data, data-shapes is shapes, data-values-subject is subject',
    ],
  ])('guesses from the attributes %s', async (attributes, expected) => {
    const { notes } = await card({}, manifest(attributes.split(' ')));
    expect(notes.at(-1)).toContain(`: ${expected}.`);
  });

  it('says when it knows no attribute that takes data, and needs none where events are spoken', async () => {
    expect((await card({}, manifest(['colour']))).notes.at(-1)).toBe(
      'No attribute of my-card is known to take data (colour): write the mapping by hand.',
    );
    const events = { events: [{ name: 'component-data-read' }] };
    expect((await card({}, manifest(['entry'], events))).component.capability).toBeUndefined();
  });

  it.each([
    [undefined, true],
    ['1.0.0+a-b', true],
    ['1.0.0-rc.1', false],
  ])('is of the latest, unless it is a version before a release: %s', async (version, latest) => {
    expect((await card({ version })).component.latest).toBe(latest);
  });

  it('finds the module that imports nothing, before one that a bundler would have to join', async () => {
    const exports = { '.': { browser: { import: './bare.js' }, default: './card.js' } };
    const files = { 'bare.js': "import { html } from 'lit';\nexport default html;" };
    const { component } = await card({ main: './common.cjs', version: '1.0.0', exports }, files);
    expect(component.uri).toBe('https://unpkg.com/card@1.0.0/card.js');
  });

  it('says of every module why browsers cannot run it, when there is none', async () => {
    const said = described({
      'package.json': { name: 'card', module: 'index.js', main: 'common.cjs', unpkg: 'lost.js' },
      'index.js': "export * from './part.js';",
      'part.js': "import 'lit';",
      'common.cjs': "const lit = require('lit'); module.exports = lit;",
    });
    await expect(said).rejects.toThrow(
      /no module that browsers can run without bundling\n {2}lost\.js: lost\.js is not there\n {2}index\.js: part\.js imports lit.*\n {2}common\.cjs: .*CommonJS/,
    );
  });

  it('says which elements its manifest has when it cannot choose', async () => {
    const declarations = ['other-card', 'my-card'].map((tagName) => ({ tagName }));
    const files = { 'custom-elements.json': { modules: [{ declarations }] } };
    await expect(card({}, files)).rejects.toThrow('several elements: name one of my-card, other-card as');
    await expect(card({}, files, 'no-card')).rejects.toThrow('no element no-card; it has');
    expect((await card({}, files, 'other-card')).component.label).toBe('Other card');
  });

  it('without a manifest has the name of the package, and says that nothing tells how it gets its data', async () => {
    const { component, notes } = await card({ name: '@me/card' });
    expect(component).toMatchObject({ label: 'Card', tag: ['card'], capability: undefined });
    expect(notes.at(-1)).toContain('Nothing says how card gets its data');
  });

  it('reads nothing outside of the package, whatever package.json says', async () => {
    await expect(card({ main: '../../../../etc/hostname' })).rejects.toThrow('etc/hostname is not there');
  });

  it.each(['{', '[]', '{"name": 5}'])('refuses %s as package.json', async (text) => {
    await expect(described({ 'package.json': text })).rejects.toThrow(/^package\.json /);
  });
});

describe('component.json', () => {
  it('describes one element, or several', () => {
    expect(readComponentJson('{"shapes": ["foaf:Person"]}')).toEqual([{ shapes: ['foaf:Person'] }]);
    expect(readComponentJson('[{"element": "a-b"}, {"element": "c-d"}]')).toHaveLength(2);
  });

  it.each([
    ['{', 'component.json is not JSON'],
    ['[]', 'component.json describes nothing'],
    ['{"shape": ["foaf:Person"]}', 'shape is none of its keys (there are uri, label'],
    ['{"latest": "yes"}', 'latest must be true or false'],
  ])('says what is wrong with %s', (text, fault) => {
    expect(() => readComponentJson(text)).toThrow(fault);
  });

  it('has a schema for editors, with what each key means', () => {
    const text = JSON.stringify(componentJsonSchema());
    for (const key of ['shapes', 'element', 'uri', 'label', '$schema']) expect(text).toContain(`"${key}"`);
    expect(text).toContain('what it renders');
  });
});
