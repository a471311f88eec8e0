import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Parser } from 'n3';
import { beforeAll, describe, expect, test } from 'vitest';
import { bareEnv } from '../support/child.js';
import { installed } from '../support/install-packages.js';
import { publish, textOf } from '../support/node/node-reader.js';
import { tempDir } from '../support/temp-dir.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const run = promisify(execFile);
/** The compiler of this project. */
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const CLIENTS_DIR = await installed('test/clients', 172);
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

test('a SPARQL client counts the components, and finds in all graphs where each statement comes from', async () => {
  const query = `SELECT ?g (COUNT(DISTINCT ?c) AS ?components) (COUNT(?p) AS ?triples) WHERE
    { { ?c a <http://semcom.digita.ai/voc#component> ; ?p ?o } UNION { GRAPH ?g { ?c a ?class } } } GROUP BY ?g`;
  const triples = new Parser().parse(await textOf(node, '/component', 'text/turtle')).length;
  expect(triples).toBeGreaterThan(15);
  const number = (value: number) => `"${value}"^^http://www.w3.org/2001/XMLSchema#integer`;
  const sources = [`${node.url}/component`, `${node.url}/component?graphs=all`];
  const found = (await runClient(bin('comunica-sparql'), [...sources, '-q', query])) as object[];
  expect(found).toHaveLength(2);
  expect(found).toContainEqual({ components: number(3), triples: number(triples) });
  expect(found).toContainEqual({ g: 'urn:registry:local', components: number(3), triples: number(0) });
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
