import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import type { State } from '../../registry/state.js';
import { HistoryLost } from './connection/failure.js';
import type { Session } from './connection/session.js';
import { type Head, stateOf } from './writing/head.js';
import { type History, isContinued, isSameState, type Moved, stateIn } from './writing/history.js';

/** A state with what is known beside it. */
interface Published extends Moved {
  readonly state: State;
  readonly network: NetworkLists;
}

/**
 * The state that this node shows: of all that was ever committed, by whichever node, the latest that this one has heard of.
 * It is all that a node holds of the registry in memory.
 */
export class PublishedState implements History {
  readonly #random: () => number;
  readonly #listeners = new Set<(state: State) => void>();
  #published: Published | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  get shown(): Moved | undefined {
    return this.#published;
  }

  readonly newEpoch = () => Math.floor(this.#random() * 2 ** 52).toString(36);

  /** @throws Error before the first state is known */
  get current(): Published {
    if (!this.#published) throw new Error('the registry is asked for before it is loaded');
    return this.#published;
  }

  watch(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Shows a state, unless a later one is shown already. `since` is what was shown when the state was asked for: of two epochs
   * the later one is that which was found while the other one was shown.
   */
  show({ head, summaries }: Moved, since: Moved | undefined): void {
    const before = this.#published;
    if (before && before.head.epoch === head.epoch && before.head.version >= head.version) return;
    if (before && before.head.epoch !== head.epoch && before.head.epoch !== since?.head.epoch) return;
    const isSameNetwork = before?.head.network === head.network;
    const network = isSameNetwork ? before.network : networkOf(head);
    this.#published = { head, summaries, state: stateOf(head, summaries), network };
    for (const listener of this.#listeners) listener(this.#published.state);
  }

  /** Reads the latest state, and shows it. @throws HistoryLost when the database has lost the one that is shown */
  async refresh(session: Session): Promise<Published> {
    const before = this.#published;
    const read = await stateIn(session);
    if (before && !(await isContinued(session, before.head, read.head))) throw new HistoryLost();
    this.show(read, before);
    return this.#withState(read);
  }

  /** What was read; it need not be what is shown, which may have moved on meanwhile. */
  #withState(read: Moved): Published {
    if (isSameState(this.current.head, read.head)) return this.current;
    return { ...read, state: stateOf(read.head, read.summaries), network: networkOf(read.head) };
  }

  /** The same, if it is not this one that is shown. @returns false when the database has lost the one that is shown */
  async refreshIfNot(session: Session, latest: Pick<Head, 'version' | 'mark'>): Promise<boolean> {
    try {
      if (!this.#published || !isSameState(this.#published.head, latest)) await this.refresh(session);
      return true;
    } catch (error) {
      if (error instanceof HistoryLost) return false;
      throw error;
    }
  }
}

function networkOf({ network }: Head): NetworkLists {
  return network === '' ? NO_NETWORK : (JSON.parse(network) as NetworkLists);
}
