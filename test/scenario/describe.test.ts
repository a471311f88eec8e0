import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bareEnv } from '../support/child.js';
import { cleanup } from '../support/cleanup.js';
import { TOP } from '../support/docs.js';
import { FakeServer } from '../support/fake-server.js';
import { tempDir } from '../support/temp-dir.js';

const SHAPE = 'http://xmlns.com/foaf/0.1/Person';
const PACKAGES = `${TOP}starter/node_modules/`;
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [`${TOP}dist/main.js`, ...args], { env: bareEnv() });

/** Serves the packages of the starter set as places do that serve modules. */
async function servePackages(): Promise<FakeServer> {
  const server = await new FakeServer().open();
  cleanup(() => server.close());
  return server.everything(async ({ url }) => {
    const type = url.endsWith('.js') ? 'text/javascript' : 'application/json';
    const headers = { 'content-type': type, 'access-control-allow-origin': '*' };
    const file = PACKAGES + url.slice(1);
    return existsSync(file) ? { headers, body: await readFile(file) } : { status: 404 };
  });
}

it('describe writes what lint finds right, for a real package', async () => {
  const name = '@ulb-darmstadt/shacl-form';
  const server = await servePackages();
  const file = join(await tempDir(), 'described.ttl');
  const base = server.url(`/${name}/`);
  await run('describe', PACKAGES + name, '--shape', SHAPE, '--base', base, '--out', file);
  expect(await readFile(file, 'utf8')).toContain('data-values is data, data-shapes is shapes');
  const { stdout } = await run('lint', file);
  expect(stdout).toContain('its bytes are those that its integrity promises');
});

it('describe reads a real package from the web, too', async () => {
  const base = (await servePackages()).url('/cytoscape-rdf/');
  const { stdout } = await run('describe', `${base}package.json`, '--shape', SHAPE);
  expect(stdout).toContain(`<${base}dist/`);
  expect(stdout).toContain('rdf is data');
});

it('describe tells of a real package that no browser can run it as it is', async () => {
  const failed = run('describe', `${PACKAGES}@rdfjs-elements/rdf-editor`, '--shape', SHAPE);
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /no module that browsers can run without bundling\n {2}rdf-editor\.js: .* imports /,
    ),
  });
});

it('describe asks for what it must know, and without a terminal says how to give it', async () => {
  await expect(run('describe', `${PACKAGES}cytoscape-rdf`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--shape <iri>'),
  });
});
