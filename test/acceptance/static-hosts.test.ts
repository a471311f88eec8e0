import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bareEnv } from '../support/child.js';
import { TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
import { tempDir } from '../support/temp-dir.js';
import { startInProcess } from './adapters/in-process-node.js';

const VOCABULARY = 'http://semcom.digita.ai/voc';
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [`${TOP}dist/main.js`, ...args], { env: bareEnv() });
const inPage = (name: string) =>
  JSON.stringify({ '@context': VOCABULARY, '@id': `https://c.example/${name}.js`, label: name });

/** Two packages, published into one folder, beside which their files are. */
async function publishedFolder(folder: string, base: string): Promise<void> {
  for (const name of ['my-card', 'my-list']) {
    const place = join(folder, name);
    await mkdir(place, { recursive: true });
    const about = { name, version: '1.0.0', module: 'element.js' };
    await writeFile(join(place, 'package.json'), JSON.stringify(about));
    const module = `export default class extends HTMLElement { static observedAttributes = ['entry']; }; customElements.define('${name}', class extends HTMLElement {});`;
    await writeFile(join(place, 'element.js'), module);
    await run(
      ...['publish', place, '--to', folder, '--base', `${base}${name}/`],
      ...['--shape', 'foaf:Person', '--apply'],
    );
  }
}

/** Serves a folder as servers of files do, by the end of the name, and below `/raw/` as repositories do. Gives its address. */
async function served(folder: string): Promise<string> {
  const types: Readonly<Record<string, string>> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.json': 'application/json',
  };
  const server = await fakeServer();
  server.everything(async ({ url }) => {
    const name = url.replace('/raw/', '/');
    const files = name.endsWith('/') ? [`${name}index.html`, `${name}index.json`] : [name];
    const file = files.map((one) => join(folder, one)).find(existsSync);
    if (file === undefined) return { status: 404 };
    const type = name === url ? (types[extname(file)] ?? 'application/octet-stream') : 'text/plain';
    const headers = { 'content-type': type, 'access-control-allow-origin': '*' };
    return { headers, body: await readFile(file) };
  });
  return server.url('/');
}

describe('static hosts, without a pod', () => {
  it('are read as they serve files: a folder of one document, a page, JSON at an address, a name alone', async () => {
    const folder = await tempDir();
    const url = await served(folder);
    await publishedFolder(folder, url);
    await mkdir(join(folder, 'json'));
    await writeFile(join(folder, 'json/index.json'), inPage('json'));
    await writeFile(
      join(folder, 'index.html'),
      `<!doctype html><script type="application/ld+json">${inPage('page')}</script>`,
    );
    const pods = ['components.ttl', 'raw/components.ttl', 'json/', ''].map((path) => url + path);
    const node = await startInProcess({ config: { pods } });
    const labels = async () => {
      const answer = await fetch(`${node.url}/component`, { headers: { accept: 'application/json' } });
      return ((await answer.json()) as { label: string }[]).map(({ label }) => label).sort();
    };
    await expect.poll(labels).toEqual(['My card', 'My list', 'json', 'page']);

    const { stdout } = await run('lint', `${url}components.ttl`);
    expect(stdout).toContain('it is served as application/octet-stream, and read by its name');
    const listed = await run(
      ...['publish', join(folder, 'my-card'), '--to', folder, '--at', url, '--base', `${url}my-card/`],
      ...['--shape', 'foaf:Person', '--node', node.url],
    );
    expect(listed.stdout).toMatch(/= My card 1\.0\.0 <[^>]*> is there already[\s\S]* lists it since /);
  });
});
