/**
 * A registry in a process of its own, to be killed: it writes one change after another, and a snapshot beside each that comes
 * while none is being written. What it is given is the directory, a number that tells its runs apart, and after how many ms
 * what is stored is checked.
 */
import { systemClock } from '../../src/lib/clock.js';
import { openLevel } from '../../src/store/disk/database/level.js';
import { component, openRegistry } from './registry.js';

const [directory = '', run = '', checkAfter = '60000'] = process.argv.slice(2);
let now = Date.now();
/** An hour passes between two changes: each is reason enough for a snapshot. */
const clock = { ...systemClock, now: () => now };
const options = { snapshotsFrom: 1, checkAfter: Number(checkAfter) };
process.send?.('starting');
const registry = await openRegistry(await openLevel(directory), { clock }, options);
process.send?.('open');
for (let change = 0; ; change++) {
  now += 4_000_000;
  const put = Array.from({ length: 40 }, (_, i) =>
    component(`c${(change * 7 + i) % 300}`, { label: `${run} ${change}`, tag: ['all', `t${i % 5}`] }),
  );
  await registry.upsertLocal(put);
  if (change % 5 === 4) await registry.removeLocal(component(`c${change % 300}`).uri);
}
