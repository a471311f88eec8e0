import type { Catalog } from '../catalog/catalog.js';
import { addressesFromJson, type ListedAddress } from '../component/network-list.js';
import { LOCAL, type Source } from '../component/source.js';
import { sameBaseUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { createDiscovery } from '../core/discovery.js';
import { findPodAmong } from '../core/find-pod.js';
import { type NetworkLists, NO_NETWORK } from '../core/network-lists.js';
import { skippedIn } from '../core/pod-roles.js';
import type { StoredSource } from '../core/source-record.js';
import { documentRules, type OperatorRules } from '../core/take.js';
import { Counting, type Rehearsal } from '../explain/rehearsal.js';
import { parseBoundedJson } from '../lib/bounded-json.js';
import { type Pace, paced } from '../lib/pace.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import type { SourceChange } from '../registry/difference.js';
import type { OpenedRegistry } from '../registry/open-registry.js';
import type { Registry } from '../registry/registry.js';
import { decisionsIn } from './discovery/decisions.js';
import { Failed } from './failures.js';
import { pollOnce } from './poll.js';
import { type SourceReaderParts, sourceReader } from './readers.js';
import { ask } from './request.js';
import { Room } from './room.js';

export interface RehearsalParts extends SourceReaderParts {
  readonly pace: Pace;
  readonly config: Config;
  /** What the node has. It is only read. */
  readonly current: {
    readonly registry: Pick<Registry, 'source' | 'sources'>;
    readonly catalog: Pick<Catalog, 'state'>;
  };
  /** Has nothing, and gets what the source says. */
  readonly trial: Pick<OpenedRegistry, 'registry'>;
  readonly signal: AbortSignal;
  /** Components that are looked at, unless the node would keep fewer of a source. */
  readonly most: number;
}

/** Whether a source can be read, and what follows from what it says for the network. */
export interface RehearsedReading extends Pick<Rehearsal, 'error' | 'introduces'> {
  readonly notTaken: Rehearsal['refuses']['pods'];
  readonly stored: StoredSource;
}

/** Reads a source as if it were configured and nothing were remembered of it. Rejects only when it is stopped. */
export async function readRehearsed(source: Source, parts: RehearsalParts): Promise<RehearsedReading> {
  const { config, current, trial, clock, pace, signal, most } = parts;
  const stored = await current.registry.sources();
  const rules = { ...config, decisions: decisionsIn(await current.registry.source(LOCAL)) };
  // As at a start of the node: the pods that it has read itself.
  const read = stored.filter((one) => one.source.kind === 'pod' && one.record.lastSuccess !== undefined);
  const coverage = findPodAmong(read.map(({ source: { url } }) => url));
  const taken = { read: coverage, operator: documentRules(rules), isMirror: config.mode === 'mirror' };
  const polling = {
    ...{ registry: trial.registry, clock, pace, acceptsShrink: true },
    commit: (change: SourceChange) => trial.registry.commit(change),
    room: new Room({
      limits: { ...config.sync, maxComponents: Math.min(config.sync.maxComponents, most) },
      sources: async () => [],
      isConfigured: () => true,
    }),
    rules: ({ kind, url }: Source) => (kind === 'peer' ? { ...taken, peer: url } : undefined),
    plan: () => ({ due: clock.now(), notBefore: 0 }),
  };
  const { report } = await pollOnce(sourceReader(parts)(source, 'configured'), polling, signal);
  const nothing: StoredSource = { source, record: { failures: 0 }, documents: new Map() };
  const there = (await trial.registry.source(source)) ?? nothing;
  const { network } = await current.catalog.state();
  return {
    stored: there,
    error: report.error,
    introduces: await introducedBy(there, network, rules, pace),
    notTaken: new Counting(
      skippedIn(there.record).map((url) => ({ url, isDenied: coverage(url) === undefined })),
    ),
  };
}

/**
 * Whom the source would make known to a node that knows nobody else, but for those that this one knows, and
 * who is refused.
 */
async function introducedBy(
  { source, record }: StoredSource,
  known: NetworkLists,
  rules: OperatorRules & Config,
  pace: Pace,
): Promise<Rehearsal['introduces']> {
  const peers = source.kind === 'peer' ? [source] : [];
  const discover = createDiscovery({ ...rules, peers, pods: [] });
  const said = new Map([[source.url, record.introduced ?? NO_NETWORK]]);
  const { lists, refused } = await paced(discover(said), pace());
  const spellings = [source, ...known.peers, ...known.storage].map(({ url }) => sameBaseUrl(url));
  const isKnown = new Set(spellings);
  const gained = (list: readonly ListedAddress[]) => {
    const news = list.filter(({ url }) => !isKnown.has(sameBaseUrl(url)));
    return new Counting(news.map(({ url, hops }) => ({ url, hops })));
  };
  return { peers: gained(lists.peers), pods: gained(lists.storage), refused: refused.refusals };
}

/** The configuration with one source more, in the last place. */
export function withSource<C extends Pick<Config, 'peers' | 'pods'>>(config: C, { kind, url }: Source): C {
  const list = kind === 'peer' ? 'peers' : 'pods';
  if (config[list].some((entry) => sameBaseUrl(entry.url) === sameBaseUrl(url))) return config;
  return { ...config, [list]: [...config[list], { url }] };
}

/**
 * Tells a node from a pod by looking: a node answers at `/peers` with a JSON array of addresses. What does
 * not answer is taken for a pod, whose poll says why. Rejects only when it is stopped.
 */
export async function recognise(
  url: string,
  { fetch, clock, signal }: Pick<RehearsalParts, 'fetch' | 'clock' | 'signal'>,
): Promise<'peer' | 'pod'> {
  const { origin, pathname } = new URL(url);
  const peers = `${withoutTrailingSlashes(origin + pathname)}/peers`;
  const question = { url: peers, accept: 'application/json', before: {}, signal };
  const listed = await ask({ fetch, clock, trust: 'configured' }, question, async (answer) =>
    answer.status === 200 ? addressesFromJson(parseBoundedJson(await answer.text())) : undefined,
  );
  return listed instanceof Failed ? 'pod' : 'peer';
}
