import type { Catalog } from '../catalog/catalog.js';
import type { Source } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { sameBaseUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { findPodAmong } from '../core/find-pod.js';
import type { PeerRules } from '../core/take.js';
import type { Activity } from '../explain/node-report.js';
import type { PollReport } from '../explain/poll-report.js';
import type { Clock, Random } from '../lib/clock.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import type { TaskPool } from '../lib/pool/task.js';
import type { Registry } from '../registry/registry.js';
import type { SharedPolls } from '../registry/shared-polls.js';
import { Network } from './discovery/network.js';
import { History } from './history.js';
import { alone, leased } from './leased.js';
import { podsReadBy } from './peer/peer-memo.js';
import { logPoll } from './poll-log.js';
import { Streams } from './push/streams.js';
import { PER_HOST, sourceReader } from './readers.js';
import { Room } from './room.js';
import { type PollNowOptions, Scheduler } from './scheduler.js';
import type { SourceReader } from './source-reader.js';
import type { Timetable } from './timetable.js';

export interface SynchronisationParts {
  readonly config: Config;
  readonly registry: Registry;
  readonly catalog: Pick<Catalog, 'state' | 'statements' | 'said' | 'watch'>;
  /** Present where other nodes poll the same sources into the same registry. */
  readonly shared?: SharedPolls | undefined;
  readonly fetch: GuardedFetch;
  readonly pool: TaskPool;
  readonly vocabulary: Vocabulary;
  readonly timetable: Timetable;
  readonly clock: Clock;
  readonly random: Random;
  readonly pace: Pace;
  readonly log: LogTo<'debug' | 'info' | 'warn' | 'error'>;
  /** Told of every poll that ended, except those that were aborted. */
  readonly onPoll: (report: PollReport) => void;
}

/** Keeps the registry in step with the pods and peers that the node trusts. */
export class Synchronisation {
  readonly #parts: SynchronisationParts;
  readonly #history: History;
  /** Whom the node knows: everything that is polled, and what is not read. */
  readonly network: Network;
  /** On which sources say that something has changed. */
  readonly streams: Streams;
  readonly #scheduler: Scheduler;
  #stopWatching: (() => void) | undefined;

  constructor(parts: SynchronisationParts) {
    const { config, catalog, shared, timetable, clock, random, log, onPoll } = parts;
    this.#parts = parts;
    this.#history = new History(clock);
    const read = { ...parts, epoch: async () => (await catalog.state()).revision.epoch };
    this.network = new Network({
      ...parts,
      reader: sourceReader(read),
      podsReadBy,
      onWanting: (peer) => this.#scheduler.readAnew(peer),
      onRefusing: (peer) => this.#scheduler.hint(peer),
      interval: timetable.interval,
    });
    const onHint = (source: Source, after: number) => this.#scheduler.hint(source, after);
    this.streams = new Streams({ most: config.sync.streams, clock, random, onHint });
    this.#scheduler = new Scheduler({
      ...parts,
      concurrency: config.sync.concurrency,
      perHost: PER_HOST,
      room: new Room(config.sync),
      rules: (source) => this.#rulesOf(source),
      inTurn: shared ? leased({ ...parts, shared }) : alone(parts.registry),
      onPoll: (outcome) => {
        const { report } = outcome;
        logPoll(log, outcome);
        onPoll(report);
        this.#history.polled(outcome);
        this.network.polled();
        void this.#listen(report.source);
      },
    });
  }

  /** What it has done lately. */
  get activity(): Activity {
    return { events: this.#history.events, allFail: this.#scheduler.allFail };
  }

  /** Finds out from what is stored whom the node knows, calls `ready`, and begins to poll. */
  async start(ready: () => void): Promise<void> {
    const { shared } = this.#parts;
    await this.network.start(this);
    ready();
    const stopHearing = shared?.watch((source, record) => {
      this.#scheduler.polledElsewhere(source, record);
      this.network.polledElsewhere(source);
      void this.#listen(source);
    });
    const stopFollowing = await this.#followHistory();
    this.#stopWatching = () => {
      stopHearing?.();
      stopFollowing();
    };
    this.#scheduler.start();
    for (const source of this.network.sources) await this.#listen(source);
  }

  /** A registry that was put back to an earlier state has earlier lists and sources, too: they are worked out again. */
  async #followHistory(): Promise<() => void> {
    const { catalog } = this.#parts;
    let { epoch } = (await catalog.state()).revision;
    return catalog.watch(({ revision }) => {
      if (revision.epoch === epoch) return;
      epoch = revision.epoch;
      void this.network.reconsider().catch(() => undefined);
    });
  }

  /** Replaces what is polled; see `PolledSources`. */
  async setSources(sources: readonly SourceReader[]): Promise<void> {
    this.#history.setSources(sources.map(({ source }) => source));
    await this.#scheduler.setSources(sources);
    this.streams.setSources(sources);
  }

  /** Polls all sources, or the one with this URL, and resolves when what they say has taken effect. */
  async pollNow(url?: string, options?: PollNowOptions): Promise<readonly PollReport[]> {
    // What is known by now may mean that more is to be read.
    await this.network.settled();
    const reports = await this.#scheduler.pollNow(url, options);
    await this.network.settled();
    return reports;
  }

  /**
   * Somebody says that a pod, a peer or a document of a pod has changed: polls it soon if it is one of those that are
   * read, and does nothing otherwise.
   */
  hint(topic: string): void {
    const known = this.network.sources.filter(({ url }) => sameBaseUrl(url) === sameBaseUrl(topic));
    for (const source of known) this.#scheduler.hint(source);
    if (known.length > 0) return;
    const pods = this.network.sources.filter(({ kind }) => kind === 'pod');
    const pod = findPodAmong(pods.map(({ url }) => url))(topic);
    if (pod !== undefined) this.#scheduler.hint({ kind: 'pod', url: pod });
  }

  /** Aborts the polls under way, and waits until nothing is written any more. */
  async stop(): Promise<void> {
    this.#stopWatching?.();
    await this.streams.stop();
    await this.#scheduler.stop();
    await this.network.stop();
  }

  /** Listens to what a source consists of now. What cannot be read now is looked at after its next poll. */
  async #listen(source: Source): Promise<void> {
    const stored = await this.#parts.registry.source(source).catch(() => undefined);
    if (stored) this.streams.polled(stored);
  }

  #rulesOf({ kind, url }: Source): PeerRules | undefined {
    const isMirror = this.#parts.config.mode === 'mirror';
    return kind === 'peer' ? { ...this.network.rulesFor(url), peer: url, isMirror } : undefined;
  }
}
