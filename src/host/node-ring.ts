import { backOff } from '../lib/back-off.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** One registry node, and whether it answers. */
export interface NodeState {
  /** Without a trailing slash. */
  readonly url: string;
  /** Why the last request to it failed, and since when (ms since the epoch) no request has succeeded. */
  readonly error?: string;
  readonly failingSince?: number;
}

interface Member {
  state: NodeState;
  failures: number;
  restUntil: number;
}

/** How long a node that failed is left alone. */
const REST = { first: 10_000, longest: 300_000 };

/** The nodes that a client knows, and which of them are worth asking now. */
export class NodeRing {
  readonly #members: readonly Member[];
  readonly #now: () => number;

  constructor(urls: readonly string[], now: () => number) {
    const distinct = [...new Set(urls.map((url) => withoutTrailingSlashes(url)))];
    this.#members = distinct.map((url) => ({ state: { url }, failures: 0, restUntil: 0 }));
    this.#now = now;
  }

  get states(): readonly NodeState[] {
    return this.#members.map(({ state }) => state);
  }

  /** In the order to ask them: as given, but those that failed lately last, the longest rested first. */
  inOrder(): string[] {
    const rest = ({ restUntil }: Member) => Math.max(0, restUntil - this.#now());
    return [...this.#members].sort((one, other) => rest(one) - rest(other)).map(({ state }) => state.url);
  }

  succeeded(url: string): void {
    const member = this.#find(url);
    Object.assign(member, { state: { url }, failures: 0, restUntil: 0 });
  }

  failed(url: string, error: string): void {
    const member = this.#find(url);
    member.failures += 1;
    member.restUntil = this.#now() + backOff(member.failures, REST);
    member.state = { url, error, failingSince: member.state.failingSince ?? this.#now() };
  }

  #find(url: string): Member {
    const member = this.#members.find(({ state }) => state.url === url);
    if (!member) throw new Error(`${url} is none of the nodes`);
    return member;
  }
}
