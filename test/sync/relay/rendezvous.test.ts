import { describe, expect, it } from 'vitest';
import { inOrderFor, shareOf } from '../../../src/sync/relay/rendezvous.js';

const nodes = Array.from({ length: 10 }, (_, i) => `https://node${i}.example`);
const pods = Array.from({ length: 300 }, (_, i) => `https://pod${i}.example/components/`);
const readersOf = (pod: string, among: readonly string[]) => inOrderFor(pod, among).slice(0, 2);

describe('the order in which nodes are to read a pod', () => {
  it('is the same whoever looks, and however URLs are spelled', () => {
    const order = inOrderFor('https://pod.example/', nodes);
    expect(inOrderFor('https://pod.example', nodes.toReversed())).toEqual(order);
    expect(
      inOrderFor(
        'https://pod.example/',
        nodes.map((url) => `${url}/`),
      ),
    ).toEqual(order.map((url) => `${url}/`));
  });

  it('is that of SHA-256 of both URLs, so that other software can follow it', () => {
    // printf 'https://pod.example/\nhttps://a.example' | sha256sum is a89b…; with b 215b…, with c 2825….
    const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'] as const;
    expect(inOrderFor('https://pod.example/', [a, b, c])).toEqual([a, c, b]);
  });

  it('moves only the pods of a node that leaves', () => {
    const [gone = '', ...left] = nodes;
    for (const pod of pods) {
      const before = readersOf(pod, nodes);
      const after = readersOf(pod, left);
      const stay = before.filter((node) => node !== gone);
      expect(after.slice(0, stay.length)).toEqual(stay);
      if (!before.includes(gone)) expect(after).toEqual(before);
    }
  });

  it('gives every node about as many pods', () => {
    const counts = new Map(nodes.map((node) => [node, 0]));
    for (const pod of pods)
      for (const node of readersOf(pod, nodes)) counts.set(node, (counts.get(node) ?? 0) + 1);
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(35);
      expect(count).toBeLessThan(90);
    }
  });

  it('spreads what pods and nodes have in common over the day', () => {
    const shares = pods.map((pod) => shareOf(pod, nodes[0] ?? ''));
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...shares)).toBeLessThan(1);
    expect(shares.filter((share) => share < 0.5).length).toBeGreaterThan(100);
    expect(shares.filter((share) => share < 0.5).length).toBeLessThan(200);
  });
});
