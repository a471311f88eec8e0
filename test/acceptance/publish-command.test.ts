import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { TOP } from '../support/docs.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { listedUris } from '../support/node/node-reader.js';
import { type Ended, runProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';
import { startInProcess } from './adapters/in-process-node.js';

const SEMCOM = 'http://semcom.digita.ai/voc#';
const PACKAGES = `${TOP}starter/node_modules/`;

let folder: string;
/** Serves the modules of packages. */
let server: FakeServer;
beforeEach(async () => {
  folder = await tempDir();
  server = await fakeServer();
});

/** Puts a package into the author's folder, and its module, in the form that the specification shows, where it is served. */
async function packageOf(version: string, module: string, more: object = {}): Promise<void> {
  const path = join(folder, 'card');
  await mkdir(path, { recursive: true });
  const said = { name: 'card', version, description: 'A person.', author: 'Ann', module: `${version}.js` };
  await writeFile(join(path, 'package.json'), JSON.stringify(said));
  await writeFile(join(path, 'component.json'), JSON.stringify({ shapes: ['foaf:Person'], ...more }));
  await writeFile(join(path, `${version}.js`), module);
  serve(`/${version}.js`, module);
}

function serve(path: string, body: string | Uint8Array): void {
  const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
  server.on(path, { headers, body });
}

/** Publishes the package into a folder that some static host serves. */
const publish = (...args: string[]): Promise<Ended> =>
  runProgram(['publish', join(folder, 'card'), '--to', folder, '--base', server.url('/'), ...args]);
const written = () => readFile(join(folder, 'components.ttl'), 'utf8');

it('what is published on a static host is read there, whatever type it is served as; other bytes ask for another version', async () => {
  const module = await readFile(`${TOP}docs/samples/profile-card.js`, 'utf8');
  await packageOf('1.0.0', module);
  const dry = await publish();
  expect([dry.code, dry.stdout]).toEqual([
    3,
    expect.stringContaining(`+ Card 1.0.0 <${server.url('/1.0.0.js')}>`),
  ]);
  expect((await publish('--apply')).code).toBe(0);
  const before = await written();
  // As servers do that do not know Turtle, and as repositories do: only the name of the file tells.
  const types = { '/components.ttl': 'application/octet-stream', '/raw/components.ttl': 'text/plain' };
  for (const [path, type] of Object.entries(types))
    server.on(path, async () => ({ headers: { 'content-type': type }, body: await written() }));
  const node = await startInProcess({ config: { pods: Object.keys(types).map((path) => server.url(path)) } });
  await expect.poll(() => listedUris(node)).toEqual([server.url('/1.0.0.js')]);
  const listed = await publish('--at', server.url('/'), '--node', node.url);
  expect(listed.stdout).toMatch(/= Card 1\.0\.0 <[^>]*> is there already[\s\S]* lists it since /);

  await packageOf('1.0.0', `${module}// mended`);
  const same = await publish('--apply');
  expect(same.code).toBe(1);
  expect(same.stdout).toMatch(/ERROR {2}the module of Card has changed[\s\S]*raise the version/);
  expect(await written()).toBe(before);
  await packageOf('1.0.1', `${module}// mended`);
  expect((await publish('--apply')).code).toBe(0);
});

it('what strangers have written reaches the terminal without its control characters', async () => {
  /** Sets the title of the terminal, clears it, and turns the line; then a line that looks like one of the check. */
  const hostile = 'Card\u001b]0;owned\u0007\u009b2J\u202e\n  ok     all is well';
  const rewriting = /[^\P{Cc}\n\t]|[\u202a-\u202e]/u;
  await packageOf('1.0.0', 'export default class extends HTMLElement {}\n', { label: hostile });
  const file = join(folder, 'card.ttl');
  await writeFile(file, `<${server.url('/1.0.0.js')}> <${SEMCOM}label> ${JSON.stringify(hostile)}.`);
  const outputs = [await publish('--json'), await runProgram(['lint', file])];
  for (const { stdout, stderr } of outputs) {
    expect(stdout).toContain('owned');
    expect(stdout + stderr).not.toMatch(rewriting);
    expect(stdout).not.toMatch(/^ {2}ok {5}all is well/m);
  }
  expect(JSON.parse(outputs[0]?.stdout ?? '').changes).toMatchObject([{ component: { label: hostile } }]);
});

it('publish writes of a real package what lint finds right, and tells of one that no browser can run as it is', async () => {
  const name = '@ulb-darmstadt/shacl-form';
  server.everything(async ({ url }) => {
    const body = await readFile(PACKAGES + url.slice(1)).catch(() => undefined);
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
    return body ? { headers, body } : { status: 404 };
  });
  const args = ['--to', folder, '--shape', 'foaf:Person', '--base', server.url(`/${name}/`), '--apply'];
  const real = await runProgram(['publish', PACKAGES + name, ...args]);
  expect([real.code, real.stderr]).toEqual([0, expect.stringContaining('Nothing says how shacl-form gets')]);
  const { code, stdout } = await runProgram(['lint', join(folder, 'components.ttl')]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('its bytes are those that its integrity promises'),
  ]);
  const bundled = await runProgram(['publish', `${PACKAGES}@rdfjs-elements/rdf-editor`, ...args]);
  expect(bundled.code).toBe(1);
  expect(bundled.stderr).toMatch(
    /no module that browsers can run without bundling\n {2}rdf-editor\.js: .* imports /,
  );
});
