import { type Source, sourceOfKey } from '../../component/precedence.js';
import type { Clock } from '../../lib/clock.js';
import type { Parsing } from '../../lib/pool/task.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { readFeedPage } from '../peer/feed/feed-task.js';
import type { Mark } from '../peer/mark.js';
import type { PeerProgress, PeerRequest } from '../peer/peer-request.js';
import { isParseFailure, throwIfStopped } from '../sync-source.js';

/** How often a peer is asked which pods it reads, in ms. In an idle network the answer is a 304. */
export const ASK_EVERY = 25 * 60_000;
/** A peer that has not answered for so long reads nothing for this node any more, in ms. */
export const SILENT_TOO_LONG = 80 * 60_000;

export interface PeerReadingsOptions {
  /** URLs of the configured peers. */
  readonly peers: readonly string[];
  readonly request: PeerRequest;
  readonly parsing: (signal: AbortSignal) => Parsing;
  readonly clock: Clock;
  /** Called when a peer reads other pods than before. */
  readonly onChange: () => void;
}

/** What a peer has told. */
interface Told {
  asked: number;
  answered: number;
  mark: Mark;
  pods: ReadonlySet<string>;
  asking?: Promise<void> | undefined;
}

/** Knows which pods the configured peers read themselves, as they say in `/feed/sources` (`observed`). */
export class PeerReadings {
  readonly #options: PeerReadingsOptions;
  readonly #told = new Map<string, Told>();

  constructor(options: PeerReadingsOptions) {
    this.#options = options;
    const never = { asked: Number.NEGATIVE_INFINITY, answered: Number.NEGATIVE_INFINITY };
    for (const peer of options.peers) this.#told.set(peer, { ...never, mark: {}, pods: new Set() });
  }

  /** The peers that read a pod. */
  readersOf(pod: string): string[] {
    const now = this.#options.clock.now();
    return [...this.#told]
      .filter(([, { answered, pods }]) => pods.has(pod) && now - answered <= SILENT_TOO_LONG)
      .map(([peer]) => peer);
  }

  /** Asks those that were not asked lately. Rejects when the poll is stopped; who does not answer reads what it read. */
  async refresh(progress: PeerProgress): Promise<void> {
    const { clock } = this.#options;
    const due = [...this.#told].filter(([, { asked }]) => !isWithin(clock.now() - asked, ASK_EVERY));
    for (const [peer, told] of due) {
      told.asked = clock.now();
      told.asking = this.#ask(peer, told, progress)
        // Only the poll that asks may have been stopped: others that wait for the same answer go on, and the next one asks again.
        .catch(() => {
          told.asked = Number.NEGATIVE_INFINITY;
        })
        .finally(() => {
          told.asking = undefined;
        });
    }
    await Promise.all([...this.#told.values()].map(({ asking }) => asking));
    throwIfStopped(progress.signal);
  }

  async #ask(peer: string, told: Told, progress: PeerProgress): Promise<void> {
    const { request, parsing, clock, onChange } = this.#options;
    const url = `${withoutTrailingSlashes(peer)}/feed/sources?kinds=pod`;
    const reading = await request({ url, accept: 'application/json', known: told.mark, progress });
    if (reading.kind === 'failed') return;
    told.answered = clock.now();
    if (reading.kind === 'unchanged') return;
    const pods = await podsIn(reading.text, parsing(progress.signal));
    if (!pods) return;
    const isNews = pods.size !== told.pods.size || [...pods].some((pod) => !told.pods.has(pod));
    Object.assign(told, { mark: reading.mark, pods });
    if (isNews) onChange();
  }
}

/** Nothing for what is no answer of a node that has a feed. */
async function podsIn(text: Uint8Array, parsing: Parsing): Promise<ReadonlySet<string> | undefined> {
  try {
    const { lines } = await readFeedPage(text, parsing);
    const read = lines.filter(({ observed }) => observed !== undefined).map(({ of }) => sourceOfKey(of));
    return new Set(read.filter(isPod).map(({ url }) => url));
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    return undefined;
  }
}

function isPod({ kind }: Source): boolean {
  return kind === 'pod';
}

/** Is this a time between 0 and a bound? A clock that was put back makes it negative. */
function isWithin(ms: number, bound: number): boolean {
  return ms >= 0 && ms < bound;
}
