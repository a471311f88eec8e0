import type { Description } from '../catalog/description.js';
import type { Source } from '../component/source.js';
import { sameBaseUrl } from '../config/url.js';
import { type Config, privatePodsIn } from '../config.js';
import { NO_NETWORK } from '../core/network-lists.js';
import { Counting, effectsOf, type Rehearsal } from '../explain/rehearsal.js';
import { sourceStatuses } from '../explain/source-status.js';
import { MemoryData, openMemory } from '../keep/memory/memory-keep.js';
import { InvalidInput } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import { type OpenedRegistry, openRegistry } from '../registry/open-registry.js';
import { servingOf } from '../registry/serving.js';
import {
  type RehearsalParts,
  type RehearsedReading,
  readRehearsed,
  recognise,
  withSource,
} from '../sync/rehearsal.js';
import { unique } from './store-place.js';

interface RehearseParts extends Omit<RehearsalParts, 'current' | 'trial' | 'signal' | 'most' | 'epoch'> {
  readonly config: Config;
  /** What the node has. It is only read. */
  readonly current: Pick<OpenedRegistry, 'catalog'> & RehearsalParts['current'];
  readonly log: LogTo<'warn' | 'error'>;
}

export interface RehearseOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Components that are looked at, unless the node would keep fewer of the source. */
  readonly most: number;
}

/**
 * Reads a pod or a peer as a poll would, stores nothing of it, and tells what trusting it would lead to (design, section 15). Nothing
 * changes in the node, nor is anything remembered. Rejects when it is stopped.
 * @throws InvalidInput for an address that cannot be read
 */
export async function rehearse(
  url: string,
  parts: RehearseParts,
  { signal, most }: RehearseOptions,
): Promise<Rehearsal> {
  const { config, current } = parts;
  if (sameBaseUrl(url) === sameBaseUrl(config.baseUrl))
    throw new InvalidInput(`${url} is this node itself`, []);
  const { source, known } = await sourceAt(url, parts, signal);
  if (source.kind === 'pod' && config.mode === 'mirror')
    throw new InvalidInput(`${url} is a pod, and a mirror reads only nodes`, []);
  const trial = await emptyRegistry(source, parts);
  try {
    const epoch = async () => (await current.catalog.state()).revision.epoch;
    const reading = await readRehearsed(source, { ...parts, trial, epoch, signal, most });
    return { ...(await rehearsalOf(reading, trial, parts, most)), known };
  } finally {
    await trial.registry.close();
  }
}

/** A registry of a node that trusts the source, which has read nothing yet: in memory, and gone with the rehearsal. */
async function emptyRegistry(
  source: Source,
  { config, clock, pace, log }: RehearseParts,
): Promise<OpenedRegistry> {
  const place = openMemory(new MemoryData({ clock, unique }), { clock });
  const presentation = servingOf(withSource(config, source), '');
  return openRegistry(await place.keep('registry'), presentation, { clock, pace, log });
}

/** What the node knows already is what its lists say, in their spelling. */
async function sourceAt(
  url: string,
  { config, current, fetch, clock }: RehearseParts,
  signal: AbortSignal,
): Promise<Pick<Rehearsal, 'known'> & { readonly source: Source }> {
  const { peers, storage } = (await current.catalog.state()).network;
  const lists = [
    { kind: 'peer', known: 'configured', entries: config.peers },
    { kind: 'peer', known: 'learned', entries: peers },
    { kind: 'pod', known: 'configured', entries: config.pods },
    { kind: 'pod', known: 'learned', entries: storage },
  ] as const;
  for (const { kind, known, entries } of lists) {
    const found = entries.find((entry) => sameBaseUrl(entry.url) === sameBaseUrl(url));
    if (found) return { source: { kind, url: found.url }, known };
  }
  return { source: { kind: await recognise(url, { fetch, clock, signal }), url } };
}

async function rehearsalOf(
  { stored, notTaken, ...reading }: RehearsedReading,
  { catalog, precedence }: OpenedRegistry,
  { config, current, pace }: RehearseParts,
  most: number,
): Promise<Omit<Rehearsal, 'known'>> {
  const { source } = stored;
  const [status] = sourceStatuses([stored], NO_NETWORK, precedence(), [source]);
  const isCut = most < config.sync.maxComponents && status?.omitted !== undefined;
  const rehearsed = each((await catalog.page({})).descriptions());
  return {
    url: source.url,
    kind: source.kind === 'peer' ? 'peer' : 'pod',
    ...(source.kind === 'pod' && privatePodsIn(config).includes(source.url) ? { private: true } : {}),
    components: status?.components ?? 0,
    documents: status?.documents ?? 0,
    effects: await effectsOf({ source, rehearsed, current: current.catalog, pace }),
    refuses: {
      invalid: new Counting(status?.invalid),
      documents: new Counting(status?.failing.map(({ url, error }) => ({ url, error }))),
      omitted: status?.omitted,
      pods: notTaken,
    },
    ...reading,
    lookedAt: isCut ? most : undefined,
  };
}

async function* each(pieces: AsyncIterable<readonly Description[]>): AsyncGenerator<Description> {
  for await (const piece of pieces) yield* piece;
}
