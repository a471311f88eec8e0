import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Parser } from 'n3';
import { beforeAll, describe, expect, test } from 'vitest';
import { bareEnv } from '../support/child.js';
import { CLIENTS_DIR } from '../support/install-packages.js';
import { publish, textOf } from '../support/node/node-reader.js';
import { tempDir } from '../support/temp-dir.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const run = promisify(execFile);
/** The compiler of this project. */
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const bin = (name: string) => join(CLIENTS_DIR, 'node_modules/.bin', name);
const uriOf = (name: string) => `https://c.example/${name}.js`;

/** Runs a program of the folder with the clients, and gives what it prints. */
async function runClient(file: string, args: readonly string[], input?: string): Promise<unknown> {
  const running = run(process.execPath, [file, ...args], { cwd: CLIENTS_DIR, env: bareEnv() });
  running.child.stdin?.end(input ?? '');
  return JSON.parse((await running).stdout);
}

let node: InProcessNode;
beforeAll(async () => {
  node = await startInProcess({ config: { write: 'open', connection: { enabled: true } } });
  const components = ['a', 'b', 'c'].map((name) => ({
    uri: uriOf(name),
    label: name,
    tag: ['one', 'two'],
    shapes: ['http://xmlns.com/foaf/0.1/Person'],
  }));
  await publish(node, ...components);
});

describe('a SPARQL client', () => {
  const select = (url: string, query: string) => runClient(bin('comunica-sparql'), [url, '-q', query]);
  const number = (value: number) => `"${value}"^^http://www.w3.org/2001/XMLSchema#integer`;

  test('counts the components', async () => {
    const query = `SELECT (COUNT(DISTINCT ?c) AS ?components) (COUNT(*) AS ?triples) WHERE
      { ?c a <http://semcom.digita.ai/voc#component> ; ?p ?o }`;
    const triples = new Parser().parse(await textOf(node, '/component', 'text/turtle')).length;
    expect(triples).toBeGreaterThan(15);
    expect(await select(`${node.url}/component`, query)).toEqual([
      { components: number(3), triples: number(triples) },
    ]);
  });

  test('finds where each statement comes from when it asks for all graphs', async () => {
    const query = 'SELECT ?g (COUNT(DISTINCT ?c) AS ?n) WHERE { GRAPH ?g { ?c a ?class } } GROUP BY ?g';
    expect(await select(`${node.url}/component?graphs=all`, query)).toEqual([
      { g: 'urn:registry:local', n: number(3) },
    ]);
  });
});

test('a streaming JSON-LD client reads the listing', async () => {
  const file = join(CLIENTS_DIR, 'read-json-ld.mjs');
  // Six that say what the component is, and five that say who says so.
  const triples = 3 * (6 + 5);
  expect(await runClient(file, [`${node.url}/component`])).toEqual({ triples });
});

describe('OpenAPI tools', () => {
  const lint = (document: string) =>
    runClient(join(CLIENTS_DIR, 'lint-openapi.mjs'), ['recommended-strict'], document);

  test('a linter finds nothing by its recommended rules, all of them taken for errors', async () => {
    expect(await lint(await textOf(node, '/openapi.json', '*/*'))).toEqual([]);
  });

  test('a generated client compiles and queries', async () => {
    const directory = await tempDir();
    await symlink(join(CLIENTS_DIR, 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
    await copyFile(join(CLIENTS_DIR, 'query.ts'), join(directory, 'query.ts'));
    const options = { cwd: directory, env: bareEnv() };
    await run(bin('openapi-typescript'), [`${node.url}/openapi.json`, '-o', 'openapi.ts'], options);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const compilerOptions = {
      ...strict,
      skipLibCheck: true,
      target: 'es2022',
      module: 'nodenext',
      types: [],
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const faults = await run(TSC, [], options).catch(({ stdout }) => ({ stdout }));
    expect(faults.stdout).toBe('');
    expect(await runClient(join(directory, 'query.js'), [node.url, 'generated'])).toEqual({
      status: 201,
      labels: ['Posted'],
      uris: ['https://c.example/posted.js'],
      tags: ['generated'],
      pointer: '?limit',
    });
  });
});
