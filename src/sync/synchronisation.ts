import type { Catalog } from '../catalog/catalog.js';
import { isOfThisNode, type Source } from '../component/source.js';
import { sameBaseUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { findPodAmong } from '../core/find-pod.js';
import type { Precedence } from '../core/precedence.js';
import type { PeerRules } from '../core/take.js';
import type { PollOutcome, PollReport } from '../explain/poll-report.js';
import { HostQueues } from '../lib/fetch/host-queues.js';
import type { LogTo } from '../lib/log.js';
import type { SharedPolls } from '../registry/open-registry.js';
import type { Registry } from '../registry/registry.js';
import { Network } from './discovery/network.js';
import { type InTurn, leased } from './leased.js';
import { podsReadBy } from './peer/peer-memo.js';
import { Streams } from './push/streams.js';
import { PER_HOST, type SourceReaderParts, sourceReader } from './readers.js';
import { Room } from './room.js';
import { type PollNowOptions, Scheduler, type SchedulerOptions } from './scheduler.js';
import type { SourceReader } from './source-reader.js';

interface SynchronisationParts
  extends Omit<SourceReaderParts, 'config' | 'epoch' | 'log'>,
    Pick<SchedulerOptions, 'timetable' | 'random' | 'pace'> {
  readonly config: Config;
  readonly registry: Registry;
  readonly catalog: Pick<Catalog, 'state' | 'watch'>;
  readonly precedence: () => Pick<Precedence, 'isConfigured'>;
  /** Present where other nodes poll the same sources into the same registry. */
  readonly shared?: SharedPolls | undefined;
  readonly log: LogTo<'debug' | 'info' | 'warn' | 'error'>;
  /** Told of every poll that ended, except those that were aborted. */
  readonly onPoll: (outcome: PollOutcome) => void;
}

export type Synchronisation = Awaited<ReturnType<typeof createSynchronisation>>;

/** Keeps the registry in step with the pods and peers that the node trusts. */
export async function createSynchronisation(parts: SynchronisationParts) {
  const { config, registry, catalog, precedence, shared, timetable, clock, random, pace, log } = parts;
  const commit: Registry['commit'] = (change) => registry.commit(change);
  let { epoch } = (await catalog.state()).revision;

  /** Listens to what a source consists of now. */
  const listen = async (source: Source) => {
    const stored = await registry.source(source);
    if (stored) streams.polled(stored);
  };
  const rules = ({ kind, url }: Source): PeerRules | undefined => {
    const isMirror = config.mode === 'mirror';
    return kind === 'peer' ? { ...network.rulesFor(url), peer: url, isMirror } : undefined;
  };
  const onPoll = (outcome: PollOutcome) => {
    parts.onPoll(outcome);
    network.polled(outcome);
    void listen(outcome.report.source);
  };
  const setSources = async (sources: readonly SourceReader[]) => {
    await scheduler.setSources(sources);
    streams.setSources(sources);
  };
  const room = new Room({
    limits: config.sync,
    sources: () => registry.sources(),
    isConfigured: (source) => precedence().isConfigured(source),
  });
  const queues = new HostQueues(PER_HOST, config.sync.concurrency);
  const inTurn: InTurn = shared ? leased({ shared, commit, log }) : (_, poll) => poll(commit);
  const given = { registry, clock, pace, log };
  const scheduler = new Scheduler({ ...given, timetable, random, rules, room, queues, inTurn, onPoll });
  const hint = (source: Source, after?: number) => scheduler.hint(source, after);
  const streams = new Streams({ most: config.sync.streams, clock, random, onHint: hint });
  const reader = sourceReader({ ...parts, epoch: async () => (await catalog.state()).revision.epoch });
  const { interval } = timetable;
  const following = { podsReadBy, setSources, interval, onDisagreement: hint };
  const network = new Network({ ...given, config, reader, ...following });
  const stopHearing = shared?.watch((source, record) => {
    scheduler.polledElsewhere(source, record);
    if (isOfThisNode(source)) void network.settled();
    else network.polled();
    void listen(source);
  });
  // A registry that was put back to an earlier state has earlier lists and sources, too: they are worked out
  // again.
  const stopFollowing = catalog.watch(({ revision }) => {
    if (revision.epoch === epoch) return;
    epoch = revision.epoch;
    void network.settled();
  });

  return {
    /** Whom the node knows: everything that is polled, and what is not read. */
    network,
    /** On which sources say that something has changed. */
    streams,

    /** Have sources been polled, and did the last poll of every one of them fail? */
    get allFail(): boolean {
      return scheduler.allFail;
    },

    /** Finds out from what is stored whom the node knows, calls `ready`, and begins to poll. */
    async start(ready: () => void): Promise<void> {
      await network.start();
      ready();
      scheduler.start();
      for (const source of network.sources) await listen(source);
    },

    /** Polls all sources, or the one with this URL, and resolves when what they say has taken effect. */
    async pollNow(url?: string, options?: PollNowOptions): Promise<readonly PollReport[]> {
      // What is known by now may mean that more is to be read.
      await network.settled();
      const reports = await scheduler.pollNow(url, options);
      await network.settled();
      return reports;
    },

    /**
     * Somebody says that a pod, a peer or a document of a pod has changed: polls it soon if it is one of
     * those that are read, and does nothing otherwise.
     */
    hint(topic: string): void {
      const known = network.sources.filter(({ url }) => sameBaseUrl(url) === sameBaseUrl(topic));
      const pods = network.sources.filter(({ kind }) => kind === 'pod').map(({ url }) => url);
      const pod = known.length > 0 ? undefined : findPodAmong(pods)(topic);
      if (pod !== undefined) known.push({ kind: 'pod', url: pod });
      for (const source of known) hint(source);
    },

    /** Aborts the polls under way, and waits until nothing is written any more. */
    async stop(): Promise<void> {
      stopHearing?.();
      stopFollowing();
      streams.stop();
      await scheduler.stop();
      await network.stop();
    },
  };
}
