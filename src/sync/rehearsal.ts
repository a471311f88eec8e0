import type { Catalog } from '../catalog/catalog.js';
import type { ListedAddress } from '../component/network-list.js';
import { LOCAL, type Source } from '../component/source.js';
import { sameBaseUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { discovererFor } from '../core/discoverer.js';
import { findPodAmong } from '../core/find-pod.js';
import { type NetworkLists, NO_NETWORK } from '../core/network-lists.js';
import { addressRules, documentRules, type OperatorRules } from '../core/operator-rules.js';
import type { ShownRefusals } from '../core/refusal.js';
import type { StoredSource } from '../core/source-record.js';
import { type RefusalReason, type StatementRules, takeAddress } from '../core/take.js';
import { Counting, type Rehearsal } from '../explain/rehearsal.js';
import type { Pace } from '../lib/pace.js';
import type { Registry } from '../registry/registry.js';
import { Collected } from './collected.js';
import { decisionsIn } from './discovery/decisions.js';
import { pollOnce } from './poll.js';
import { type SourceReaderParts, sourceReader } from './readers.js';
import { Room } from './room.js';

export interface RehearsalParts extends SourceReaderParts {
  readonly pace: Pace;
  readonly config: Config;
  /** What the node has. It is only read. */
  readonly current: {
    readonly registry: Pick<Registry, 'source' | 'sources'>;
    readonly catalog: Pick<Catalog, 'network' | 'statements' | 'changes'>;
  };
  readonly signal: AbortSignal;
  /** Components that are looked at, unless the node would keep fewer of a source. */
  readonly most: number;
}

/** Whether a source can be read, and what follows from what it says for the network. */
export interface RehearsedReading extends Pick<Rehearsal, 'known' | 'error' | 'asLearned' | 'introduces'> {
  readonly notTaken: Rehearsal['refuses']['pods'];
}

/**
 * Reads a source once, as the node would if it were configured: with the same guards and limits, but with nothing that the
 * node remembers of it. Rejects only when it is stopped.
 */
export async function readRehearsed(
  source: Source,
  parts: RehearsalParts,
): Promise<{ readonly reading: RehearsedReading; readonly collected: Collected }> {
  const { config, current } = parts;
  const stored = await current.registry.sources();
  const rules = await rulesOf(parts);
  // As at a start of the node: the pods that it has read itself.
  const read = stored.filter((one) => one.source.kind === 'pod' && one.record.lastSuccess !== undefined);
  const coverage = findPodAmong(read.map(({ source: { url } }) => url));
  const collected = new Collected(source);
  const error = await pollInto(collected, { read: coverage, operator: documentRules(rules) }, parts);
  const asLearned = takeAddress({ url: source.url, via: [] }, addressRules(rules));
  const { skipped = [] } = collected.stored.record;
  const reading = {
    known: knownAs(source, config, await current.catalog.network()),
    error,
    asLearned: asLearned === 'taken' ? undefined : asLearned,
    introduces: await introducedBy(collected.stored, stored, rules, parts),
    notTaken: new Counting(skipped.map((url) => ({ url, isDenied: coverage(url) === undefined }))),
  };
  return { reading, collected };
}

/** Why it could not be read, or not all of it. */
async function pollInto(
  collected: Collected,
  taken: StatementRules,
  parts: RehearsalParts,
): Promise<string | undefined> {
  const { config, current, clock, pace, signal, most } = parts;
  const { source } = collected.stored;
  const room = new Room({ ...config.sync, maxComponents: Math.min(config.sync.maxComponents, most) });
  const reader = sourceReader(parts);
  const isMirror = config.mode === 'mirror';
  const outcome = await pollOnce(
    reader(source, 'configured'),
    {
      registry: collected,
      catalog: current.catalog,
      rules: ({ kind, url }) => (kind === 'peer' ? { ...taken, peer: url, isMirror } : undefined),
      plan: () => clock.now(),
      acceptsShrink: true,
      ...{ room, clock, pace },
    },
    signal,
  );
  return outcome.report.error;
}

/** The rules of what is learned, with what the operator has decided until now. */
async function rulesOf({ config, current }: RehearsalParts): Promise<OperatorRules & Config> {
  const decisions = decisionsIn(await current.registry.source(LOCAL));
  return { ...config, decisions };
}

function knownAs(
  { kind, url }: Source,
  config: Config,
  { peers, storage }: NetworkLists,
): Rehearsal['known'] {
  const isIt = (entry: { readonly url: string }) => sameBaseUrl(entry.url) === sameBaseUrl(url);
  if ((kind === 'peer' ? config.peers : config.pods).some(isIt)) return 'configured';
  return (kind === 'peer' ? peers : storage).some(isIt) ? 'learned' : undefined;
}

/** What the lists of the node would gain, and what of the source's lists it would refuse. */
async function introducedBy(
  { source, record }: StoredSource,
  stored: readonly StoredSource[],
  rules: OperatorRules & Config,
  { pace }: RehearsalParts,
): Promise<Rehearsal['introduces']> {
  const peers = stored.filter(({ source: { kind } }) => kind === 'peer');
  const said = new Map(peers.map((peer) => [peer.source.url, peer.record.introduced ?? NO_NETWORK]));
  const before = await discovererFor(rules, pace)(said);
  const withIt = withSource(rules, source);
  if (source.kind === 'peer') said.set(source.url, record.introduced ?? NO_NETWORK);
  const after = await discovererFor(withIt, pace)(said);
  const gained = (list: keyof NetworkLists) =>
    new Counting(newOnes(before.lists[list], after.lists[list], source));
  return {
    peers: gained('peers'),
    pods: gained('storage'),
    refused: newRefusals(before.refusals, after.refusals, source),
  };
}

/** The configuration with one source more, in the last place. */
export function withSource<C extends Pick<Config, 'peers' | 'pods'>>(config: C, { kind, url }: Source): C {
  const list = kind === 'peer' ? 'peers' : 'pods';
  if (config[list].some((entry) => sameBaseUrl(entry.url) === sameBaseUrl(url))) return config;
  return { ...config, [list]: [...config[list], { url }] };
}

function* newOnes(
  before: readonly ListedAddress[],
  after: readonly ListedAddress[],
  source: Source,
): Generator<{ url: string; hops: number }> {
  const known = new Set(before.map(({ url }) => sameBaseUrl(url)));
  known.add(sameBaseUrl(source.url));
  for (const { url, hops } of after) if (!known.has(sameBaseUrl(url))) yield { url, hops };
}

function newRefusals(before: ShownRefusals, after: ShownRefusals, { url }: Source): ShownRefusals {
  const counts = Object.entries(after.counts).flatMap(([reason, count]) => {
    const more = count - (before.counts[reason as RefusalReason] ?? 0);
    return more > 0 ? [[reason, more] as const] : [];
  });
  return {
    counts: Object.fromEntries(counts),
    examples: after.examples.filter(({ via }) => sameBaseUrl(via) === sameBaseUrl(url)),
  };
}
