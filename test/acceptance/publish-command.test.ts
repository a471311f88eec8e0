import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { TOP } from '../support/docs.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../support/fake-server.js';
import { actAsIssuer } from '../support/pod/fake-issuer.js';
import { type Ended, runProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';

const LOGIN = { id: 'author', secret: 'secret' };
const CREDENTIALS = { POD_CLIENT_ID: LOGIN.id, POD_CLIENT_SECRET: LOGIN.secret };
const SEMCOM = 'http://semcom.digita.ai/voc#';
/** The form of a module that the specification shows. */
const MODULE = 'export default class extends HTMLElement {}\n';

let folder: string;
/** Serves the modules of packages, and is the pod with its one document and the issuer of its owner. */
let server: FakeServer;
let document: FakeDocument;

beforeEach(async () => {
  folder = await tempDir();
  server = await fakeServer();
  actAsIssuer(server, { ...LOGIN, now: () => Date.now() });
  document = new FakeDocument();
  server.on('/pod/card.ttl', ({ method, body, headers }) => document.answer(method, body, headers));
});

/** A document of a pod that everybody may read, and only its owner may write. */
class FakeDocument {
  text: string | undefined;
  /** What somebody else does between the first time that it is read and the next request. */
  meanwhile: (() => void) | undefined;
  #changes = 0;

  set(text: string): void {
    this.text = text;
    this.#changes += 1;
  }

  answer(method: string, body: string, headers: Readonly<Record<string, unknown>>): FakeAnswer {
    if (method !== 'GET') return this.#write(method, body, headers);
    const answer = this.#read();
    this.meanwhile?.();
    this.meanwhile = undefined;
    return answer;
  }

  #read(): FakeAnswer {
    const headers = { 'content-type': 'text/turtle', etag: `"${this.#changes}"` };
    return this.text === undefined ? { status: 404 } : { headers, body: this.text };
  }

  #write(method: string, body: string, headers: Readonly<Record<string, unknown>>): FakeAnswer {
    if (!String(headers.authorization).startsWith('DPoP ')) return { status: 401 };
    const wanted = headers['if-match'];
    const fails = wanted !== undefined && wanted !== `"${this.#changes}"`;
    if (fails || (headers['if-none-match'] === '*' && this.text !== undefined)) return { status: 412 };
    if (method === 'DELETE') this.text = undefined;
    else this.set(body);
    return { status: 205 };
  }
}

/** Puts a package into the author's folder, and its module where it is served. */
async function packageOf(version: string, module = MODULE, more: object = {}): Promise<string> {
  const path = join(folder, 'card');
  await mkdir(path, { recursive: true });
  const said = { name: 'card', version, description: 'A person.', author: 'Ann', module: `${version}.js` };
  await writeFile(join(path, 'package.json'), JSON.stringify(said));
  await writeFile(join(path, 'component.json'), JSON.stringify({ shapes: ['foaf:Person'], ...more }));
  await writeFile(join(path, `${version}.js`), module);
  serveModule(`/${version}.js`, module);
  return path;
}

function serveModule(path: string, body: string): void {
  const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
  server.on(path, { headers, body });
}

/** Publishes the package in the author's folder into the pod. */
function publish(...args: string[]): Promise<Ended> {
  const to = ['--to', server.url('/pod/card.ttl'), '--base', server.url('/')];
  return runProgram(['publish', join(folder, 'card'), ...to, ...args], { env: CREDENTIALS });
}

const writes = () =>
  server.requests
    .filter(({ method, url }) => url !== '/token' && method !== 'GET')
    .map(({ method, url, headers }) => [method, url, headers['if-match'] ?? headers['if-none-match']]);

describe('what is published', () => {
  it('is a module in the form that the specification shows: it exports its class, and defines no element', async () => {
    await packageOf('1.0.0', await readFile(`${TOP}docs/samples/profile-card.js`, 'utf8'));
    const { code, stdout } = await publish();
    expect(stdout).toContain(`+ Card 1.0.0 <${server.url('/1.0.0.js')}>`);
    expect(stdout).not.toContain('ERROR');
    expect(code).toBe(3);
  });
});

it('a next version is asked for when the module has other bytes: under the same version nothing is written', async () => {
  await packageOf('1.0.0');
  expect((await publish('--apply')).code).toBe(0);
  const before = document.text;
  await packageOf('1.0.0', `${MODULE}// mended`);
  const same = await publish('--apply');
  expect([same.code, same.stdout]).toEqual([
    1,
    expect.stringContaining('ERROR  the module of Card has changed'),
  ]);
  expect(same.stdout).toContain('raise the version');
  expect(document.text).toBe(before);
  await packageOf('1.0.1', `${MODULE}// mended`);
  expect((await publish('--apply')).code).toBe(0);
});

describe('what strangers have written', () => {
  /** Sets the title of the terminal, clears it, and turns the line; then a line that looks like one of the check. */
  const HOSTILE = 'Card\u001b]0;owned\u0007\u009b2J\u202e\n  ok     all is well';
  const REWRITING = /[^\P{Cc}\n\t]|[\u202a-\u202e]/u;

  it('reaches the terminal of publish and of lint without its control characters', async () => {
    await packageOf('1.0.0', MODULE, { label: HOSTILE });
    const document_ = `<${server.url('/1.0.0.js')}> <${SEMCOM}label> ${JSON.stringify(HOSTILE)}.`;
    const file = join(folder, 'card.ttl');
    await writeFile(file, document_);
    const headers = { 'content-type': 'text/plain; \u009b2J' };
    server.on('/hostile.ttl', { headers, body: '' });
    const outputs = [
      await publish(),
      await publish('--json'),
      await runProgram(['lint', file]),
      await runProgram(['lint', server.url('/hostile.ttl')]),
    ];
    for (const { stdout, stderr } of outputs) {
      expect(stdout).toMatch(/owned|hostile/);
      expect(stdout + stderr).not.toMatch(REWRITING);
      expect(stdout).not.toMatch(/^ {2}ok {5}all is well/m);
    }
    expect(JSON.parse(outputs[1]?.stdout ?? '').changes).toMatchObject([{ component: { label: HOSTILE } }]);
  });
});

describe('a document in a pod', () => {
  it('is written only as it was read, so that nobody loses a change', async () => {
    await packageOf('1.0.0');
    expect((await publish('--apply')).code).toBe(0);
    await packageOf('1.1.0');
    expect((await publish('--apply')).code).toBe(0);
    await packageOf('1.2.0');
    document.meanwhile = () => document.set(`<urn:x> <${SEMCOM}label> "Mine".`);
    const late = await publish('--apply');
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('has been changed meanwhile')]);
    expect(document.text).toContain('"Mine"');
    document.set(String(document.text).replace(/<urn:x>.*\n/, ''));
    expect((await publish('--withdraw', '--apply')).code).toBe(0);
    expect(writes()).toEqual([
      ['PUT', '/pod/card.ttl', '*'],
      ['PUT', '/pod/card.ttl', '"1"'],
      ['PUT', '/pod/card.ttl', '"2"'],
    ]);
  });
});
