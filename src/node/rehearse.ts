import type { Source } from '../component/source.js';
import { sameBaseUrl } from '../config/url.js';
import { type Config, privatePodsIn } from '../config.js';
import { NO_NETWORK } from '../core/network-lists.js';
import { type Precedence, precedenceOf } from '../core/precedence.js';
import { effectsOf } from '../explain/effects.js';
import { Counting, type Rehearsal } from '../explain/rehearsal.js';
import { sourceStatuses } from '../explain/source-status.js';
import { MemoryData, openMemory } from '../keep/memory/memory-keep.js';
import type { Random } from '../lib/clock.js';
import { InvalidInput } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import { configuredOrder } from '../registry/configured-registry.js';
import { openRegistry } from '../registry/open-registry.js';
import type { OpenRegistry } from '../registry/registry.js';
import { recognise } from '../sync/recognise.js';
import { type RehearsalParts, readRehearsed, withSource } from '../sync/rehearsal.js';

export interface RehearseParts
  extends Omit<RehearsalParts, 'scratch' | 'current' | 'signal' | 'most' | 'epoch'> {
  readonly config: Config;
  /** What the node has. It is only read. */
  readonly current: Pick<OpenRegistry, 'catalog'> & RehearsalParts['current'];
  readonly random: Random;
  readonly log: LogTo<'warn' | 'error'>;
}

export interface RehearseOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Components that are looked at, unless the node would keep fewer of the source. */
  readonly most: number;
}

/**
 * Reads a pod or a peer into a registry in memory, and tells what trusting it would lead to (design, section 15). Nothing
 * changes in the node, nor is anything remembered. Rejects when it is stopped.
 * @throws InvalidInput for an address that cannot be read
 */
export async function rehearse(
  url: string,
  parts: RehearseParts,
  { signal, most }: RehearseOptions,
): Promise<Rehearsal> {
  const { config } = parts;
  if (sameBaseUrl(url) === sameBaseUrl(config.baseUrl))
    throw new InvalidInput(`${url} is this node itself`, []);
  const source = await sourceAt(url, parts, signal);
  if (source.kind === 'pod' && config.mode === 'mirror')
    throw new InvalidInput(`${url} is a pod, and a mirror reads only nodes`, []);
  const scratch = await openScratch(withSource(config, source), parts);
  try {
    const epoch = async () => (await parts.current.catalog.state()).revision.epoch;
    const reader = { ...parts, epoch, scratch, signal, most };
    const { notTaken, ...reading } = await readRehearsed(source, reader);
    const { refuses, ...rehearsal } = await rehearsalOf(source, scratch, parts);
    const isCut = most < config.sync.maxComponents && refuses.omitted !== undefined;
    return {
      ...rehearsal,
      refuses: { ...refuses, pods: notTaken },
      ...reading,
      lookedAt: isCut ? most : undefined,
    };
  } finally {
    await scratch.registry.close();
  }
}

/** What the node knows already is what its lists say, in their spelling. */
async function sourceAt(
  url: string,
  { config, current, fetch }: RehearseParts,
  signal: AbortSignal,
): Promise<Source> {
  const { peers, storage } = await current.catalog.network();
  const known = (entries: readonly { readonly url: string }[]) =>
    entries.find((entry) => sameBaseUrl(entry.url) === sameBaseUrl(url));
  const peer = known([...config.peers, ...peers]);
  if (peer) return { kind: 'peer', url: peer.url };
  const pod = known([...config.pods, ...storage]);
  return pod ? { kind: 'pod', url: pod.url } : { kind: await recognise(url, fetch, signal), url };
}

async function openScratch(
  config: Config,
  { vocabulary, clock, random, pace, log }: RehearseParts,
): Promise<OpenRegistry> {
  const unique = () => Math.floor(random() * 2 ** 52).toString(36);
  const place = openMemory(new MemoryData({ clock, unique }), { clock });
  return openRegistry(await place.keep('registry'), {
    ...{ vocabulary, clock, pace, log },
    baseUrl: config.baseUrl,
    order: configuredOrder(config),
    servedAs: 'rehearsal',
  });
}

/** The order of statements under a configuration. */
export function precedenceIn(config: Pick<Config, 'pods' | 'peers'>): Precedence {
  return precedenceOf(configuredOrder(config));
}

async function rehearsalOf(
  source: Source,
  scratch: OpenRegistry,
  { config, current, pace }: RehearseParts,
): Promise<Omit<Rehearsal, 'introduces' | 'refuses'> & { refuses: Omit<Rehearsal['refuses'], 'pods'> }> {
  const precedence = precedenceIn(withSource(config, source));
  const compared = { rehearsed: scratch.catalog, current: current.catalog, pace };
  const stored = await scratch.registry.source(source);
  const [status] = sourceStatuses(stored ? [stored] : [], NO_NETWORK, precedence, [source]);
  return {
    url: source.url,
    kind: source.kind === 'peer' ? 'peer' : 'pod',
    ...(source.kind === 'pod' && privatePodsIn(config).includes(source.url) ? { private: true } : {}),
    components: status?.components ?? 0,
    documents: status?.documents ?? 0,
    effects: await effectsOf({ source, ...compared }),
    refuses: {
      invalid: new Counting(status?.invalid),
      documents: new Counting(status?.failing.map(({ url, error }) => ({ url, error }))),
      omitted: status?.omitted,
    },
  };
}
