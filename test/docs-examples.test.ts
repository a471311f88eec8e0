import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '../src/catalog/catalog.js';
import { parseConfig } from '../src/config.js';
import { addResource, type Handler } from '../src/lib/http/resource.js';
import { createLog } from '../src/lib/log.js';
import { inProcess } from '../src/lib/pool/task.js';
import { createNode, type Node } from '../src/node.js';
import { codeBlocks, DOCUMENTS, documentAt, markedPart, strictScript, TOP } from './support/docs.js';
import { component, memoryRegistry } from './support/registry.js';
import { tempDir } from './support/temp-dir.js';

const run = promisify(execFile);
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  turtle: 'text/turtle',
  jsonld: 'application/ld+json',
};
const METADATA = [...DOCUMENTS].flatMap(([path, text]) =>
  codeBlocks(text, ...Object.keys(MEDIA_TYPES)).map(({ language, code }) => ({ path, language, code })),
);

describe('examples that are run on a node as it is shipped', () => {
  let node: Node;
  let url: string;
  beforeAll(async () => {
    const shipped = JSON.parse(readFileSync(`${TOP}node.config.json`, 'utf8'));
    const directory = await tempDir();
    const config = parseConfig({ ...shipped, listen: { port: 0 } }, { directory, env: {} });
    const pool = () => inProcess;
    node = createNode(config, { log: createLog({ level: 'silent' }), pool });
    url = (await node.start()).url;
  });
  afterAll(() => node.stop());

  const examplesOf = (path: string) =>
    markedPart(documentAt(path), 'run').replaceAll('http://localhost:3000', url);
  const inShell = async (text: string) =>
    (await run('bash', ['-c', strictScript(codeBlocks(text, 'sh'))])).stdout;

  it('the first five minutes, then the questions of web developers', async () => {
    const first = examplesOf('README.md');
    const said = await inShell(first);
    expect(said.match(/"label":"Profile card"/g)).toHaveLength(2);
    expect(said).toContain('semcom_:label "Profile card"');
    const [script] = codeBlocks(first, 'js');
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script?.code ?? '']);
    expect(stdout).toBe('Profile card https://components.example/profile-card.js\n');

    const answers = (await inShell(examplesOf('docs/web-developers.md'))).trim().split('\n');
    expect(answers).toHaveLength(3);
    for (const answer of answers) expect(answer).toContain('Profile card');
  });

  it.each(METADATA)('the $language in $path describes a component', async ({ language, code }) => {
    const headers = { 'content-type': MEDIA_TYPES[language] ?? '', accept: 'application/json' };
    const answer = await fetch(`${url}/component`, { method: 'POST', headers, body: code });
    const body = await answer.text();
    expect(body).not.toContain('"errors"');
    expect(JSON.parse(body)).toHaveLength(1);
  });

  it('the program that proves its copy of a node, which the page about the feed names', async () => {
    const program = `${TOP}docs/examples/sparql/prove-copy.mjs`;
    const tags = ['z', 'Ä', '\u{1f600}'];
    const body = JSON.stringify([
      { uri: 'https://c.example/1.js', label: 'One', description: 'a "b"\n', tag: tags, latest: false },
    ]);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/component`, { method: 'POST', headers, body })).status).toBe(201);
    const { headers: answered } = await fetch(`${url}/feed`);
    const { stdout } = await run(process.execPath, [program, url]);
    expect(stdout).toBe(`equal at ${answered.get('feed-cursor')}\n`);
  });

  it('the pages for web developers, operators, connections and the feed name every endpoint of the node', async () => {
    const answer = await fetch(`${url}/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Record<string, unknown> };
    expect(Object.keys(paths).length).toBeGreaterThan(15);
    const names = ['web-developers', 'operators', 'connections', 'feed'];
    const pages = names.map((name) => documentAt(`docs/${name}.md`));
    // The specification writes the lists of the connection service with a slash at the end, which means nothing.
    const isNamed = (path: string) =>
      [path, `${path}/`, path.replaceAll('{uri}', '<uri>')].some((one) =>
        pages.some((text) => text.includes(` ${one}\``) || text.includes(`\`${one}\``)),
      );
    expect(Object.keys(paths).filter((path) => !isNamed(path))).toEqual([]);
  });

  it('metadata is shown in the README and in the page for authors, in both languages', () => {
    expect(METADATA.map(({ path, language }) => `${path} ${language}`)).toEqual(
      expect.arrayContaining(['README.md turtle', 'docs/authors.md turtle', 'docs/authors.md jsonld']),
    );
  });
});

it('the endpoint of the recipe answers', async () => {
  const [, rest = ''] = documentAt('docs/architecture.md').split('<!-- endpoint -->');
  const [example] = codeBlocks(rest, 'ts');
  const { code } = await transform(example?.code ?? '', { loader: 'ts', format: 'esm' });
  const { countAuthors } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    countAuthors: (catalog: Catalog) => Handler;
  };
  const registry = await memoryRegistry();
  await registry.upsertLocal([
    component('a', { author: ['Ann'] }),
    component('b', { author: ['Ann', 'Bob'] }),
  ]);
  const app = new Hono({ strict: false });
  const log = { error: () => undefined };
  addResource(app, { path: '/authors', methods: { GET: countAuthors(registry.catalog) } }, { log });
  expect(await (await app.request('/authors')).json()).toEqual({ Ann: 2, Bob: 1 });
  expect((await app.request('/authors', { method: 'POST' })).status).toBe(405);
  await registry.close();
});
