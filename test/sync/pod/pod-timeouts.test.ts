import { beforeEach, describe, expect, it } from 'vitest';
import { TaskTimeout } from '../../../src/lib/faults.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess, PoolBusy, type TaskPool } from '../../../src/lib/pool/task.js';
import type { FakePod } from '../../support/pod/fake-pod.js';
import { turtle } from '../../support/pod/fake-pod.js';
import { polledPod } from '../../support/pod/polled-pod.js';

const MINUTE = 60_000;

describe('a document of a pod that this node had no time to read', () => {
  const { fresh, clock, poll, served, document } = polledPod();
  let pod: FakePod;
  beforeEach(() => {
    ({ pod } = fresh);
  });

  /** Reads all documents but those that name `c.example/slow…`. */
  const slow = (error: Error): TaskPool => {
    const pool = inProcess(withoutPause);
    return {
      async *run(task, input, options) {
        const { text } = input as { text: Uint8Array };
        if (Buffer.from(text).includes('c.example/slow')) throw error;
        yield* pool.run(task, input, options);
      },
    };
  };

  it.each([
    ['in processor time', new TaskTimeout('reading it takes more than 5 s of processor time')],
    ['by the clock', new PoolBusy('this node was too busy to read it within 100 s')],
  ])('is read as soon as there is time, after a time-out %s', async (_, timeout) => {
    await poll();
    pod.put('/c/b', turtle('slow'));
    const before = await document('/c/b');
    await poll('/c/', { pool: slow(timeout) });
    expect(await served()).toEqual(['a', 'b']);
    const after = await document('/c/b');
    expect(after).toMatchObject({ error: timeout.message, failingSince: clock.now(), etag: before?.etag });
    expect(after).not.toHaveProperty('unreadable', expect.anything());
    pod.seen();
    clock.pass(MINUTE);
    await poll();
    expect(pod.seen()).toContain('/c/b 200');
    expect(await served()).toEqual(['a', 'slow']);
    expect(await document('/c/b')).not.toHaveProperty('timedOut', expect.anything());
    expect(await document('/c/b')).not.toHaveProperty('error', expect.anything());
  });

  it('is tried less and less often, and at once when it has changed', async () => {
    const pool = slow(new TaskTimeout('reading it takes more than 5 s of processor time'));
    pod.put('/c/slow', turtle('slow'));
    const tries: number[] = [];
    for (let minute = 0; minute < 300; minute++) {
      await poll('/c/', { pool });
      if (pod.seen().includes('/c/slow 200')) tries.push(minute);
      clock.pass(MINUTE);
    }
    expect(tries.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
    pod.put('/c/slow', turtle('slow'));
    await poll('/c/', { pool });
    expect(pod.seen()).toContain('/c/slow 200');
  });
});
