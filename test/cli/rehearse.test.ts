import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/rehearse-verb.js';
import { startInProcess } from '../acceptance/adapters/in-process-node.js';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { tempDir } from '../support/temp-dir.js';

afterEach(() => vi.unstubAllEnvs());

/** Has the command ask the node with such a configuration. */
async function rehearse(config: object): Promise<number> {
  const file = join(await tempDir(), 'node.config.json');
  await writeFile(file, JSON.stringify(config));
  const terminal = { say: () => undefined, note: () => undefined };
  return run('http://127.0.0.1:9/pod/', { config: file }, terminal);
}

it('the command that rehearses says what to do when the node cannot be asked, or refuses', async () => {
  const listen = { port: await heldPort() };
  await expect(rehearse({ listen })).rejects.toThrow('set REGISTRY_OPERATOR_TOKEN to the token');
  vi.stubEnv('REGISTRY_OPERATOR_TOKEN', OPERATOR_TOKEN);
  await expect(rehearse({ listen })).rejects.toThrow(/no node answers at http:\S+ \(.*\): start the node/);
  await startInProcess({ config: { listen }, env: { REGISTRY_OPERATOR_TOKEN: undefined } });
  await expect(rehearse({ listen })).rejects.toThrow(/answers 403: This node has no operator token/);
  const baseUrl = (await fakeServer()).url('/node');
  const behindProxy = rehearse({ listen: { port: 0 }, baseUrl });
  await expect(behindProxy).rejects.toThrow(/the node at \S+\/node answers 404/);
  await expect(rehearse({ listen: { port: 0 } })).rejects.toThrow('listen.port is 0, so nobody knows');
});
