/** What a network costs: what goes over its wires, and how long changes take. */
import { createHash } from 'node:crypto';
import { HOUR } from './time.js';
import type { World } from './world.js';

const nothing = () => ({
  /** Of all; bytes of heads and bodies, both ways. */
  requests: 0,
  bytes: 0,
  /** Those that pods got. */
  podRequests: 0,
  podBytes: 0,
  /** Changes of documents. */
  changes: 0,
  /** Ms until a node had stored a change, for each change and each node that reads the pod; in ascending order when taken. */
  times: [] as number[],
});

/** What was counted in so many hours. */
export type Costs = Readonly<ReturnType<typeof nothing>> & { readonly hours: number };

/** A change in a pod, and the nodes that have not heard of it. */
interface Spreading {
  readonly pod: string;
  /** Absent when the document was deleted. */
  readonly label: string | undefined;
  readonly since: number;
  readonly waiting: Set<string>;
}

/** Counts what goes over the wires, and writes the log of it. Two runs are the same when their logs have the same hash. */
export function createRunLog({ network, pods, time }: World, write: (line: string) => void) {
  const podHosts = new Set(pods.map(({ name }) => name));
  const hash = createHash('sha256');
  let [costs, since] = [nothing(), 0];
  /** The latest change of each document. */
  const spreading = new Map<string, Spreading>();
  /** The nodes that have read a pod. */
  const readers = new Map<string, Set<string>>();
  const note = (text: string) => {
    const line = `${time.elapsed} ${text}\n`;
    hash.update(line);
    write(line);
  };
  network.on('exchanged', ({ from, method, to, target, status, bytes }) => {
    note(`${from} ${method} ${to}${target} ${status} ${bytes}`);
    costs.requests += 1;
    costs.bytes += bytes;
    if (!podHosts.has(to)) return;
    costs.podRequests += 1;
    costs.podBytes += bytes;
  });
  network.on('carried', (from, target, bytes) => note(`${from} hears ${bytes} bytes of ${target}`));
  network.on('changed', (pod, document, label) => {
    spreading.set(document, { pod, label, since: time.now, waiting: new Set(readers.get(pod)) });
    costs.changes += 1;
  });
  network.on('committed', (node, { source, put, dropped }) => {
    if (source.kind === 'pod') readers.set(source.url, (readers.get(source.url) ?? new Set()).add(node));
    const told = [...put, ...dropped.map(({ document }) => ({ document, label: undefined }))];
    for (const { document, label } of told) {
      const change = spreading.get(document);
      if (change?.pod === source.url && change.label === label && change.waiting.delete(node))
        costs.times.push(time.now - change.since);
    }
  });
  return {
    note,
    /** SHA-256 of all that was noted so far, hexadecimal. */
    digest: () => hash.copy().digest('hex'),
    /** What was counted since the last time that this was called. */
    take(): Costs {
      const taken = { ...costs, hours: (time.elapsed - since) / HOUR };
      taken.times.sort((one, other) => one - other);
      [costs, since] = [nothing(), time.elapsed];
      return taken;
    },
  };
}
