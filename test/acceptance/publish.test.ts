import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { TOP } from '../support/docs.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { listedUris } from '../support/node/node-reader.js';
import { READERS } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { type Ended, runProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const SEMCOM = 'http://semcom.digita.ai/voc#';
const PACKAGES = `${TOP}starter/node_modules/`;
const TYPE = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
const MODULE = await readFile(`${TOP}docs/samples/profile-card.js`, 'utf8');

/** Where everything is that a run reads, and everything that it could write down. */
let home: string;
/** Serves the modules of packages. */
let server: FakeServer;
beforeEach(async () => {
  [home, server] = [await tempDir(), await fakeServer()];
});

/** Puts a package with one element into the author's folder, and its module where it is served. */
async function packageOf(
  version: string,
  { module = MODULE, ...more }: { module?: string; label?: string } = {},
) {
  const path = join(home, 'card');
  await mkdir(path, { recursive: true });
  const said = { name: 'card', version, description: 'A person.', author: 'Ann', module: `${version}.js` };
  await writeFile(join(path, 'package.json'), JSON.stringify(said));
  await writeFile(join(path, 'component.json'), JSON.stringify({ shapes: ['foaf:Person'], ...more }));
  await writeFile(join(path, `${version}.js`), module);
  server.on(`/${version}.js`, { headers: TYPE, body: module });
}

/** Runs the command in the author's folder. */
function publish(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const all = ['publish', join(home, 'card'), '--base', server.url('/'), ...args];
  return runProgram(all, { cwd: home, env: { HOME: home, ...env } });
}

const versionsAt = async (node: InProcessNode) => {
  const found = await node.getJson<{ version: string; latest: boolean }[]>('/component');
  return found.map(({ version, latest }) => [version, latest]).sort();
};

it('a package comes into a pod and onto two nodes, is updated and goes; no secret is kept', async () => {
  const pod = await sharedPod();
  const secrets = { POD_CLIENT_ID: pod.credentials.id, POD_CLIENT_SECRET: pod.credentials.secret };
  const container = `${pod.url}publish/components/`;
  const document = `${container}card.ttl`;
  // Everybody may list it; its documents only their owner may read until somebody says otherwise.
  await pod.writeRules('publish/components/', READERS, { inherited: false });
  // A second hint about one document would be heard a minute later: they poll, too.
  const config = { network: { allowPrivate: true }, sync: { schedule: '* * * * * *' } };
  const first = await startInProcess({ config: { ...config, pods: [container] } });
  // It reads no pod: what it lists, its peer has passed on.
  const second = await startInProcess({ config: { ...config, peers: [first.url] } });
  const nodes = ['--node', first.url, '--node', second.url, '--wait', '30'];
  let printed = '';
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = secrets) => {
    const { code, text } = await publish(['--to', container, ...args], env);
    printed += text;
    return { code, text };
  };
  const says = (code: number, text: string) => ({ code, text: expect.stringContaining(text) });
  await packageOf('1.0.0');

  const dry = await run([]);
  expect(dry).toEqual(says(3, `+ Card 1.0.0 <${server.url('/1.0.0.js')}>`));
  expect(dry.text).toContain('its bytes are those that its integrity promises');
  expect((await pod.fetch(document)).status).toBe(404);
  expect(await run(['--apply'], {})).toEqual(says(1, 'POD_CLIENT_SECRET'));
  const closed = await run(['--apply', ...nodes]);
  expect(closed).toEqual(says(1, 'not everybody can read the document'));
  expect(closed.text).toContain(`in its rules, ${document}.acl `);
  // Where the rules would be is said, and publishing has written none.
  expect((await pod.fetch(`${document}.acl`)).status).toBe(404);
  await pod.makePublic('publish/components/card.ttl');
  const opened = await run(['--apply', ...nodes, '--json']);
  const result = JSON.parse(opened.text.slice(opened.text.indexOf('{\n'), opened.text.lastIndexOf('}') + 1));
  expect(result).toMatchObject({
    ...{ document, exitCode: 0, applied: false },
    nodes: [first, second].map(({ url }) => ({ node: url, listed: true, since: expect.any(String) })),
  });
  expect(opened.code).toBe(0);

  await packageOf('1.1.0');
  const update = await run(['--apply', ...nodes]);
  expect(update.text).toMatch(/\+ Card 1\.1\.0 <[^>]*>\n {2}~ Card 1\.0\.0 <[^>]*>: latest differs/);
  expect(update.text.match(/ lists it since \S+, after [\d.]+ s/g)).toHaveLength(2);
  expect(update.code).toBe(0);
  const versions = [
    ['1.0.0', false],
    ['1.1.0', true],
  ];
  expect(await Promise.all([first, second].map(versionsAt))).toEqual([versions, versions]);
  expect(await run(['--withdraw', '--apply', ...nodes])).toEqual(says(0, 'lists it no more'));
  expect(await Promise.all([first, second].map(listedUris))).toEqual([[], []]);

  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const written = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  for (const text of [...(await Promise.all(written)), printed]) {
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    // What tokens and proofs begin with.
    expect(text).not.toMatch(/eyJ[A-Za-z0-9]/);
  }
});

it('on a static host it is read, whatever type it has there; other bytes need another version', async () => {
  const toFolder = (...args: string[]) => publish(['--to', home, ...args]);
  const written = () => readFile(join(home, 'components.ttl'), 'utf8');
  await packageOf('1.0.0');
  expect((await toFolder('--apply')).code).toBe(0);
  const before = await written();
  // As servers do that do not know Turtle, and as repositories do: only the name of the file tells.
  const types = { '/components.ttl': 'application/octet-stream', '/raw/components.ttl': 'text/plain' };
  for (const [path, type] of Object.entries(types))
    server.on(path, async () => ({ headers: { 'content-type': type }, body: await written() }));
  const node = await startInProcess({ config: { pods: Object.keys(types).map((path) => server.url(path)) } });
  await expect.poll(() => listedUris(node)).toEqual([server.url('/1.0.0.js')]);
  const listed = await toFolder('--at', server.url('/'), '--node', node.url);
  expect(listed.stdout).toMatch(/= Card 1\.0\.0 <[^>]*> is there already[\s\S]* lists it since /);

  const module = `${MODULE}// mended`;
  await packageOf('1.0.0', { module });
  const same = await toFolder('--apply');
  expect(same.code).toBe(1);
  expect(same.stdout).toMatch(/ERROR {2}the module of Card has changed[\s\S]*raise the version/);
  expect(await written()).toBe(before);
  await packageOf('1.0.1', { module });
  expect((await toFolder('--apply')).code).toBe(0);
});

it('what strangers have written reaches the terminal without its control characters', async () => {
  /** Sets the title of the terminal, clears it, and turns the line; then a line like those of the check. */
  const hostile = 'Card\u001b]0;owned\u0007\u009b2J\u202e\n  ok     all is well';
  const rewriting = /[^\P{Cc}\n\t]|[\u202a-\u202e]/u;
  await packageOf('1.0.0', { label: hostile });
  const file = join(home, 'card.ttl');
  await writeFile(file, `<${server.url('/1.0.0.js')}> <${SEMCOM}label> ${JSON.stringify(hostile)}.`);
  const outputs = [await publish(['--to', home, '--json']), await runProgram(['lint', file])];
  for (const { stdout, stderr } of outputs) {
    expect(stdout).toContain('owned');
    expect(stdout + stderr).not.toMatch(rewriting);
    expect(stdout).not.toMatch(/^ {2}ok {5}all is well/m);
  }
  expect(JSON.parse(outputs[0]?.stdout ?? '').changes).toMatchObject([{ component: { label: hostile } }]);
});

it('of a real package it writes what lint finds right; one that no browser can run is named', async () => {
  const name = '@ulb-darmstadt/shacl-form';
  server.everything(async ({ url }) => {
    const body = await readFile(PACKAGES + url.slice(1)).catch(() => undefined);
    return body ? { headers: TYPE, body } : { status: 404 };
  });
  const args = ['--to', home, '--shape', 'foaf:Person', '--base', server.url(`/${name}/`), '--apply'];
  const real = await runProgram(['publish', PACKAGES + name, ...args]);
  expect([real.code, real.stderr]).toEqual([0, expect.stringContaining('Nothing says how shacl-form gets')]);
  const { code, stdout } = await runProgram(['lint', join(home, 'components.ttl')]);
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
