import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bareEnv } from '../support/child.js';
import { TOP } from '../support/docs.js';
import { serveByNginx } from '../support/nginx.js';
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

describe('static hosts, without a pod', () => {
  it('are read as they serve files: a folder of one document, a page, JSON at an address, a name alone', async () => {
    const folder = await tempDir();
    // As repositories serve single files.
    const raw = `location /raw/ { alias ${folder}/; types {} default_type text/plain; }`;
    const open = 'add_header access-control-allow-origin *;';
    const url = await serveByNginx(folder, `${open} ${raw}`);
    await publishedFolder(folder, url);
    await mkdir(join(folder, 'json'));
    await writeFile(join(folder, 'json/index.json'), inPage('json'));
    await writeFile(
      join(folder, 'index.html'),
      `<!doctype html><script type="application/ld+json">${inPage('page')}</script>`,
    );
    const types = ['components.ttl', 'raw/components.ttl', 'json/', ''].map(async (path) =>
      (await fetch(url + path)).headers.get('content-type'),
    );
    expect(await Promise.all(types)).toEqual([
      ...['application/octet-stream', 'text/plain', 'application/json', 'text/html'],
    ]);

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
