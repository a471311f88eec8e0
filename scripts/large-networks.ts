/** `npx tsx scripts/large-networks.ts`: what networks cost that are too large to be run, from their topology alone. */
import { figuresOf, LAYOUTS, type LargeFigures } from './simulate/model/large-network.js';

/** Requests by a node in an idle hour, as full runs with 200 streams have shown them (docs/network.md): 30 pods, eight peers for each node. */
const MEASURED = new Map([
  [3, 90],
  [10, 99],
  [30, 139],
  [100, 499],
]);

const row = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
const figure = (value: number) => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));

const [mesh] = LAYOUTS;
console.log('Against full runs, requests by a node in an idle hour: nodes, measured, computed');
for (const [nodes, measured] of MEASURED) {
  const size = { nodes, pods: 30, components: 5, degree: Math.min(8, nodes - 1) };
  // Pods at private addresses are asked, too, by those who have configured them.
  const computed = figuresOf(size, mesh, { streams: 200, hasPrivatePods: false });
  console.log(row([nodes, measured, figure(computed.requests)]));
}

const COLUMNS: readonly (readonly [string, (figures: LargeFigures) => number])[] = [
  ['peers of a node', ({ peers }) => peers],
  ['pods that it reads', ({ podsRead }) => podsRead],
  ['nodes that read a pod', ({ readers }) => readers],
  ['requests to a pod in an idle hour', ({ podRequests }) => podRequests],
  ['requests by a node', ({ requests }) => requests],
  ['statements that it keeps', ({ statements }) => statements],
  ['part of all pods that it shows (%)', ({ shown }) => 100 * shown],
];
console.log(`\n${row(['nodes', 'layout', ...COLUMNS.map(([name]) => name)])}`);
console.log(row(['---', '---', ...COLUMNS.map(() => '---')]));
for (const nodes of [1000, 10_000, 100_000]) {
  const size = { nodes, pods: Math.round(nodes * 0.3), components: 5, degree: 8 };
  for (const layout of LAYOUTS) {
    const figures = figuresOf(size, layout, { streams: 1000, hasPrivatePods: true });
    console.log(
      row([nodes.toLocaleString('en'), layout.name, ...COLUMNS.map(([, of]) => figure(of(figures)))]),
    );
  }
}
