import { describe, expect, it } from 'vitest';
import { turtle } from '../../support/fake-pod.js';
import { polledPod, ttl } from '../../support/polled-pod.js';

const SECOND = 1000;

describe('when a pod was seen, by its own clock', () => {
  const { fresh, poll } = polledPod();
  it('is told with what was found, from the first answer to the last', async () => {
    const noon = 'Sun, 22 Nov 2026 12:00:00 GMT';
    fresh.pod.dates = [noon, noon, 'Sun, 22 Nov 2026 12:00:03 GMT', noon];
    const from = Date.parse(noon);
    expect((await poll()).observed).toEqual({ from, until: from + 3 * SECOND });
    expect((await poll()).observed).toEqual({ from, until: from });
  });

  it('is told of a single document, also when it has not changed', async () => {
    const noon = 'Sun, 22 Nov 2026 12:00:00 GMT';
    fresh.pod.dates = [noon];
    const observed = { from: Date.parse(noon), until: Date.parse(noon) };
    expect((await poll('/c/a')).observed).toEqual(observed);
    expect((await poll('/c/a')).observed).toEqual(observed);
  });

  it('is told when documents have gone, and when one cannot be understood', async () => {
    await poll();
    fresh.pod.close('/c/a');
    fresh.pod.put('/c/b', '<> <');
    expect((await poll()).observed).toBeDefined();
    expect((await poll()).observed).toBeDefined();
  });

  it('is not told when a document could not be had', async () => {
    fresh.pod.put('/c/b', turtle('b2'), { fault: { status: 500 } });
    expect((await poll()).observed).toBeUndefined();
    expect((await poll()).observed).toBeUndefined();
  });

  it('is not told when a container in it could not be read', async () => {
    fresh.pod.put('/c/d/e', turtle('e'));
    fresh.pod.faults.set('/c/d/', { status: 500 });
    expect((await poll()).observed).toBeUndefined();
  });

  it('is not told when the pod as a whole could not be read, or a part was left out', async () => {
    expect((await poll('/c/', { maxDocuments: 1 })).observed).toBeUndefined();
    fresh.pod.faults.set('/c/', ttl('<> <'));
    expect((await poll()).observed).toBeUndefined();
  });

  it('is not told where the server names no time', async () => {
    fresh.pod.dates = [''];
    expect((await poll()).observed).toBeUndefined();
  });
});
