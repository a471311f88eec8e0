import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRdf } from '../src/component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../src/component/reading/descriptions.js';
import { parseConfig } from '../src/config.js';
import { createLog } from '../src/lib/log.js';
import { systemPace } from '../src/lib/pace.js';
import { inProcess } from '../src/lib/pool/task.js';
import { createNode, type Node } from '../src/node.js';
import { VOCABULARY } from './support/registry.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const run = promisify(execFile);

/** The blocks of code in one language, all of them or those between two markers. */
function blocks(language: string, marker?: string): string[] {
  const [, part = ''] = marker
    ? (readme.match(new RegExp(`<!-- ${marker}:begin -->(.*?)<!-- ${marker}:end -->`, 's')) ?? [])
    : ['', readme];
  return [...part.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code);
}

describe('the README', () => {
  it('has a map of src/ that is that of the tree', () => {
    const [, map = ''] = readme.match(/<!-- map:begin -->(.*?)<!-- map:end -->/s) ?? [];
    const named = [...map.matchAll(/^\| (.*?) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/`[^`]+`/g) ?? [],
    );
    const there = readdirSync(new URL('../src', import.meta.url), { withFileTypes: true });
    const expected = there.map((entry) => `\`${entry.name}${entry.isDirectory() ? '/' : ''}\``);
    expect(named.filter((name) => name !== '`src/`').sort()).toEqual(expected.sort());
  });

  it('says what each dependency is for', () => {
    const rows = [...readme.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
    for (const name of Object.keys(manifest.dependencies)) expect(rows).toContain(name);
    const [development = ''] = readme.match(/^For development: .*?\n\n/ms) ?? [];
    for (const name of Object.keys(manifest.devDependencies)) expect(development).toContain(name);
  });

  it('has an example document that a node understands', async () => {
    for (const text of blocks('turtle')) {
      const quads = await parseRdf({
        text,
        mediaType: 'text/turtle',
        baseIri: 'https://x.example/',
        namespace: VOCABULARY.namespace,
      });
      const { components, invalid } = componentsFromQuads(quads, VOCABULARY);
      expect(components).toHaveLength(1);
      expect(invalid).toEqual([]);
    }
  });

  it('has examples of configuration that a node accepts', () => {
    const env = { ANN_POD_ID: 'id', ANN_POD_SECRET: 'secret' };
    for (const text of blocks('json')) {
      expect(() => parseConfig(JSON.parse(text), { directory: '/tmp', env })).not.toThrow();
    }
  });
});

describe('the first five minutes', () => {
  let directory: string;
  let node: Node;
  let url: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'registry-readme-'));
    const shipped = JSON.parse(readFileSync(new URL('../node.config.json', import.meta.url), 'utf8'));
    const config = parseConfig({ ...shipped, listen: { port: 0 } }, { directory, env: {} });
    node = createNode(config, { log: createLog({ level: 'silent' }), pool: inProcess(systemPace) });
    url = (await node.start()).url;
  });
  afterAll(async () => {
    await node.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('work as written', async () => {
    const script = blocks('sh', 'run').join('\n').replaceAll('http://localhost:3000', url);
    const strict = 'set -euo pipefail; curl() { command curl --fail-with-body -sS "$@"; echo; }\n';
    const { stdout } = await run('bash', ['-c', strict + script]);
    expect(stdout.match(/"label":"Profile card"/g)).toHaveLength(2);
    expect(stdout).toContain('semcom:label "Profile card"');
  });
});
