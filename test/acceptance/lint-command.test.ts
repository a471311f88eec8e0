import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { runProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';

const PREFIX = '@prefix semcom: <http://semcom.digita.ai/voc#>.';
const SERVED = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };

/** What lint says of a document whose module is answered like this. */
async function lint(turtle: (module: string) => string, answer: object) {
  const server = await fakeServer();
  server.on('/card.js', answer);
  const file = join(await tempDir(), 'card.ttl');
  await writeFile(file, `${PREFIX}\n${turtle(`<${server.url('/card.js')}>`)}`);
  return runProgram(['lint', file]);
}

it('lint says of a class with a capital that the component is listed all the same', async () => {
  const module = { headers: SERVED, body: 'export default class extends HTMLElement {}' };
  const { code, stdout } = await lint((uri) => `${uri} a semcom:Component; semcom:label "Card".`, module);
  expect(stdout).toContain('the class Component is no term of the vocabulary');
  expect(stdout).toContain('did you mean component? Nodes list what has a label, whatever its class');
  expect(stdout).not.toContain('Nodes ignore');
  expect(code).toBe(0);
});

it('lint tells at once what is wrong with a description and with its module', async () => {
  const turtle = (uri: string) => `${uri} semcom:label "Card", "Another"; semcom:latest "maybe".`;
  const { code, stdout } = await lint(turtle, { status: 404 });
  for (const fault of [
    'label may have only one value',
    'latest must be true or false',
    'the module answers 404',
  ])
    expect(stdout).toContain(`ERROR  ${fault}`);
  expect(code).toBe(1);
});
