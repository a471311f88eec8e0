import type { SourceLine } from '../../registry/feed.js';
import { type NetworkLists, NO_NETWORK } from '../../registry/network-lists.js';
import type { State } from '../../registry/state.js';
import type { Session } from './connection/session.js';
import { only } from './connection/session.js';
import { HEAD_COLUMNS, type Head, stateOf } from './writing/head.js';

/** A state with what is known beside it. */
interface Published {
  readonly version: number;
  readonly state: State;
  readonly network: NetworkLists;
}

interface StateRow extends Head {
  readonly lines: readonly SourceLine[] | null;
}

/** The state and the lines of the sources in one statement, so that they belong together. */
const STATE = `SELECT ${HEAD_COLUMNS}, (
    SELECT json_agg(json_build_object(
      'source', json_build_object('kind', r.kind, 'url', r.url),
      'rank', r.rank, 'count', r.count, 'digest', r.digest, 'position', r.position))
    FROM registry.source AS r WHERE r.count > 0
  ) AS lines
  FROM registry.head AS h WHERE h.id = 1`;

/**
 * The state that this node shows: of all that was ever committed, by whichever node, the latest that this one has heard of.
 * It is all that a node holds of the registry in memory.
 */
export class PublishedState {
  readonly #listeners = new Set<(state: State) => void>();
  #published: Published | undefined;

  /** @throws Error before the first state is known */
  get current(): Published {
    if (!this.#published) throw new Error('the registry is asked for before it is loaded');
    return this.#published;
  }

  linesAt(version: number): readonly SourceLine[] | undefined {
    return this.#published?.version === version ? this.#published.state.feed.sources : undefined;
  }

  watch(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Shows a state, unless a later one is shown already. */
  show(head: Head, lines: readonly SourceLine[]): void {
    const { version } = head;
    if (this.#published && this.#published.version >= version) return;
    const before = this.#published;
    const isSameNetwork = before?.state.networkRevision.number === head.network_revision;
    const network = isSameNetwork ? before.network : networkOf(head);
    this.#published = { version, state: stateOf(head, lines), network };
    for (const listener of this.#listeners) listener(this.#published.state);
  }

  /** Reads the latest state, and shows it. */
  async refresh(session: Session): Promise<Published> {
    const row = only(await session.rows<StateRow>(STATE, [], 'state'), 'head');
    this.show(row, row.lines ?? []);
    return this.current;
  }

  /** The same, if it is not that of this version. */
  async refreshIfNot(session: Session, version: number): Promise<void> {
    if (version !== this.#published?.version) await this.refresh(session);
  }
}

function networkOf({ network }: Head): NetworkLists {
  return network === '' ? NO_NETWORK : (JSON.parse(network) as NetworkLists);
}
