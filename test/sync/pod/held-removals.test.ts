import { beforeEach, describe, expect, it } from 'vitest';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { createPodSource } from '../../../src/sync/pod/pod-source.js';
import { pollOnce } from '../../../src/sync/schedule/poll.js';
import { StorageQuota } from '../../../src/sync/schedule/storage-quota.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { polledPod } from '../../support/pod/polled-pod.js';
import { VOCABULARY } from '../../support/registry.js';

describe('a pod that has lost most of what it said', () => {
  const { fresh, clock, source } = polledPod();
  const MANY = Array.from({ length: 40 }, (_, i) => `c${String(i).padStart(2, '0')}`);
  const document = (names: readonly string[]) => names.map((name) => turtle(name)).join('\n');
  let pod: FakePod;
  beforeEach(async () => {
    ({ pod } = fresh);
    pod.put('/c/many', document(MANY));
    expect(await poll()).toMatchObject({ added: 42 });
  });

  async function poll() {
    const { registry, fetch } = fresh;
    const reader = createPodSource({
      ...{ url: source().url, fetch, trust: 'configured', clock },
      ...{ vocabulary: VOCABULARY, pool: inProcess(withoutPause), maxDocuments: 100 },
      log: { error: () => undefined },
    });
    const quota = new StorageQuota({ maxComponents: 1000, maxLearnedComponents: 1000 });
    quota.set(source(), 'configured', await registry.source(source()));
    const polling = {
      ...{ registry, catalog: registry.catalog, clock, pace: withoutPause, quota },
      ...{ nextAttempt: () => 0, acceptsShrink: () => false },
    };
    return (await pollOnce(reader, polling, new AbortController().signal)).report;
  }
  const labels = () => fresh.registry.labels();

  it('is read on, and its removals are believed after an hour, while its documents change', async () => {
    pod.put('/c/many', document(['c00', 'c01', 'new']));
    pod.delete('/c/b');
    expect(await poll()).toMatchObject({ added: 1, removed: 0, held: { from: 42, to: 4 } });
    clock.pass(1_800_000);
    pod.put('/c/a', turtle('a2'));
    pod.put('/c/d', turtle('d'));
    expect(await poll()).toMatchObject({ added: 2, removed: 0 });
    expect(await labels()).toEqual(expect.arrayContaining(['a2', 'b', 'c39', 'd', 'new']));
    clock.pass(1_800_000);
    await poll();
    expect(await poll()).toMatchObject({ removed: 0 });
    expect(await labels()).toEqual(['a2', 'c00', 'c01', 'd', 'new']);
    pod.seen();
    await poll();
    expect(pod.seen()).toEqual(['/c/ 200']);
  });

  it('says again what it said, under the tags that it had then', async () => {
    const before = new Map(pod.documents);
    pod.put('/c/many', document(['c00', 'other']));
    pod.delete('/c/b');
    expect(await poll()).toHaveProperty('held');
    for (const [path, one] of before) pod.documents.set(path, one);
    expect(await poll()).not.toHaveProperty('held', expect.anything());
    expect(await labels()).toEqual(['a', 'b', ...MANY].sort());
  });
});
