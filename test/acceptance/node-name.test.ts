import { expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { startInProcess } from './adapters/in-process-node.js';

const COMPONENT = { uri: 'https://c.example/a.js', label: 'A' };

/** Where a node says its name: `/status`, the network page, what was done with a right, and that it listens. */
async function namesOf(host: string, baseUrl: string) {
  const node = await startInProcess({
    config: { listen: { host, port: 0 }, baseUrl, write: 'operator' },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  const listening = node.log.find(({ msg }) => msg === 'listening');
  const [port] = String(listening?.node).match(/\d+$/) ?? [];
  const own = `http://127.0.0.1:${port}`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` };
  await fetch(`${own}/component`, { method: 'POST', headers, body: JSON.stringify(COMPONENT) });
  const status = (await (await fetch(`${own}/status`)).json()) as { node: string };
  const page = await (await fetch(`${own}/network`, { headers: { accept: 'text/html' } })).text();
  const audited = node.log.filter(({ audit }) => audit === true);
  expect(audited).toHaveLength(1);
  const named = [listening?.node, status.node, audited[0]?.node];
  return { port, page, named };
}

test('nodes behind one address say which one they are: in /status, on the network page and in the log', async () => {
  // As nodes on one database have it: the same address for all of them.
  const { port, page, named } = await namesOf('127.0.0.1', 'https://registry.example');
  expect(named).toEqual(Array(3).fill(`127.0.0.1:${port}`));
  expect(page).toContain(`answered by the node <code>127.0.0.1:${port}</code>`);
});
