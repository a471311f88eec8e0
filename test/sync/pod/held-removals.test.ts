import { beforeEach, describe, expect, it } from 'vitest';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { polledPod } from '../../support/pod/polled-pod.js';

describe('a pod that has lost most of what it said', () => {
  const { fresh, clock, report } = polledPod();
  const MANY = Array.from({ length: 40 }, (_, i) => `c${String(i).padStart(2, '0')}`);
  const document = (names: readonly string[]) => names.map((name) => turtle(name)).join('\n');
  let pod: FakePod;
  beforeEach(async () => {
    ({ pod } = fresh);
    pod.put('/c/many', document(MANY));
    expect(await report()).toMatchObject({ added: 42 });
  });

  const labels = () => fresh.registry.labels();

  it('is read on, and its removals are believed after an hour, while its documents change', async () => {
    pod.put('/c/many', document(['c00', 'c01', 'new']));
    pod.delete('/c/b');
    expect(await report()).toMatchObject({ added: 1, removed: 0, held: { from: 42, to: 4 } });
    clock.pass(1_800_000);
    pod.put('/c/a', turtle('a2'));
    pod.put('/c/d', turtle('d'));
    expect(await report()).toMatchObject({ added: 2, removed: 0 });
    expect(await labels()).toEqual(expect.arrayContaining(['a2', 'b', 'c39', 'd', 'new']));
    clock.pass(1_800_000);
    await report();
    expect(await report()).toMatchObject({ removed: 0 });
    expect(await labels()).toEqual(['a2', 'c00', 'c01', 'd', 'new']);
    pod.seen();
    await report();
    expect(pod.seen()).toEqual(['/c/ 200']);
  });

  it('says again what it said, under the tags that it had then', async () => {
    const before = new Map(pod.documents);
    pod.put('/c/many', document(['c00', 'other']));
    pod.delete('/c/b');
    expect(await report()).toHaveProperty('held');
    for (const [path, one] of before) pod.documents.set(path, one);
    expect(await report()).not.toHaveProperty('held', expect.anything());
    expect(await labels()).toEqual(['a', 'b', ...MANY].sort());
  });
});
