import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { listedUris } from '../support/node/node-reader.js';
import { type Pod, READERS } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { runProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let pod: Pod;
/** Where everything that a run could write down would be. */
let home: string;
/** What the command has printed, in all runs. */
let printed = '';
let secrets: Readonly<Record<string, string>>;

beforeAll(async () => {
  pod = await sharedPod();
  home = await tempDir();
  const { id, secret } = pod.credentials;
  secrets = { POD_CLIENT_ID: id, POD_CLIENT_SECRET: secret };
});

interface Run {
  readonly code: number | null;
  readonly out: string;
}

/** Runs the command in the author's folder. */
async function publish(folder: string, args: readonly string[], env = secrets): Promise<Run> {
  const options = { cwd: home, env: { HOME: home, ...env } };
  const { code, stdout, stderr } = await runProgram(['publish', folder, ...args], options);
  const out = stdout + stderr;
  printed += out;
  return { code, out };
}

/** A package with one element, in the author's folder, and what serves its files. */
async function packageOf(version: string): Promise<{ folder: string; base: string }> {
  const folder = join(home, 'card');
  const module = `/* ${version} */ export default class extends HTMLElement { static observedAttributes = ['entry']; }\ncustomElements.define('my-card', class extends HTMLElement {});\n`;
  const files = {
    'package.json': { name: 'my-card', version, description: 'A person.', author: 'Ann', module: 'card.js' },
    'component.json': { shapes: ['foaf:Person'], tag: ['my-card'] },
  };
  await mkdir(folder, { recursive: true });
  for (const [name, json] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(json));
  await writeFile(join(folder, 'card.js'), module);
  const server = await fakeServer();
  const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
  server.on('/card.js', { headers, body: module });
  return { folder, base: server.url('/') };
}

const versionsAt = async (node: InProcessNode) => {
  const found = await node.getJson<{ version: string; latest: boolean }[]>('/component?tag=my-card');
  return found.map(({ version, latest }) => [version, latest]).sort();
};

describe('publish', () => {
  it('brings a package into a pod and onto two nodes, then its next version, and takes it out again', async () => {
    const container = `${pod.url}publish/components/`;
    const document = `${container}my-card.ttl`;
    // Everybody may list it; its documents only their owner may read until somebody says otherwise.
    await pod.writeRules('publish/components/', READERS, { inherited: false });
    // A second hint about one document would be heard a minute later: they poll, too.
    const config = { network: { allowPrivate: true }, sync: { schedule: '* * * * * *' } };
    const first = await startInProcess({ config: { ...config, pods: [container] } });
    // It reads no pod: what it lists, its peer has passed on.
    const second = await startInProcess({ config: { ...config, peers: [first.url] } });
    const to = ['--to', container];
    const nodes = ['--node', first.url, '--node', second.url, '--wait', '30'];
    const { folder, base } = await packageOf('1.0.0');

    const dry = await publish(folder, [...to, '--base', base]);
    expect(dry).toMatchObject({ code: 3, out: expect.stringContaining(`+ My card 1.0.0 <${base}card.js>`) });
    expect(dry.out).toContain('its bytes are those that its integrity promises');
    expect((await pod.fetch(document)).status).toBe(404);

    const unsigned = await publish(folder, [...to, '--base', base, '--apply'], {});
    expect(unsigned).toMatchObject({ code: 1, out: expect.stringContaining('POD_CLIENT_SECRET') });
    const closed = await publish(folder, [...to, '--base', base, '--apply', ...nodes]);
    expect(closed).toMatchObject({
      code: 1,
      out: expect.stringContaining('not everybody can read the document'),
    });
    expect(closed.out).toContain(`in its rules, ${document}.acl `);
    // Where the rules would be is said, and publishing has written none.
    expect((await pod.fetch(`${document}.acl`)).status).toBe(404);
    await pod.makePublic('publish/components/my-card.ttl');
    const opened = await publish(folder, [...to, '--base', base, '--apply', ...nodes, '--json']);
    const result = JSON.parse(opened.out.slice(opened.out.indexOf('{\n'), opened.out.lastIndexOf('}') + 1));
    expect(result).toMatchObject({
      ...{ document, exitCode: 0, applied: false },
      nodes: [first, second].map(({ url }) => ({ node: url, listed: true, since: expect.any(String) })),
    });
    expect(opened.code).toBe(0);

    const next = await packageOf('1.1.0');
    const update = await publish(folder, [...to, '--base', next.base, '--apply', ...nodes]);
    expect(update.out).toMatch(/\+ My card 1\.1\.0 <[^>]*>\n {2}~ My card 1\.0\.0 <[^>]*>: latest differs/);
    expect(update.out.match(/ lists it since \S+, after [\d.]+ s/g)).toHaveLength(2);
    expect(update.code).toBe(0);
    const versions = [
      ['1.0.0', false],
      ['1.1.0', true],
    ];
    expect(await Promise.all([first, second].map(versionsAt))).toEqual([versions, versions]);

    const withdrawn = await publish(folder, [...to, '--withdraw', '--apply', ...nodes]);
    expect(withdrawn).toMatchObject({ code: 0, out: expect.stringContaining('lists it no more') });
    expect(await Promise.all([first, second].map(listedUris))).toEqual([[], []]);
  });
});

it('wrote no secret down, and printed none', async () => {
  const names = await readdir(home, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  );
  for (const text of [...texts, printed]) {
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    // What tokens and proofs begin with.
    expect(text).not.toMatch(/eyJ[A-Za-z0-9]/);
  }
});
