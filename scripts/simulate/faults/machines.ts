import { between, pick, sample } from '../time/substream.js';
import type { HappeningKind } from '../world/happening.js';

const MINUTE = 60_000;
/** How wrong a clock may be, in ms. */
const WRONG = 10 * MINUTE;

/** What goes wrong with the machines of nodes, and what their operators do. */
export const MACHINE_FAULTS: readonly HappeningKind[] = [
  {
    name: 'crash',
    shows: 'the process of a node ends at any instant, and is started again later',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const isWriting = random() < 0.5;
      if (isWriting) node.crashInNextWrite();
      else node.crash();
      const end = () => {
        if (node.isRunning) node.crash();
        return node.start();
      };
      return { what: `${node.name} crashes${isWriting ? ' in its next write' : ''}`, end };
    },
  },
  {
    name: 'restore',
    shows: 'the disk of a node is replaced by an old backup',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const backup = world.backupOf(node);
      return {
        what: `a backup of ${node.name} is made, and restored at the end`,
        end: () => world.restore(node, backup),
      };
    },
  },
  {
    name: 'clocks',
    shows: 'the clock of a node is wrong by up to ten minutes',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      node.clockOffset = between(random, -WRONG, WRONG);
      return {
        what: `the clock of ${node.name} is wrong by ${node.clockOffset} ms`,
        end: () => {
          node.clockOffset = 0;
        },
      };
    },
  },
  {
    name: 'churn',
    shows: 'an operator trusts others than before, and starts the node again',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const { peers, pods } = node.settings;
      const others = world.nodes.filter(({ url }) => url !== node.url).map(({ url }) => url);
      const podUrls = world.pods.map(({ url }) => url);
      const settings = {
        peers: swapped(peers, sample(random, others, 1), random),
        pods: swapped(pods, sample(random, podUrls, 1), random),
      };
      node.settings = { ...node.settings, ...settings };
      world.truth.operators.set(node.url, settings);
      const restarted = node.restart();
      return { what: `${node.name} trusts others: ${JSON.stringify(settings)}`, end: () => restarted };
    },
  },
];

/** Without one of the entries, and with another one, in another order. */
function swapped(entries: readonly string[], more: readonly string[], random: () => number): string[] {
  const kept = sample(random, entries, Math.max(1, entries.length - 1));
  return [...new Set([...kept, ...more])];
}
