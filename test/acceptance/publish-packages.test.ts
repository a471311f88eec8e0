import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { TOP } from '../support/docs.js';
import { FakeServer } from '../support/fake-server.js';
import { runProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';

const SHAPE = 'http://xmlns.com/foaf/0.1/Person';
const PACKAGES = `${TOP}starter/node_modules/`;

let folder: string;
beforeEach(async () => {
  folder = await tempDir();
});
const publish = (packageName: string, ...args: string[]) =>
  runProgram(['publish', packageName, '--to', folder, '--shape', SHAPE, ...args]);

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

it('publish writes of a real package what lint finds right', async () => {
  const name = '@ulb-darmstadt/shacl-form';
  const base = (await servePackages()).url(`/${name}/`);
  const written = await publish(PACKAGES + name, '--base', base, '--apply');
  expect([written.code, written.stderr]).toEqual([
    0,
    expect.stringContaining('Nothing says how shacl-form gets'),
  ]);
  const { code, stdout } = await runProgram(['lint', join(folder, 'components.ttl')]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('its bytes are those that its integrity promises'),
  ]);
});

it('publish tells of a real package that no browser can run it as it is', async () => {
  const { code, stderr } = await publish(`${PACKAGES}@rdfjs-elements/rdf-editor`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/no module that browsers can run without bundling\n {2}rdf-editor\.js: .* imports /);
});
