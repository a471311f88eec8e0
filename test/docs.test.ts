import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../src/cli/program.js';
import { configReference } from '../src/config/reference.js';
import { parseConfig } from '../src/config.js';
import { codeBlocks, DOCUMENTS, documentAt, markedPart, TOP } from './support/docs.js';

const manifest = JSON.parse(readFileSync(`${TOP}package.json`, 'utf8'));
const all = [...DOCUMENTS];
/** Without code between fences, which has links and paths of its own. */
const prose = (text: string) => text.replaceAll(/^( *)```.*?^\1```$/gms, '');

/** Everything that a pattern finds in the documents, with the document, each once. */
function found(pattern: RegExp, documents = all): { path: string; what: string }[] {
  return documents.flatMap(([path, text]) =>
    [...new Set([...text.matchAll(pattern)].map(([, what = '']) => what))].map((what) => ({ path, what })),
  );
}

describe('the documents', () => {
  it('lead to files and headings that are there', () => {
    const dead = found(
      /\]\((?!https?:)([^)\s]+)\)/g,
      all.map(([path, text]) => [path, prose(text)]),
    ).filter(({ path, what }) => {
      const [file = '', anchor] = what.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(TOP + target)) return true;
      return anchor !== undefined && !headingsOf(documentAt(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('name files and folders that are there', () => {
    const gone = found(/`((?:src|test|scripts|docs)\/[\w./-]*)`/g).filter(
      ({ what }) => !existsSync(TOP + what),
    );
    expect(gone.map(({ path, what }) => `${path} names ${what}`)).toEqual([]);
  });

  it('name commands, configuration keys and variables that there are', () => {
    const scripts = found(/npm run ([\w-]+)/g).filter(({ what }) => !(what in manifest.scripts));
    expect(scripts).toEqual([]);
    const keys = configReference().map(({ key }) => key);
    const sections = [...new Set(keys.filter((key) => key.includes('.')).map((key) => key.split('.')[0]))];
    const inSections = new RegExp(`\`((?:${sections.join('|')})\\.[A-Za-z]+)\``, 'g');
    const isKnown = ({ path, what }: { path: string; what: string }) =>
      keys.includes(what) || path === 'CHANGELOG.md';
    expect(found(inSections).filter((one) => !isKnown(one))).toEqual([]);
    const variables = [
      ...configReference().map(({ variable }) => variable),
      'REGISTRY_OPERATOR_TOKEN',
      'REGISTRY_STORE_URL',
    ];
    const named = found(/\b(REGISTRY_[A-Z_]+[A-Z])\b/g).filter(({ what }) => !variables.includes(what));
    // The changelog tells of a variable that is gone.
    expect(named.filter(({ path }) => path !== 'CHANGELOG.md')).toEqual([]);
    expect(new Set(named.map(({ what }) => what))).toEqual(new Set(['REGISTRY_STORE_READ_URL']));
  });

  it('have examples of configuration that a node accepts', () => {
    const env = { ANN_POD_ID: 'id', ANN_POD_SECRET: 'secret' };
    const examples = all.flatMap(([, text]) => codeBlocks(text, 'json'));
    expect(examples.length).toBeGreaterThan(2);
    for (const { code } of examples) {
      expect(() => parseConfig(JSON.parse(code), { directory: '/tmp', env })).not.toThrow();
    }
  });
});

describe('docs/authors.md', () => {
  it('shows a component as it is shipped, in 20 lines', () => {
    const [shown] = codeBlocks(markedPart(documentAt('docs/authors.md'), 'sample'), 'js');
    expect(shown?.code).toBe(readFileSync(`${TOP}docs/samples/profile-card.js`, 'utf8'));
    expect(shown?.code.trim().split('\n').length).toBeLessThanOrEqual(20);
  });
});

it('docs/operators.md names every command of the program', () => {
  const { commands } = createProgram({ say: () => undefined, note: () => undefined });
  const verbs = commands.map((one) => one.name());
  const all = ['serve', 'check', 'token', 'lint', 'publish', 'export', 'import', 'rehearse', 'repair'];
  expect(verbs).toEqual(all);
  const [named = ''] = documentAt('docs/operators.md').match(/^## Commands$.*?^## /ms) ?? [];
  expect(verbs.filter((verb) => !new RegExp(`dist/main\\.js \\[?${verb}`).test(named))).toEqual([]);
});

describe('docs/architecture.md', () => {
  const text = documentAt('docs/architecture.md');

  it('has a map of src/ that is that of the tree: each room of it, with the folders of the room', () => {
    const rows = [...markedPart(text, 'map').matchAll(/^\| (?!in `)(.*?) \| (.*) \|$/gm)];
    const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const rooms = rows.flatMap(([, first = '', second = '']) => {
      const inRoom = namesIn(second).filter((name) => /^[\w-]+\/$/.test(name));
      return namesIn(first).map((name) => [name, ...(name.endsWith('/') ? inRoom : [])]);
    });
    const there = entriesOf('src/').map((entry) => [
      entry,
      ...(entry.endsWith('/') ? entriesOf(`src/${entry}`).filter((inner) => inner.endsWith('/')) : []),
    ]);
    const sorted = (map: string[][]) =>
      map.map(([room = '', ...folders]) => [room, ...folders.sort()].join(' ')).sort();
    // Between map:begin and map:end, a room is a line "| `<room>/` | what is there. `<folder>/`: what is there |".
    expect(sorted(rooms)).toEqual(sorted(there));
  });

  it('says what each dependency is for', () => {
    const rows = [...text.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
    const [development = ''] = text.match(/^For development: .*$/ms) ?? [];
    const named = new Set([...rows, ...development.split(/[\s,()]+/).map((word) => word.replace(/\.$/, ''))]);
    const all = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(all.filter((name) => !named.has(name))).toEqual([]);
  });
});

/** Sorted; folders end with a slash. */
function entriesOf(folder: string): string[] {
  return readdirSync(TOP + folder, { withFileTypes: true })
    .map((entry) => entry.name + (entry.isDirectory() ? '/' : ''))
    .sort();
}

/** The anchors that GitHub gives to headings. */
function headingsOf(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
