import type { Source } from '../component/precedence.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { sameBaseUrl } from '../config/url.js';
import type { Config } from '../config.js';
import type { Audit } from '../lib/audit.js';
import type { Clock, Random } from '../lib/clock.js';
import { counted } from '../lib/counted.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import type { Pace } from '../lib/pace.js';
import type { TaskPool } from '../lib/pool/task.js';
import type { Activity } from '../registry/activity.js';
import type { Catalog } from '../registry/catalog.js';
import type { PollReport } from '../registry/poll-report.js';
import type { Refusals } from '../registry/refusal.js';
import type { Registry } from '../registry/registry.js';
import type { SharedPolls } from '../registry/shared-polls.js';
import type { SourceRecord, StoredSource } from '../registry/source-record.js';
import type { Decision } from './discovery/decisions.js';
import { HostListReader } from './discovery/host-lists.js';
import { Network } from './discovery/network.js';
import { History } from './history.js';
import { podsReadBy } from './peer/pods-read.js';
import { Lines } from './push/lines.js';
import { createScheduler, type PollNowOptions } from './schedule/scheduler.js';
import type { Timetable } from './schedule/timetable.js';
import { PER_HOST, sourceReader } from './source-reader.js';
import type { SyncLog } from './sync-log.js';
import type { SyncSource } from './sync-source.js';

export interface SynchronisationParts {
  readonly config: Config;
  readonly registry: Registry;
  readonly catalog: Pick<Catalog, 'statements' | 'changes'>;
  /** Present where other nodes poll the same sources into the same registry. */
  readonly shared?: SharedPolls | undefined;
  readonly fetch: GuardedFetch;
  readonly pool: TaskPool;
  readonly vocabulary: Vocabulary;
  readonly timetable: Timetable;
  readonly clock: Clock;
  readonly random: Random;
  readonly pace: Pace;
  readonly log: SyncLog;
  readonly audit: Pick<Audit, 'record'>;
  /** Told of every poll that ended, except those that were aborted. */
  readonly onPoll: (report: PollReport) => void;
}

/** Keeps the registry in step with the pods and peers that the node trusts. */
export interface Synchronisation {
  /** Everything that is polled. */
  readonly sources: readonly Source[];
  /** What it has done lately. */
  readonly activity: Activity;
  /** Finds out from what is stored whom the node knows, calls `ready`, and begins to poll. */
  start(ready: () => void): Promise<void>;
  /** Polls all sources, or the one with this URL, and resolves when what they say has taken effect. */
  pollNow(url?: string, options?: PollNowOptions): Promise<readonly PollReport[]>;
  /**
   * Somebody says that a pod, a peer or a document of a pod has changed: polls it soon if it is one of those that are
   * read, and does nothing otherwise.
   */
  hint(topic: string): void;
  /** Does a source itself say when something changes, at present? */
  hears(source: Source): boolean;
  /** What is not read of what peers told, and why. */
  readonly refusals: Refusals;
  /** Approves or rejects an address that peers told of, or takes such a decision back; resolves when that has taken effect. */
  decide(url: string, decision: Decision | undefined): Promise<void>;
  /** Lines to sources that are open now, and hints that have come on them. */
  readonly lines: { readonly open: number; readonly hints: number };
  /** Aborts the polls under way, and waits until nothing is written any more. */
  stop(): Promise<void>;
}

export function createSynchronisation(parts: SynchronisationParts): Synchronisation {
  const { config, registry, catalog, shared, timetable, clock, random, pace, log, audit, onPoll } = parts;
  const history = new History(clock);
  const hostLists = new HostListReader(config.discovery, { fetch: parts.fetch, clock, log });
  const network: Network = new Network({
    config,
    registry,
    reader: sourceReader(parts, {
      rulesFor: (peer) => network.rulesFor(peer),
      usefulHops: (peer) => network.usefulHops(peer),
    }),
    onNearer: (peer) => {
      lines.reopen(peer);
      scheduler.hint(peer);
    },
    ...{ podsReadBy, onWanting: (peer) => scheduler.hint(peer) },
    hostLists: () => hostLists.current,
    ...{ clock, interval: timetable.interval, pace, log },
  });
  const lines = new Lines({
    most: config.sync.streams,
    ...{ clock, random },
    onHint: (source, after) => scheduler.hint(source, after),
    onLost: (source) => scheduler.lost(source),
  });
  const scheduler = createScheduler({
    hears: (source) => lines.hearsAll(source),
    timetable,
    concurrency: config.sync.concurrency,
    perHost: PER_HOST,
    limits: config.sync,
    ...{ registry, catalog, clock, random, pace, log, shared },
    onPoll: (report) => {
      onPoll(report);
      history.polled(report);
      lines.reported(report);
      network.polled(report);
      void follow(lines, registry, report.source);
    },
  });
  let stopWatching: (() => void) | undefined;
  const polledElsewhere = (source: Source, record: SourceRecord) => {
    scheduler.polledElsewhere(source, record);
    network.polledElsewhere(source, record);
    void follow(lines, registry, source);
  };
  const polled = {
    async setSources(sources: readonly SyncSource[]) {
      history.setSources(sources.map(({ source }) => source));
      await scheduler.setSources(sources);
      lines.setSources(sources);
    },
  };
  return {
    get sources() {
      return network.sources;
    },
    get activity() {
      return {
        polls: (source: Source) => history.polls(source),
        events: history.events,
      };
    },
    async start(ready) {
      await hostLists.start(({ key, place, rules }) => {
        void audit.record({ who: key, what: `now has ${counted(rules, 'rule')}`, subjects: [place] });
        void network.reconsider().catch(() => undefined);
      });
      await network.start(polled);
      ready();
      stopWatching = shared?.watch(polledElsewhere);
      scheduler.start();
      for (const source of network.sources) {
        const stored = await follow(lines, registry, source);
        if (stored) history.found(source, stored.record);
      }
    },
    async pollNow(url, options) {
      const reports = await scheduler.pollNow(url, options);
      await network.settled();
      return reports;
    },
    hint(topic) {
      const known = network.sources.filter(({ url }) => sameBaseUrl(url) === sameBaseUrl(topic));
      const pod = known.length > 0 ? undefined : network.podOf(topic);
      for (const source of known) scheduler.hint(source);
      if (pod !== undefined) scheduler.hint({ kind: 'pod', url: pod });
    },
    hears: (source) => lines.hears(source),
    get refusals() {
      return network.refusals;
    },
    decide: (url, decision) => network.decide(url, decision),
    get lines() {
      return lines.counts;
    },
    async stop() {
      stopWatching?.();
      await hostLists.stop();
      await lines.stop();
      await scheduler.stop();
      await network.settled();
    },
  };
}

/** Listens to what a source consists of now. What cannot be read now is looked at after its next poll. */
async function follow(lines: Lines, registry: Registry, source: Source): Promise<StoredSource | undefined> {
  const stored = await registry.source(source).catch(() => undefined);
  if (stored) lines.polled(stored);
  return stored;
}
