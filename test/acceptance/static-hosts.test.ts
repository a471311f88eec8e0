import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bareEnv } from '../support/child.js';
import { TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
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

/** Serves a folder as servers do that do not know Turtle, and below `/raw/` as repositories do. Gives its address. */
async function served(folder: string): Promise<string> {
  const server = await fakeServer();
  server.everything(async ({ url }) => {
    const body = await readFile(folder + url.replace('/raw/', '/')).catch(() => undefined);
    if (body === undefined) return { status: 404 };
    const unknown = url.startsWith('/raw/') ? 'text/plain' : 'application/octet-stream';
    const type = url.endsWith('.js') ? 'text/javascript' : unknown;
    return { headers: { 'content-type': type, 'access-control-allow-origin': '*' }, body };
  });
  return server.url('/');
}

it('static hosts, without a pod, are read as they serve files: by their names alone', async () => {
  const folder = await tempDir();
  const url = await served(folder);
  await publishedFolder(folder, url);
  const pods = ['components.ttl', 'raw/components.ttl'].map((path) => url + path);
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
