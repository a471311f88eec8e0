import { expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { StorageQuota } from '../../../src/sync/schedule/storage-quota.js';
import { component } from '../../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const NOTHING_STORED = { documents: new Map(), replaced: new Map() };
const breathe = async () => undefined;

it('gives back the room of a portion that could not be stored, and not that of another one of the same source', async () => {
  const quota = new StorageQuota({ maxComponents: 10, maxLearnedComponents: 10 });
  quota.set(POD, 'learned', undefined);
  const portion = (name: string, size: number) => {
    const components = Array.from({ length: size }, (_, i) => component(`${name}${i}`));
    return quota.admit(POD, [{ url: `${POD.url}${name}`, components, record: {} }], NOTHING_STORED, breathe);
  };
  const [failing, stored] = [await portion('a', 4), await portion('b', 5)];
  failing.undo();
  const { omitted } = await portion('c', 10);
  expect([stored.omitted, omitted]).toEqual([0, 5]);
  expect(quota.isFull(POD)).toBe(true);
});
