import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bareEnv } from '../support/child.js';
import { startConnectionNode } from '../support/connection-node.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const PART = /<!-- connection-curl:begin -->(.*?)<!-- connection-curl:end -->/s;

test('the commands of the README get a token, connect, invite and refresh', async () => {
  const node = await startConnectionNode();
  const [, part = ''] = PART.exec(readme) ?? [];
  const script = [...part.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, block]) => block)
    .join('\n')
    .replaceAll('http://localhost:3000', node.url)
    .replaceAll('dist/main.js', MAIN);
  const strict = 'set -euo pipefail; curl() { command curl --fail-with-body -sS "$@"; echo; }\n';
  const { stdout } = await promisify(execFile)('bash', ['-c', strict + script], {
    // Where the configuration file of the node is, as for an operator who is in that folder.
    cwd: dirname(node.dataDir),
    env: bareEnv(),
  });
  const lines = stdout.split('\n').map((line) => line.trim());
  expect(lines[0]).toContain('201 Created');
  const [made, listed, invite, link, refreshed, resource] = lines
    .filter((line) => /^[[{]/.test(line))
    .map((line) => JSON.parse(line));
  expect(listed).toEqual([made]);
  expect(made).toMatchObject({ state: 'CONNECTED', source: 'https%3A%2F%2Falice.example%2Fnotes.ttl' });
  expect(invite).toMatchObject({ uri: 'urn:example:invite:1', state: 'not linked' });
  expect((await fetch(link.inviteLink)).status).toBe(200);
  // The example's source is nowhere, which is what the record says.
  expect(refreshed).toMatchObject([{ uri: 'https://alice.example/notes.ttl', stale: true }]);
  expect(resource).toEqual(refreshed[0]);
});
