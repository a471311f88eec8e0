import { describe, expect, it } from 'vitest';
import { EVERYWHERE, isIn } from '../../../src/sync/pod/crawl.js';

describe('whether a document is in one of many folders', () => {
  const POD = 'https://pod.example/c/';

  it.each([
    [[`${POD}a/`], true],
    [[`${POD}b/`, `${POD}a/deep/`], true],
    [[`${POD}b/`, `${POD}a/deeper/`], false],
    [[`${POD}a/de`], false],
    [[EVERYWHERE], true],
    [[], false],
  ])('%j: %s', (folders, expected) => {
    expect(isIn(folders)(`${POD}a/deep/x.ttl`)).toBe(expected);
  });

  // Compared one by one, 60,000 documents with 60,000 folders take longer than a test may.
  it('is found out on the way up its path, however many folders there are', () => {
    const isUnread = isIn(Array.from({ length: 60_000 }, (_, i) => `${POD}folder-${i}/`));
    const documents = Array.from({ length: 60_000 }, (_, i) => `${POD}document-${i}`);
    expect(documents.filter(isUnread)).toEqual([]);
  });
});
