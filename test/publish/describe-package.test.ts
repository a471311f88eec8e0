import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describePackage } from '../../src/publish/describe.js';
import { filesAtUrl, filesInFolder } from '../../src/publish/package-files.js';
import { createGuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import { cleanup } from '../support/cleanup.js';
import { FakeServer } from '../support/fake-server.js';
import { tempDir } from '../support/temp-dir.js';

const SHAPE = 'https://s.example/#Person';
const CARD =
  "class Card extends HTMLElement {}\ncustomElements.define('my-card', Card);\nexport default Card;\n";

type Files = Readonly<Record<string, string | object>>;

async function folderWith(files: Files): Promise<string> {
  const folder = await tempDir();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), textOf(content));
  }
  return folder;
}

const textOf = (content: string | object) =>
  typeof content === 'string' ? content : JSON.stringify(content);
const described = async (files: Files, options: { element?: string; base?: string } = {}) =>
  describePackage({ files: filesInFolder(await folderWith(files)), shapes: [SHAPE], ...options });
const manifest = (attributes: readonly string[], rest: object = {}) => ({
  schemaVersion: '1.0.0',
  modules: [
    {
      declarations: [{ tagName: 'my-card', attributes: attributes.map((name) => ({ name })), ...rest }],
    },
  ],
});
const mappingOf = ({ component }: { component: Readonly<Record<string, unknown>> }) => {
  const [capability] = component.capability as { invocation: { mapping: unknown[] }[] }[];
  return capability?.invocation[0]?.mapping;
};

describe('the description of a package', () => {
  it('has its address at npm, version, author, hash, and what its manifest says of the element', async () => {
    const { component, notes } = await described({
      'package.json': {
        ...{ name: '@me/card', version: '1.2.3', author: 'Ann <ann@example.org>', module: './dist/card.js' },
        customElements: './dist/custom-elements.json',
      },
      'dist/card.js': CARD,
      'dist/custom-elements.json': manifest(['src', 'size'], { description: 'Shows a card.\nMore.' }),
    });
    expect(component).toMatchObject({
      ...{ uri: 'https://unpkg.com/@me/card@1.2.3/dist/card.js', label: 'My card', author: ['Ann'] },
      ...{ description: 'Shows a card.', version: '1.2.3', tag: ['my-card'], shapes: [SHAPE] },
      integrity: expect.stringMatching(/^sha384-.{64}$/),
      capability: [
        {
          ...{ action: 'odrl:display', resourceType: [SHAPE] },
          invocation: [
            {
              ...{ type: 'ElementInvocation', element: 'my-card' },
              mapping: [{ variable: 'src', property: 'ac:open' }],
            },
          ],
        },
      ],
    });
    expect(notes).toEqual([
      expect.stringContaining("where npm's packages are served"),
      expect.stringContaining('Guessed, from its manifest of custom elements: src is ac:open'),
    ]);
  });

  it.each([
    [['entry', 'theme'], [['entry', 'ac:open']]],
    [['data-url'], [['data-url', 'ac:open']]],
    // The host can hand over what only its session may read; then nothing need be read by an address.
    [['value', 'url'], [['value', 'data']]],
    [
      ['data-values', 'data-values-url', 'data-shapes', 'data-shapes-url', 'data-values-subject'],
      [
        ['data-values', 'data'],
        ['data-shapes', 'shapes'],
        ['data-values-subject', 'subject'],
      ],
    ],
  ])('guesses from the attributes %j', async (attributes, expected) => {
    const package_ = { name: 'card', version: '1.0.0', main: 'card.js' };
    const said = await described({
      ...{ 'package.json': package_, 'card.js': CARD },
      'custom-elements.json': manifest(attributes),
    });
    expect(mappingOf(said)).toEqual(expected.map(([variable, property]) => ({ variable, property })));
  });

  it('says when it knows no attribute that takes data', async () => {
    const said = await described({
      ...{ 'package.json': { name: 'card', main: 'card.js' }, 'card.js': CARD },
      'custom-elements.json': manifest(['colour']),
    });
    expect(mappingOf(said)).toEqual([]);
    expect(said.notes.at(-1)).toBe(
      'No attribute of my-card is known to take data (colour): write the mapping by hand.',
    );
  });

  it('is of the latest, unless it is a version before a release', async () => {
    const latestOf = async (version: object) =>
      (await described({ 'package.json': { name: 'card', main: 'card.js', ...version }, 'card.js': CARD }))
        .component.latest;
    expect([await latestOf({}), await latestOf({ version: '1.0.0+a-b' })]).toEqual([true, true]);
    expect(await latestOf({ version: '1.0.0-rc.1' })).toBe(false);
  });

  it('needs no mapping for an element whose manifest names the events of the specification', async () => {
    const { component } = await described({
      ...{ 'package.json': { name: 'card', main: 'card.js' }, 'card.js': CARD },
      'custom-elements.json': manifest(['entry'], { events: [{ name: 'component-data-read' }] }),
    });
    expect(component.capability).toBeUndefined();
  });

  it('finds the module that imports nothing, before one that a bundler would have to join', async () => {
    const { component } = await described({
      'package.json': {
        ...{ name: 'card', version: '1.0.0', main: './common.cjs' },
        exports: { '.': { browser: { import: './bare.js' }, default: './all.js' } },
      },
      'bare.js': "import { html } from 'lit';\nexport default html;",
      'all.js': CARD,
    });
    expect(component.uri).toBe('https://unpkg.com/card@1.0.0/all.js');
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
    const files = {
      ...{ 'package.json': { name: 'cards', main: 'cards.js' }, 'cards.js': CARD },
      'custom-elements.json': { modules: [{ declarations }] },
    };
    await expect(described(files)).rejects.toThrow('several elements: name one of my-card, other-card as');
    await expect(described(files, { element: 'no-card' })).rejects.toThrow('no element no-card; it has');
    expect((await described(files, { element: 'other-card' })).component.label).toBe('Other card');
  });

  it('without a manifest has the name of the package, and says that nothing tells how it gets its data', async () => {
    const files = { 'package.json': { name: '@me/card', main: 'card.js' } };
    const silent = await described({ ...files, 'card.js': 'export default class extends HTMLElement {}' });
    expect(silent.component).toMatchObject({ label: 'Card', tag: ['card'], capability: undefined });
    expect(silent.notes.at(-1)).toContain('Nothing says how card gets its data');
  });

  it('reads nothing outside of the package, whatever package.json says', async () => {
    const files = { 'package.json': { name: 'card', main: '../../../../etc/hostname' } };
    await expect(described(files)).rejects.toThrow('etc/hostname is not there');
  });

  it.each(['{', '[]', '{"name": 5}'])('refuses %s as package.json', async (text) => {
    await expect(described({ 'package.json': text })).rejects.toThrow(/^package\.json /);
  });
});

describe('a package on the web', () => {
  it('is read by its package.json, and has its address there', async () => {
    const server = await new FakeServer().open();
    cleanup(() => server.close());
    server.on('/pkg/package.json', { body: { name: 'card', version: '1.0.0', main: 'card.js' } });
    server.on('/pkg/card.js', { body: CARD });
    const fetch = createGuardedFetch({
      userAgent: 'test',
      allowPrivate: true,
      maxBytes: 10_000,
      timeoutMs: 5000,
    });
    cleanup(() => fetch.close());
    const files = filesAtUrl(server.url('/pkg/package.json'), fetch);
    const { component, notes } = await describePackage({ files, shapes: [SHAPE] });
    expect([component.uri, notes.join()]).toEqual([
      server.url('/pkg/card.js'),
      expect.not.stringContaining('Guessed: the address'),
    ]);
  });
});
