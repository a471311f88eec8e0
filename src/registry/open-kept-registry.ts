import { ComponentCatalog } from '../catalog/component-catalog.js';
import { NO_FEED } from '../catalog/feed.js';
import { LOCAL, sameSource } from '../component/source.js';
import { createVocabulary } from '../component/vocabulary.js';
import { NO_NETWORK } from '../core/network-lists.js';
import type { Keep } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import { adjustment, following, recovery, refuseOtherSchema, showsTheSame, tellLoss } from './adjust.js';
import type { Meta, Serving } from './commit-contents.js';
import { MOST_AT_ONCE } from './difference.js';
import { KeptPins } from './kept-pins.js';
import { keptPolls } from './kept-polls.js';
import { KeptRegistry } from './kept-registry.js';
import { type Loaded, type LoadParts, type Loss, load } from './load.js';
import type { QuadWriting } from './numbering.js';
import { Presentation, type PresentationOptions } from './presentation.js';
import { checkQuads, type QuadCheckParts, restorePosted } from './quad-check.js';
import type { OpenRegistry } from './registry.js';
import { RegistryData } from './registry-data.js';
import { rewriteQuads } from './rewrite-quads.js';
import { SCHEMA } from './rows.js';
import type { SharedPolls } from './shared-polls.js';
import { Writer } from './writer.js';

/** How a node shows what is stored, and what it runs with. */
export interface KeptRegistryOptions extends PresentationOptions {
  /** Whatever else decides what answers look like: another one moves the revision. */
  readonly servedAs: string;
  /** Statements that one commit changes at most; `MOST_AT_ONCE` when absent. */
  readonly mostAtOnce?: number;
  /** Are quads compared with rows while the node runs? */
  readonly checksQuads?: boolean;
  /** Do other nodes write to the same data? */
  readonly isShared?: boolean;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
  readonly onProgress?: ((read: number, of: number) => void) | undefined;
}

/** A registry on a keep, its data read, shown as this node is configured. */
export interface KeptOpen extends OpenRegistry {
  /** What nodes tell one another that share the data; absent where it belongs to one node. */
  readonly polls: SharedPolls | undefined;
  /** Sources whose statements were not those that had been stored. */
  readonly losses: readonly Loss[];
  /** What quads are compared with rows by. */
  readonly checking: QuadCheckParts;
}

/**
 * Reads the registry from a keep, and brings what is there up to date with the configuration.
 * @throws KeepUnusable, KeepUnavailable
 */
export async function openKeptRegistry(keep: Keep, options: KeptRegistryOptions): Promise<KeptOpen> {
  const { clock, pace, log, isShared = false, mostAtOnce = MOST_AT_ONCE } = options;
  const shown = new Presentation(options);
  const read = (showing: LoadParts['showing']) => load({ ...options, keep, showing });
  const first = await read(() => shown);
  refuseOtherSchema(first);
  const own = following(first.serving, ownServing(options));
  const data = dataOf(first, own, options);
  const reload = async () => {
    const loaded = await read((stored) => shown.follow(stored));
    data.catalog.load(loaded.contents);
    data.replace({ ...loaded, meta: loaded.meta ?? data.meta, serving: loaded.serving ?? own });
  };
  const precedence = () => shown.precedence;
  const stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const reloadOther = async () => {
    const wasOwn = showsTheSame(data.serving, own);
    const { epoch } = data.head;
    await reload();
    // Of the same epoch is what another node has told since.
    const isLost = data.head.epoch !== epoch && wasOwn && !showsTheSame(data.serving, own);
    if (isLost) running = Promise.all([running, tellAgain()]);
  };
  const isShown = (serving: Serving) => shown.is(serving);
  const writer = new Writer({ keep, data, reload, reloadOther, isShown, clock, pace, log });
  // The latest start of a node counts; a database that has lost it is told again how that node is configured.
  const tellAgain = async () => {
    const parts = { precedence: new Presentation(options).precedence, clock, isNew: false };
    const draft = async () => adjustment(data, following(data.serving, own), parts);
    while (!stopping.signal.aborted) {
      try {
        await writer.write(draft);
        return;
      } catch (error) {
        log.warn(
          { error: explain(error) },
          'the configuration of this node could not be stored; it is tried again',
        );
        await clock.sleep(FOLLOW_AGAIN, stopping.signal).catch(() => undefined);
      }
    }
  };
  const isNew = first.meta === undefined;
  await writer.write(async () => adjustment(data, own, { precedence: precedence(), clock, isNew }));
  for (const loss of first.losses) {
    tellLoss(loss, log);
    const parts = { precedence: precedence(), clock, breathe: pace() };
    await writer.write(() => recovery(data, loss, parts));
  }
  const quads = () => (keep.holdsQuads ? quadWriting(data.serving, shown) : undefined);
  const registry = new KeptRegistry({
    ...{ data, writer, precedence, quads, mostAtOnce, clock, pace },
    beforeClose: async () => {
      stopping.abort(new Error('The registry is closed'));
      await running;
    },
    close: () => keep.close(),
  });
  const checking = { keep, data, writer, quads, clock, pace, log };
  if (first.losses.some(({ source }) => sameSource(source, LOCAL))) {
    const restored = await restorePosted(checking, registry);
    if (restored > 0)
      log.warn({ restored }, 'components that were posted to this node have been restored from their quads');
  }
  running = Promise.all([
    running,
    isShared ? follow(writer, stopping.signal, options) : undefined,
    rewriteQuads(checking, stopping.signal),
    options.checksQuads && keep.holdsQuads ? checkQuads(checking, stopping.signal) : undefined,
  ]);
  const pins = new KeptPins({ data, writer, clock, pace });
  const polls = isShared ? keptPolls(keep, data, writer) : undefined;
  return { registry, catalog: data.catalog, pins, polls, losses: first.losses, checking };
}

function ownServing({ baseUrl, vocabulary, servedAs, order }: KeptRegistryOptions): Omit<Serving, 'former'> {
  return { baseUrl, namespace: vocabulary.namespace, servedAs, order };
}

function quadWriting({ former }: Serving, { naming }: Presentation): QuadWriting {
  return { vocabulary: naming.vocabulary, former: former.map((namespace) => createVocabulary(namespace)) };
}

/** What a start has read; nothing has been written in a new keep. */
function dataOf(loaded: Loaded, own: Serving, options: KeptRegistryOptions): RegistryData {
  const { clock, pace } = options;
  const stored = loaded.meta ?? newMeta(clock.now());
  // After a repair the row may be lost, or an earlier one.
  const meta = { ...stored, position: Math.max(stored.position, loaded.last) };
  const { epoch } = loaded.head;
  const catalog = new ComponentCatalog({ baseUrl: options.baseUrl, vocabulary: options.vocabulary }, pace, {
    revision: { epoch, ...meta.revision },
    networkRevision: { epoch, ...meta.networkRevision },
    feed: NO_FEED,
    network: NO_NETWORK,
  });
  catalog.load(loaded.contents);
  const data = new RegistryData(catalog, { ...loaded, meta, serving: loaded.serving ?? own }, pace);
  data.show();
  return data;
}

function newMeta(now: number): Meta {
  const never = { number: 0, since: now };
  return { schema: SCHEMA, revision: never, networkRevision: never, position: 0, floor: 0, at: 0, purged: 0 };
}

async function follow(
  writer: Writer,
  signal: AbortSignal,
  { log, clock }: KeptRegistryOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await writer.follow(signal);
    } catch (error) {
      log.warn(
        { error: explain(error) },
        'what other nodes have written could not be read; it is tried again',
      );
      await clock.sleep(FOLLOW_AGAIN, signal).catch(() => undefined);
    }
  }
}

/** Ms until it is tried again to follow what others write. */
const FOLLOW_AGAIN = 5_000;
