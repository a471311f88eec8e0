import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { TOP } from '../support/docs.js';
import { PUBLIC_COMPONENTS } from '../support/pod/sample-pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { startCommand } from '../support/run-program.js';
import { SAMPLE_COMPONENTS } from '../support/sample-components.js';
import { tempDir } from '../support/temp-dir.js';

// It runs a pod server, too: two processes that install its packages at the same time would spoil each other's work.
beforeAll(sharedPod);

test('npm run network shows a small network, and Ctrl-C leaves nothing behind', async () => {
  const TMPDIR = join(await tempDir(), 'tmp');
  await mkdir(TMPDIR);
  // A group of its own, as a terminal gives to what it starts: Ctrl-C reaches all of it.
  const network = startCommand(['node', '--import', 'tsx', 'scripts/network.ts'], {
    cwd: TOP,
    env: { TMPDIR },
    detached: true,
  });
  const { child, said, exit } = network;
  const group = -(child.pid ?? 0);
  cleanup(() => child.exitCode ?? child.signalCode ?? process.kill(group, 'SIGKILL'));
  await network.says(/Ctrl-C stops everything/, 100_000);

  const urls = new Map(
    [...said().matchAll(/^(pod|alpha|beta|gamma|mirror) +(http\S+)/gm)].map(([, name = '', url = '']) => [
      name,
      url,
    ]),
  );
  expect([...urls.keys()]).toEqual(['pod', 'alpha', 'beta', 'gamma', 'mirror']);
  const listing = await (await fetch(`${urls.get('mirror')}/component`)).json();
  const samples = SAMPLE_COMPONENTS.map((name) => `${urls.get('pod')}samples/${name}.js`);
  expect((listing as { uri: string }[]).map(({ uri }) => uri)).toEqual(
    [...PUBLIC_COMPONENTS, ...samples].sort(),
  );
  expect(await (await fetch(`${urls.get('gamma')}/storage`)).json()).toEqual([urls.get('pod')]);

  process.kill(group, 'SIGINT');
  await exit;
  expect(said()).toContain('stopping');
  for (const url of urls.values()) await expect(fetch(url)).rejects.toThrow();
  expect((await readdir(TMPDIR)).filter((name) => name.startsWith('registry-'))).toEqual([]);
});
