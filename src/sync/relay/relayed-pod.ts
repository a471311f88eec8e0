import type { Source } from '../../component/precedence.js';
import type { Clock } from '../../lib/clock.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Pace } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { RelayRecord, StoredSource } from '../../registry/source-record.js';
import type { PollProgress, PollResult, SyncSource } from '../sync-source.js';
import type { RelayReading } from './relay-reading.js';
import {
  afterReading,
  agreed,
  differing,
  differsTooLong,
  isDoubted,
  isDue,
  remembering,
} from './relay-record.js';
import { type Comparing, changesTo, isNews } from './same-content.js';

/** Who reads a pod for this node: the first is the one from whom it is taken, the second bears it out. */
export type Readers = readonly [first: string, second: string];

/** Digests of what the two say of the pod, and of what is stored of it here. */
export interface Said {
  readonly stored: string;
  readonly first: string;
  readonly second: string;
}

export interface RelayedPodParts {
  /** Reads the pod itself. */
  readonly direct: SyncSource;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly catalog: Pick<Catalog, 'statements'>;
  /** Asks the peers which pods they read, unless they were asked lately. Rejects when the poll is stopped. */
  readonly refresh: (progress: PollProgress) => Promise<void>;
  /** The two that read the pod for this node; nobody when this node is one of the two. */
  readonly readers: () => Readers | undefined;
  readonly digests: (readers: Readers) => Promise<Said>;
  /** Asks both what they say by now: `digests` may be what they have said before. */
  readonly ask: (readers: Readers, progress: PollProgress) => Promise<void>;
  /** Asks one of them for what it has read, unless that is older than a date by the pod's clock (ms since the epoch). */
  readonly take: (peer: string, notBefore: number, progress: PollProgress) => Promise<RelayReading>;
  /** From 0 to below 1: at which time of the day the pod is verified. */
  readonly share: number;
  /** Told when this node begins to read the pod all the time, or leaves that to others. */
  readonly onRole: () => void;
}

/** What is stored of a pod, and remembered of its readers. */
interface Held {
  readonly relay: RelayRecord;
  readonly stored: StoredSource | undefined;
}

/**
 * A learned pod that two nodes read for all that have them as peers. A node that is none of the two takes what the first of
 * them has read. It reads the pod itself before anything else, once a day, when the two do not agree for long, and when
 * another one takes over and says something else: so nothing is taken that is older than what is stored, and a lie lasts
 * a day at most.
 */
export class RelayedPod implements SyncSource {
  readonly source: Source;
  readonly trust: Trust;
  readonly line?: NonNullable<SyncSource['line']>;
  readonly #parts: RelayedPodParts;
  #isRelayed: boolean | undefined;
  #isSettled = false;

  constructor(parts: RelayedPodParts) {
    this.#parts = parts;
    const { direct } = parts;
    this.source = direct.source;
    this.trust = direct.trust;
    if (direct.line) this.line = direct.line.bind(direct);
  }

  /** Is it left to others to read the pod? Not known before the first poll. */
  get isRelayed(): boolean | undefined {
    return this.#isRelayed;
  }

  /** Is it left to others, who said the same the last time? Then it is enough to hear when one of them says something else. */
  get isSettled(): boolean {
    return this.#isRelayed === true && this.#isSettled;
  }

  async poll(stored: StoredSource | undefined, progress: PollProgress): Promise<PollResult> {
    const { refresh, readers, clock, share } = this.#parts;
    await refresh(progress);
    this.#isSettled = false;
    const chosen = readers();
    const relay = stored?.record.relay;
    const now = clock.now();
    const isBelieved = relay !== undefined && !isDoubted(relay, now) && !isCut(stored);
    this.#become(chosen !== undefined && isBelieved);
    if (!chosen) return this.#asOneOfTwo(stored, progress);
    if (!isBelieved || isDue(relay, now, share)) return this.#verify(chosen, stored, progress);
    return this.#compare(chosen, { relay, stored }, progress);
  }

  #become(isRelayed: boolean): void {
    if (this.#isRelayed === isRelayed) return;
    this.#isRelayed = isRelayed;
    this.#parts.onRole();
  }

  async #asOneOfTwo(stored: StoredSource | undefined, progress: PollProgress): Promise<PollResult> {
    const { direct, clock } = this.#parts;
    const result = await direct.poll(stored, progress);
    const relay = afterReading(result, stored?.record.relay, { now: clock.now() });
    return { ...result, ...remembering(relay) };
  }

  /** Reads the pod, without telling others that it is read from now on: by the next poll it may be left to them again. */
  async #verify(
    readers: Readers,
    stored: StoredSource | undefined,
    progress: PollProgress,
  ): Promise<PollResult> {
    const { direct, digests, clock } = this.#parts;
    const said = await digests(readers);
    const result = await direct.poll(stored, progress);
    const { observed: _, ...unsaid } = result;
    const before = stored?.record.relay;
    const isTaken = before?.from === readers[0] && said.first === said.stored;
    const isWrong = isTaken && (await isNews(result.documents, this.#comparing(stored)));
    const relay = afterReading(result, before, { now: clock.now(), isWrong });
    this.#become(relay !== undefined && !isDoubted(relay, clock.now()));
    return { ...unsaid, ...remembering(relay) };
  }

  async #compare(readers: Readers, held: Held, progress: PollProgress): Promise<PollResult> {
    const { digests, ask, clock } = this.#parts;
    const { relay, stored } = held;
    const [from] = readers;
    // Its history is another one: only of one and the same reader it is known that later means newer.
    const isOther = ({ first, stored: own }: Said) => first !== own && relay.from !== from;
    let said = await digests(readers);
    if (!isAgreed(said) && (isOther(said) || differsTooLong(relay, clock.now()))) {
      await ask(readers, progress);
      said = await digests(readers);
      if (!isAgreed(said)) return this.#verify(readers, stored, progress);
    }
    this.#isSettled = isAgreed(said);
    if (this.#isSettled) return nothingNew(agreed(relay, from));
    const differs = differing(relay, clock.now());
    if (said.first === said.stored) return nothingNew({ ...differs, from });
    return (
      (await this.#take(from, { ...held, relay: differs }, progress)) ??
      this.#verify(readers, stored, progress)
    );
  }

  /** Nothing where the other one does not read the pod any more. */
  async #take(
    from: string,
    { relay, stored }: Held,
    progress: PollProgress,
  ): Promise<PollResult | undefined> {
    const reading = await this.#parts.take(from, relay.date, progress);
    if (reading.kind === 'unread') return undefined;
    if (reading.kind === 'older') return nothingNew(relay);
    if (reading.kind === 'failed') {
      const failure = { message: `What ${from} has read of it could not be taken: ${reading.message}` };
      return { ...nothingNew(relay), failure };
    }
    this.#isSettled = true;
    const documents = await changesTo(reading.documents, this.#comparing(stored));
    return { ...remembering(agreed(relay, from, reading.observed)), documents };
  }

  #comparing(stored: StoredSource | undefined): Comparing {
    const { catalog, pace } = this.#parts;
    return { catalog, stored, source: this.source, breathe: pace() };
  }
}

/** Has something been left out for want of room? Then it cannot be compared with what others have. */
function isCut(stored: StoredSource | undefined): boolean {
  return [...(stored?.documents.values() ?? [])].some(({ omitted }) => omitted !== undefined);
}

function isAgreed({ stored, first, second }: Said): boolean {
  return first === stored && second === stored;
}

function nothingNew(relay: RelayRecord): PollResult {
  return { documents: [], ...remembering(relay) };
}
