import type { Catalog } from '../catalog/catalog.js';
import { LOCAL, type Source, sourceKey } from '../component/source.js';
import type { Config } from '../config.js';
import type { SourceRecord } from '../core/source-record.js';
import { KeepUnusable } from '../keep/faults.js';
import type { Keep, Lease } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import { checkQuads } from './check-quads.js';
import { MOST_AT_ONCE } from './difference.js';
import { type LoadParts, load } from './load.js';
import { tellLoss } from './losses.js';
import { createPins } from './pins.js';
import { createRegistry } from './registry.js';
import { RegistryData } from './registry-data.js';
import { isLater, type Serving, servingOf, showsTheSame } from './serving.js';
import { createReloads, settle } from './settle.js';
import { Writer, type WritingParts } from './writer.js';

/** What a registry runs with. */
export interface RegistryOptions {
  /** Statements that one commit changes at most; `MOST_AT_ONCE` when absent. */
  readonly mostAtOnce?: number;
  /** Do other nodes write to the same data? */
  readonly isShared?: boolean;
  /** Are quads stored beside the rows? They are when absent. */
  readonly isQuadstore?: boolean;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
  readonly onProgress?: ((read: number, of: number) => void) | undefined;
  /** Told before anything is written how many components have been posted; what it throws ends the start. */
  readonly refusePosted?: (posted: number) => void;
}

/** All sides of a registry on a keep, its data read, shown as this node is configured. */
export type OpenedRegistry = Awaited<ReturnType<typeof openRegistry>>;

/** Reads the registry as a configuration wants it. @param version of the software @throws KeepUnusable, StoreUnavailable */
export async function openConfiguredRegistry(
  keep: Keep,
  config: Config,
  { version, ...options }: RegistryOptions & { readonly version: string },
): Promise<OpenedRegistry> {
  // A mirror shows what its upstreams show; what was posted to a former node in its directory would be shown, too.
  const refusePosted = (posted: number) => {
    if (config.mode === 'mirror' && posted > 0)
      throw new KeepUnusable(
        `The data directory ${config.dataDir} holds ${posted} components that were posted to this node, ` +
          'and a mirror has none of its own: set another dataDir',
      );
  };
  return openRegistry(keep, servingOf(config, version), { ...options, refusePosted });
}

/** Reads it from a keep, and brings what is there up to date with how it is to be shown. @throws KeepUnusable, StoreUnavailable */
export async function openRegistry(keep: Keep, serving: Serving, options: RegistryOptions) {
  const { clock, pace, log, isShared = false, isQuadstore = true, mostAtOnce = MOST_AT_ONCE } = options;
  const read = async (serving: LoadParts['serving']) => {
    const loaded = await load({ ...options, keep, serving });
    for (const loss of loaded.losses) tellLoss(loss, log);
    return loaded;
  };
  const { contents, ...loaded } = await read((shown) => {
    // Where nothing is shown otherwise, nothing is stored: it is as if the node that stored it had gone on.
    const isOther = !shown || !showsTheSame(shown, serving);
    const startedAt = isOther ? Math.max(clock.now(), (shown?.startedAt ?? -1) + 1) : shown.startedAt;
    return { ...serving, startedAt };
  });
  const { summary, documents } = loaded.held.current(LOCAL);
  options.refusePosted?.(Math.max(summary?.count ?? 0, documents.get(LOCAL.url)?.components ?? 0));
  const data = new RegistryData(contents, loaded, pace, isShared ? () => writer.catchUp() : undefined);
  const stopping = new AbortController();
  const { signal } = stopping;
  const reloads = createReloads(
    (some, wanted) => settle(some, wanted, registry, { ...parts, isShared }),
    { clock, log },
    signal,
  );
  const reload = async () => {
    const former = data.now.serving;
    // A backup brings back how all was shown before.
    const wasShown = reloads.wanted() !== undefined || data.isShownAs(data.configured);
    const { contents, ...loaded } = await read((shown) => shown ?? data.configured);
    const wanted = wasShown && isLater(data.configured, loaded.shown) ? data.configured : undefined;
    data.replace(contents, loaded);
    const { baseUrl, order } = loaded.serving;
    const isOwn = wanted !== undefined || data.isShownAs(data.configured);
    const said = 'a node with another configuration was started; this one shows the same now';
    if (!isOwn && !data.isShownAs(former)) log.warn({ baseUrl, ...order }, said);
    reloads.add(loaded, wanted);
  };
  const given = { keep, isQuadstore, data, clock, pace, log };
  const writer = new Writer(given, reload);
  const parts = { ...given, writer };
  const close = async () => {
    stopping.abort(new Error('The registry is closed'));
    await running;
    await writer.idle(() => keep.close());
  };
  const registry = createRegistry(parts, { mostAtOnce, isShared }, close);
  const restored = await settle(loaded, loaded.serving, registry, { ...parts, isShared });
  const running = Promise.all([
    isShared ? writer.follow(signal) : undefined,
    isQuadstore ? checkQuads(parts, signal) : undefined,
  ]);
  const catalog: Catalog = data.catalog;
  return {
    ...{ registry, catalog, pins: createPins(parts) },
    /** The order of statements: that of the node that was started last on the same data. */
    precedence: () => data.now.held.precedence,
    /** What nodes tell one another that share the data; absent where it belongs to one node. */
    polls: isShared ? createPolls(parts) : undefined,
    /** Sources whose statements were not those that had been stored. */
    losses: loaded.losses,
    /** See `settle`. */
    restored,
    /** For those that change it past its sides: a repair, an import. */
    parts,
  };
}

export type SharedPolls = ReturnType<typeof createPolls>;

/** What nodes that share one registry tell one another, so that each source is polled by one of them at a time. */
function createPolls({ keep, data, writer }: Pick<WritingParts, 'keep' | 'data' | 'writer'>) {
  return {
    /**
     * Takes a source for one poll. `undefined` while another node has it: until its poll has ended, or the node has not been
     * heard of for a while. @throws when the registry cannot be asked
     */
    async take(source: Source): Promise<Lease | undefined> {
      const { epoch } = data.now.head;
      const lease = await keep.lease(sourceKey(source));
      try {
        if (lease) await writer.catchUp();
      } catch (error) {
        // It would be renewed for as long as this process lives, and nobody would poll the source.
        await lease?.release();
        throw error;
      }
      if (!lease || data.now.head.epoch === epoch) return lease;
      // Commits are lost, which ends all leases.
      await lease.release();
      return this.take(source);
    },

    /** Calls `listener` with what others have stored of a source, within a second. The function that is returned ends it. */
    watch: (listener: (source: Source, record: SourceRecord) => void) =>
      writer.watch(({ source, record }) => listener(source, record)),
  };
}
