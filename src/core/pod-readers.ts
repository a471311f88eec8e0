import { lowerBound } from '../lib/lower-bound.js';

/** From so many of the peers that read a pod, this node takes it: one of them may stop reading it without a word. */
const TAKEN_FROM = 2;

const NONE: ReadonlySet<string> = new Set();

/** What follows from a change for the peers: from which of them more is taken now, and from which less. */
export interface ChangedRoles {
  /** The pods that are taken from a peer from now on, as `sourceKey`s, by its URL. */
  readonly more: ReadonlyMap<string, ReadonlySet<string>>;
  /** The peers from which some pod is not taken any more. */
  readonly less: ReadonlySet<string>;
}

/**
 * Which peers read which pods themselves, and from which of them a pod is taken that this node does not read: from the two
 * that win over the others (design, section 5). So a pod is not kept once for each of a hundred peers, and what is served
 * of it is what would be served if it were: of one component, the first of them would win anyway.
 *
 * Whom a pod is taken from follows from what the peers say at present, and from nothing else: every order of polls comes
 * to the same end.
 */
export class PodReaders {
  readonly #compare: (one: string, other: string) => number;
  /** By pod, the peers that read it: who wins is first. */
  readonly #readers = new Map<string, string[]>();
  readonly #pods = new Map<string, ReadonlySet<string>>();

  /** @param compare of two peers, by their URLs, below zero when the first one wins */
  constructor(compare: (one: string, other: string) => number) {
    this.#compare = compare;
  }

  /** Is a pod taken from other peers than this one? @param pod as `sourceKey` */
  isTakenElsewhere(peer: string, pod: string): boolean {
    const last = this.#readers.get(pod)?.[TAKEN_FROM - 1];
    return last !== undefined && this.#compare(last, peer) < 0;
  }

  /** Notes which pods a peer reads itself, as `sourceKey`s. Costs little more than what changes. */
  follow(peer: string, pods: ReadonlySet<string>): ChangedRoles {
    const before = this.#pods.get(peer) ?? NONE;
    if (pods.size === 0) this.#pods.delete(peer);
    else this.#pods.set(peer, pods);
    const roles = { more: new Map<string, Set<string>>(), less: new Set<string>() };
    for (const pod of before) if (!pods.has(pod)) this.#change(pod, peer, roles);
    for (const pod of pods) if (!before.has(pod)) this.#change(pod, peer, roles);
    return roles;
  }

  /** A peer that reads a pod does not any more, or the other way round. */
  #change(pod: string, peer: string, { more, less }: { more: Map<string, Set<string>>; less: Set<string> }) {
    const readers = this.#readers.get(pod) ?? [];
    const before = readers.slice(0, TAKEN_FROM);
    // By bisection: a hundred peers may say that they read the same 10,000 pods.
    const index = lowerBound(readers, (other) => this.#compare(other, peer) >= 0);
    if (readers[index] === peer) readers.splice(index, 1);
    else readers.splice(index, 0, peer);
    if (readers.length === 0) this.#readers.delete(pod);
    else this.#readers.set(pod, readers);
    const after = readers.slice(0, TAKEN_FROM);
    for (const one of after) if (!before.includes(one)) more.set(one, (more.get(one) ?? new Set()).add(pod));
    for (const one of before) if (!after.includes(one)) less.add(one);
  }
}
