import { expect, it } from 'vitest';
import { figuresOf, LAYOUTS } from '../../../scripts/simulate/model/large-network.js';

// Requests by a node in an idle hour, as full runs have shown them (docs/network.md).
it.each([
  [3, 90],
  [10, 99],
  [30, 139],
])('computes what full runs of %i nodes have shown, within a tenth', (nodes, measured) => {
  const size = { nodes, pods: 30, components: 5, degree: Math.min(8, nodes - 1) };
  const { requests } = figuresOf(size, LAYOUTS[0], { streams: 1000, hasPrivatePods: false });
  expect(requests / measured).toBeGreaterThan(0.9);
  expect(requests / measured).toBeLessThan(1.1);
});

it('computes that leaves of hubs leave the pods alone only where they do not look further', () => {
  const size = { nodes: 300, pods: 90, components: 5, degree: 8 };
  const readers = (depth: number) =>
    figuresOf(size, { name: '', depth, hubs: 2 }, { streams: 1000, hasPrivatePods: false }).readers;
  expect(readers(0)).toBeLessThan(10);
  expect(readers(1)).toBeGreaterThan(200);
});
