import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { FAULTS, HighAvailability, MACHINES, missingPackages } from '../support/high-availability.js';
import { Load } from '../support/high-availability-load.js';
import { seededRandom } from '../support/seeded-random.js';
import { EXAMPLES } from '../support/shipped-examples.js';
import { inTorture, rounds, seed, tortureRow } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

const ROUNDS = rounds({ short: 1, full: 100 });
/** A planned switchover comes after so many faults. */
const PER_SWITCHOVER = 5;
/** Until all writers write again, and the longest time without a write at a switchover, in ms. */
const BOUNDS = { fault: 20_000, switchover: 3_000 };

const missing = missingPackages();
/** Only `npm run torture` has this test, where the packages are installed. */
const SEEDS = inTorture && missing.length === 0 ? [seed] : [];
if (missing.length > 0) tortureRow('primary killed', { skipped: `apt-get install ${missing.join(' ')}` });

it('docs/examples/high-availability: files that fit together', async () => {
  const [machines, proxy, patroni] = await Promise.all(
    ['cluster.env', 'haproxy.cfg', 'patroni.yml'].map((name) =>
      readFile(`${EXAMPLES}high-availability/${name}`, 'utf8'),
    ),
  );
  for (const [, name] of proxy?.matchAll(/\$(\w+)/g) ?? []) expect(machines).toMatch(`\n${name}=`);
  const { dcs } = parse(patroni ?? '').bootstrap;
  expect(dcs.synchronous_mode).toBe(true);
  // What Patroni asks for, so that a primary gives up before another one is promoted.
  expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl);
});

it.each(SEEDS)(
  'docs/examples/high-availability: when the primary dies, nothing that was acknowledged does (seed %i)',
  { timeout: 300_000 + ROUNDS * 120_000 },
  async (given) => {
    const random = seededRandom(given);
    const cluster = await HighAvailability.start();
    const load = new Load(cluster.url, cluster.token, random);
    const areWriting = async (what: string) => {
      const since = performance.now();
      const describe = () => `all to write again: ${what}\n${cluster.lastWords()}`;
      await waitFor(() => load.isWrittenSince(since), { timeoutMs: BOUNDS.fault, describe });
    };
    await areWriting('the start');
    const gaps = new Map<string, number[]>();
    const interrupt = async (what: string, work: () => Promise<unknown>) => {
      await cluster.isWhole();
      load.longestGap = 0;
      await work();
      await areWriting(what);
      gaps.set(what, [...(gaps.get(what) ?? []), Math.round(load.longestGap)]);
    };
    for (let round = 1; round <= ROUNDS; round++) {
      const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? FAULTS[0];
      const machine = await cluster.primary();
      await interrupt(fault.name, () => fault.begin(cluster, machine));
      await fault.end(cluster, machine);
      if (round % PER_SWITCHOVER === 1) await interrupt('switchover', () => cluster.switchOver());
    }
    await cluster.isWhole();
    await load.stop();

    const listings = MACHINES.map(async (machine) => {
      const listed = await (await fetch(`${cluster.node(machine)}/component`)).json();
      return new Set((listed as { uri: string }[]).map(({ uri }) => uri));
    });
    const stored = await Promise.all(listings);
    const lost = load.acknowledged.filter(({ uri }) => !stored.every((uris) => uris.has(uri)));
    for (const [what, all] of gaps) {
      const figures = { times: all.length, 'longest gap (ms)': Math.max(...all), 'all (ms)': all.join(' ') };
      tortureRow(what, { ...figures, acknowledged: load.acknowledged.length, lost: lost.length });
    }
    expect(lost).toEqual([]);
    expect(load.missed).toEqual([]);
    expect(Math.max(...(gaps.get('switchover') ?? []))).toBeLessThan(BOUNDS.switchover);
  },
);
