import { execFile } from 'node:child_process';
import { statfs, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { attackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris, sync } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { flippingSources } from '../support/pod/flipping-pod.js';
import { tempDir } from '../support/temp-dir.js';
import { rounds, seed } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

/** How often the disk becomes full, and empty again. */
const ROUNDS = rounds({ short: 1, full: 3 });

interface Status {
  readonly storage: { state: string; unstoredPolls: number; failing: { store: string; error: string }[] };
  readonly sources: { kind: string; state: string; error?: string }[];
}

const uri = (i: number) => `https://modules.example/${i}.js`;

function post(node: NodeProcess, i: number): Promise<Response> {
  const component = { uri: uri(i), label: `Component ${i}`, description: 'x'.repeat(1000) };
  return fetch(`${node.url}/component`, postJson([component]));
}

/** An empty disk of so many megabytes in memory, gone with the test. Mounting takes root. */
async function smallDisk(megabytes: number): Promise<string> {
  const [path, run] = [await tempDir(), promisify(execFile)];
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  // Lazily: a node that the test has failed to stop may still have files open.
  cleanup(() => run('umount', ['--lazy', path]));
  return path;
}

/** Leaves nothing on a disk. */
async function fill(disk: string): Promise<string> {
  const path = join(disk, 'ballast');
  const { bavail, bsize } = await statfs(disk);
  await writeFile(path, Buffer.alloc(bavail * bsize));
  return path;
}

test(`on a full disk it serves what it has, and takes writes again by itself when there is space (seed ${seed})`, {
  timeout: 300_000 + ROUNDS * 60_000,
}, async () => {
  const disk = await smallDisk(16);
  const pods = await flippingSources();
  const node = await startNode({ config: { dataDir: join(disk, 'data'), write: 'open', pods } });
  await sync(node);
  let next = 0;
  const acknowledged: string[] = [];
  const postNext = async () => {
    const i = next++;
    const answer = await post(node, i);
    if (answer.status === 201) acknowledged.push(uri(i));
    return answer;
  };
  for (let i = 0; i < 20; i++) expect((await postNext()).status).toBe(201);

  const attacked = await attackedNode(node);
  const fillAndEmpty = async () => {
    const ballast = await fill(disk);
    let refused = await postNext();
    while (refused.ok) refused = await postNext();
    expect(refused.status).toBe(507);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await refused.json()).toMatchObject({
      status: 507,
      detail: expect.stringMatching(/disk .* is full/),
    });

    expect(await node.getJson('/health')).toEqual({ status: 'serving', storage: 'failing' });
    await sync(node);
    const status = await node.getJson<Status>('/status');
    expect(status.storage).toMatchObject({ state: 'failing', failing: [{ store: 'registry' }] });
    expect(status.storage.unstoredPolls).toBeGreaterThan(0);
    const polled = status.sources.filter(({ kind }) => kind === 'pod');
    expect(polled.map(({ state }) => state)).toContain('failing');
    expect(await (await fetch(`${node.url}/metrics`)).text()).toMatch(/^registry_failing_stores 1$/m);
    expect(await listedUris(node)).toEqual(expect.arrayContaining(acknowledged));

    await unlink(ballast);
    await waitFor(async () => (await postNext()).status === 201);
    expect(await node.getJson('/health')).toMatchObject({ status: 'serving' });
    expect(await listedUris(node)).toEqual(expect.arrayContaining(acknowledged));
  };
  await attacked.by('a full disk', fillAndEmpty, { rounds: ROUNDS });
  const listed = await listedUris(node);
  await node.kill();
  await node.start();
  expect(await listedUris(node)).toEqual(listed);
  expect((await postNext()).status).toBe(201);
});
