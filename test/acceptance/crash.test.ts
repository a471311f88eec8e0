import { createHash } from 'node:crypto';
import { setTimeout as instant } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BATCH, Ledger, type Said, untilCut, writeSingly, writeTogether } from '../support/crash-writer.js';
import { heldPort } from '../support/held-port.js';
import { type NodeProcess, prepareNode } from '../support/node/node-process.js';
import { dataset, type Listing, listing, sync } from '../support/node/node-reader.js';
import { flippingSources, statesShown } from '../support/pod/flipping-pod.js';
import { seededRandom } from '../support/seeded-random.js';
import { rounds, seed } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

const ROUNDS = rounds({ short: 3, full: 1000 });

/** What readers saw before the crash, for comparison with what they see after it. */
interface Memory {
  revision: number;
  /** SHA-256 of the body that each entity tag was seen with. */
  readonly bodies: Map<string, string>;
  readonly read: Set<string>;
}

async function nodeOn(pods: readonly string[]): Promise<NodeProcess> {
  return prepareNode({
    config: {
      // The same in every round, because listings name the address.
      listen: { port: await heldPort() },
      write: 'open',
      pods,
      sync: { schedule: '* * * * * *' },
    },
  });
}

/** What must hold for every listing, whenever it is read. */
function expectConsistent(seen: Listing, memory: Memory): void {
  for (const source of ['one', 'many'] as const) {
    const states = statesShown(source, seen.components);
    expect(['', 'A', 'B'], `the states that source "${source}" is in`).toContain(states.join());
    if (memory.read.has(source))
      expect(states, `what source "${source}" once brought is there`).not.toEqual([]);
    if (states.length > 0) memory.read.add(source);
  }
  const versions = new Set(
    seen.components.filter(({ uri }) => BATCH.includes(uri)).map((one) => one.version),
  );
  expect(versions.size, 'versions in the batch that is written together').toBeLessThanOrEqual(1);

  const revision = Number(/\.(\d+)\./.exec(seen.etag)?.[1]);
  expect(revision).toBeGreaterThanOrEqual(memory.revision);
  memory.revision = revision;
  const body = createHash('sha256').update(seen.text).digest('base64');
  expect(body, `${seen.etag} is one state`).toBe(memory.bodies.get(seen.etag) ?? body);
  memory.bodies.set(seen.etag, body);
}

function versionsOf({ components }: Listing): Map<string, Said> {
  return new Map(components.map(({ uri, version }) => [uri, version]));
}

/** The subjects that have a label in the dataset with all that any source says. */
async function labelledIn(node: NodeProcess): Promise<string[]> {
  const labels = (await dataset(node)).filter(({ predicate }) => predicate.value.endsWith('#label'));
  return labels.map(({ subject }) => subject.value).sort();
}

test(`killed at any instant, it keeps its promises (seed ${seed})`, {
  timeout: 300_000 + ROUNDS * 10_000,
}, async () => {
  const random = seededRandom(seed);
  const ledger = new Ledger();
  const memory: Memory = { revision: 0, bodies: new Map(), read: new Set() };
  const node = await nodeOn(await flippingSources());

  for (let round = 0; round < ROUNDS; round++) {
    if (random() < 0.2) {
      await node.spawn();
      await instant(random() * 500);
      await node.kill();
    }
    await node.start();
    const recovered = await listing(node);
    expectConsistent(recovered, memory);
    expect(ledger.faultsOf(versionsOf(recovered)), `round ${round}`).toEqual([]);
    const { url } = node;

    let reads = 0;
    const work = [
      writeSingly(url, ledger, random, 'first'),
      writeSingly(url, ledger, random, 'second'),
      writeTogether(url, ledger),
      untilCut(() => sync(node)),
      untilCut(async () => {
        expectConsistent(await listing(node), memory);
        reads += 1;
      }),
    ];
    const moment = [
      // All sources have been read, and a listing that may show it.
      async () => {
        await sync(node);
        // The listing that is being read may be older; the next one is not.
        const enough = reads + 2;
        await waitFor(() => reads >= enough, { describe: 'the next listing' });
      },
      // So many writes are acknowledged, and others are under way.
      async () => {
        const enough = ledger.written + 10 + random() * 60;
        await waitFor(() => ledger.written >= enough, { describe: 'writes' });
      },
      () => instant(random() * 600),
    ][round % 3];
    // Nothing that must have happened in the end depends on how much a machine does in so many milliseconds.
    await Promise.race([moment?.(), ...work]);
    await node.kill();
    await Promise.all(work);
  }

  await node.start();
  const final = await listing(node);
  expect(ledger.faultsOf(versionsOf(final))).toEqual([]);
  const uris = final.components.map(({ uri }) => uri);
  expect(await labelledIn(node)).toEqual(uris);
  await node.stop();
  // Did anything happen in these rounds? Every write and every poll moves the revision.
  expect(memory.revision).toBeGreaterThan(ROUNDS);
  expect([...memory.read].sort()).toEqual(['many', 'one']);
});
