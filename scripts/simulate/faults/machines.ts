import { WRITING } from '../nodes/simulated-keep.js';
import { between, pick, sample } from '../time/substream.js';
import type { HappeningKind } from '../world/happening.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** How wrong a clock may be, in ms. */
const WRONG = 10 * MINUTE;
/** How long before it takes writes a standby has heard last of what is written, in ms. */
const BEHIND = 5 * MINUTE;

/** What goes wrong with the machines of nodes, and what their operators do. */
export const MACHINE_FAULTS: readonly HappeningKind[] = [
  {
    name: 'crash',
    shows: 'the process of a node ends at any instant, and is started again later',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const isWriting = random() < 0.5;
      const process = pick(random, node.processes);
      // In the middle of a write, nothing of it is stored yet; soon afterwards it is, and the process is not told.
      const later = between(random, 0, 2 * WRITING);
      if (isWriting) process.inNextWrite(() => world.time.after(later, () => process.crash()));
      else process.crash();
      const end = () => {
        process.crash();
        return process.start();
      };
      return { what: `${node.name} crashes${isWriting ? ' in its next write' : ''}`, end };
    },
  },
  {
    name: 'pause',
    shows: 'a process stands still at any instant for up to two minutes, and goes on where it was',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const isWriting = random() < 0.75;
      const seconds = between(random, 5, 120);
      const process = pick(random, node.processes);
      let goOn: (() => void) | undefined;
      const pause = () => {
        goOn = process.pause();
        world.time.after(seconds * SECOND, goOn);
      };
      if (isWriting) process.inNextWrite(pause);
      else pause();
      const end = () => {
        process.inNextWrite(() => undefined);
        goOn?.();
      };
      return { what: `${node.name} pauses for ${seconds} s${isWriting ? ' in its next write' : ''}`, end };
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
    name: 'failover',
    shows: 'the database of a node fails, and another server takes its place that lacks the latest commits',
    isOfDatabase: true,
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const behind = between(random, 0, BEHIND);
      const standby = node.storage.backup();
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        node.storage.failOver(standby);
        world.repost(node);
      };
      world.time.after(behind, end);
      return { what: `the database of ${node.name} is going to lose ${behind} ms`, end };
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
