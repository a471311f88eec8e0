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

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [`${TOP}dist/main.js`, ...args], { env: bareEnv() });

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
  it('are read as they serve files: a folder of one document, and by their names alone', async () => {
    const folder = await tempDir();
    // As repositories serve single files.
    const raw = `location /raw/ { alias ${folder}/; types {} default_type text/plain; }`;
    const open = 'add_header access-control-allow-origin *;';
    const url = await serveByNginx(folder, `${open} ${raw}`);
    await publishedFolder(folder, url);
    const pods = ['components.ttl', 'raw/components.ttl'].map((path) => url + path);
    const types = pods.map(async (pod) => (await fetch(pod)).headers.get('content-type'));
    expect(await Promise.all(types)).toEqual(['application/octet-stream', 'text/plain']);

    const node = await startInProcess({ config: { pods } });
    const labels = async () => {
      const answer = await fetch(`${node.url}/component`, { headers: { accept: 'application/json' } });
      return ((await answer.json()) as { label: string }[]).map(({ label }) => label).sort();
    };
    await expect.poll(labels).toEqual(['My card', 'My list']);

    const listed = await run(
      ...['publish', join(folder, 'my-card'), '--to', folder, '--at', url, '--base', `${url}my-card/`],
      ...['--shape', 'foaf:Person', '--node', node.url],
    );
    expect(listed.stdout).toMatch(/= My card 1\.0\.0 <[^>]*> is there already[\s\S]* lists it since /);
  });
});
