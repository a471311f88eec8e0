import type { Catalog } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import { hasModule } from '../../component/capability.js';
import { isChanged, type PinSubject } from '../../component/pin.js';
import type { FailingModule } from '../../core/module-health.js';
import {
  afterLook,
  afterStatement,
  digestsOf,
  isPinNews,
  knowsBytesFor,
  type Look,
  pinOf,
  type StoredPin,
} from '../../core/pins.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { inParallel } from '../../lib/in-parallel.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { Pins } from '../../registry/pins.js';
import { stumbled } from '../wrong.js';
import { BackedOff, type Failed } from './backed-off.js';
import { filesNow, importGraph } from './import-graph.js';
import { ModuleFailure, moduleBytes } from './module-bytes.js';

/** In ms. */
export interface PinningTimes {
  /** Between two rounds, and before the first. */
  readonly round: number;
  /** Between two requests to one host. */
  readonly pause: number;
  /** Between two fetches of one module. */
  readonly check: number;
}

export interface PinRoundParts {
  /** Whose components: the node's own and those of configured sources, or all. */
  readonly scope: 'configured' | 'all';
  readonly catalog: Pick<Catalog, 'page' | 'state'>;
  readonly pins: Pins;
  readonly fetch: GuardedFetch;
  /** Reads what modules import. */
  readonly pool: TaskPool;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'debug' | 'info' | 'warn'>;
  readonly times: PinningTimes;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Short: strangers name modules, and one that fails must not hide the others of its host for long. */
const HOST_BACK_OFF = { first: MINUTE, longest: 10 * MINUTE };
const MODULE_BACK_OFF = { first: HOUR, longest: 24 * HOUR };
/** Components that one round looks at: 50 ms of work, and a registry of 100,000 is gone through in ten minutes. */
const PAGE = 5_000;
/** Hosts that are asked at once, one request each; and for how long one of them, in ms, before others get their turn. */
const HOSTS = 4;
const HOST_TURN = MINUTE;
/** Failures that are told. */
const TOLD = 20;

/** A served description whose module is to be fetched, and what is known of the module. */
interface Due {
  readonly served: Description;
  readonly known: StoredPin | undefined;
}

/** What is to be remembered of a module: after a look, or because something else is said of it. */
interface Seen extends PinSubject {
  readonly served: Description;
  readonly look?: Look | undefined;
  /** When the module had been looked at before, as this node knew when it began. */
  readonly knownAt: number | undefined;
}

/**
 * Fetches the modules of served descriptions that have no pin yet, or have not been looked at for long: conditionally, one
 * request at a time to a host, and what fails is left alone for a while. What others say of pins counts for nothing here.
 */
export class PinRound {
  readonly #parts: PinRoundParts;
  readonly #signal: AbortSignal;
  readonly #hosts: BackedOff;
  readonly #modules: BackedOff;
  #isDone = true;

  constructor(parts: PinRoundParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    const now = () => parts.clock.now();
    this.#hosts = new BackedOff(HOST_BACK_OFF, now);
    this.#modules = new BackedOff(MODULE_BACK_OFF, now);
  }

  /** The modules that could not be had lately, the latest first. */
  get failing(): readonly FailingModule[] {
    return this.#modules.latest(TOLD).map(([uri, failed]) => failingModule(uri, failed));
  }

  /** Whether and why the last tries at a module failed. */
  failureOf(uri: string): FailingModule | undefined {
    const failed = this.#modules.get(uri);
    return failed && failingModule(uri, failed);
  }

  /**
   * Looks at a part of the components, those whose uri is greater than `after`.
   * @returns the `after` of the next part, and whether no host has been left alone that has to be asked soon
   */
  async run(after?: string): Promise<{ readonly next: string | undefined; readonly isDone: boolean }> {
    const { catalog, scope } = this.#parts;
    const query = scope === 'all' ? {} : { trust: 'configured' as const };
    const page = await catalog.page(query, { limit: PAGE, after });
    this.#isDone = true;
    const due = new Map<string, Due[]>();
    for await (const some of page.descriptions()) await this.#choose(some, due);
    await inParallel(HOSTS, [...due], ([host, modules]) => this.#visit(host, modules));
    return { next: page.next, isDone: this.#isDone };
  }

  /** Adds, by host, whose modules are to be fetched. Those of the samples come with this software, and some have none. */
  async #choose(descriptions: readonly Description[], due: Map<string, Due[]>): Promise<void> {
    const { pins, clock, pace } = this.#parts;
    const breathe = pace();
    // What they say is looked at several times, and parsed each time otherwise.
    const all = descriptions
      .filter(({ source }) => source.kind !== 'sample')
      .map(withMetadata)
      .filter(({ metadata }) => hasModule(metadata.capability));
    const pinned = await pins.get(all.map(({ metadata }) => metadata));
    const restated: Seen[] = [];
    for (const [i, served] of all.entries()) {
      await breathe();
      const known = pinned[i];
      if (known && afterStatement(known, served, clock.now()) !== known)
        restated.push(seen({ served, known }));
      if (!this.#isDue({ served, known })) continue;
      const { host } = new URL(served.metadata.uri);
      const others = due.get(host) ?? [];
      others.push({ served, known });
      due.set(host, others);
    }
    await this.#remember(restated);
  }

  #isDue({ served, known }: Due): boolean {
    const { clock, times } = this.#parts;
    const isRecent = known && elapsed(known.checked, clock.now()) < times.check;
    if ((isRecent && pinOf(known, served)) || this.#modules.isWaiting(served.metadata.uri)) return false;
    const isWaiting = this.#hosts.isWaiting(new URL(served.metadata.uri).host);
    if (isWaiting) this.#isDone = false;
    return !isWaiting;
  }

  /** Fetches modules of one host, one after the other. */
  async #visit(host: string, due: readonly Due[]): Promise<void> {
    const { clock, times } = this.#parts;
    const began = clock.now();
    const looks: Seen[] = [];
    for (const one of due) {
      const isOver = elapsed(began, clock.now()) > HOST_TURN || this.#hosts.isWaiting(host);
      if (isOver) this.#isDone = false;
      if (isOver || this.#signal.aborted) break;
      const look = await this.#look(host, one);
      if (look) looks.push(seen(one, look));
      await clock.sleep(times.pause, this.#signal).catch(() => undefined);
    }
    await this.#remember(looks);
  }

  /** Undefined when the module cannot be had. */
  async #look(host: string, { served, known }: Due): Promise<Look | undefined> {
    const { fetch, clock, pool } = this.#parts;
    const { uri, version } = served.metadata;
    const parts = { fetch, clock, pool, signal: this.#signal };
    try {
      const conditions = known && knowsBytesFor(known, served) ? known : {};
      const answer = await moduleBytes(uri, conditions, parts);
      this.#hosts.succeeded(host);
      this.#modules.succeeded(uri);
      const look = { uri, version, statement: served, at: clock.now() };
      if ('unchanged' in answer) {
        return (
          known && {
            ...look,
            bytes: known.last,
            size: known.size,
            imports: known.files && { files: await filesNow(known.files, parts) },
            validators: { etag: known.etag, lastModified: known.lastModified },
          }
        );
      }
      const imports = await importGraph(uri, answer.bytes, parts);
      return {
        ...look,
        bytes: await digestsOf(answer.bytes, served.metadata),
        size: answer.bytes.length,
        imports,
        // Without the time to look at its imports now, it is fetched again.
        validators: imports ? answer.validators : {},
      };
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      const { message, ofHost } = error instanceof ModuleFailure ? error : this.#stumbled(uri, error);
      this.#modules.failed(uri, message);
      if (ofHost) this.#hosts.failed(host, message);
      return undefined;
    }
  }

  /** A fault of this node fails the module alone that it was met with. */
  #stumbled(uri: string, error: unknown): ModuleFailure {
    this.#parts.log.warn({ component: uri, err: error }, 'this node stumbled over a module');
    return new ModuleFailure(stumbled(error), false, error);
  }

  async #remember(all: readonly Seen[]): Promise<void> {
    if (all.length === 0) return;
    const { pins, clock } = this.#parts;
    const changes = new Map<Seen, readonly [before: StoredPin | undefined, after: StoredPin | undefined]>();
    await pins.change(all, (one, known) => {
      const after = decided(one, known, clock.now());
      changes.set(one, [known, after]);
      return after;
    });
    for (const [{ served }, [before, after]] of changes) this.#tell(served, before, after);
  }

  /** Says that a module has changed, or is again what it was. */
  #tell(served: Description, before: StoredPin | undefined, after: StoredPin | undefined): void {
    if (!isPinNews(before, after, served)) return;
    const { log } = this.#parts;
    const is = pinOf(after, served);
    const fields = { component: served.metadata.uri, version: served.metadata.version, ...is };
    if (isChanged(is))
      log.warn(fields, 'the bytes of a module have changed under the same version; hosts do not run them');
    else log.info(fields, 'the bytes of a module are again what they were');
  }
}

function failingModule(uri: string, { error, at, failures }: Failed): FailingModule {
  return { uri, error, at, failures };
}

function seen({ served, known }: Due, look?: Look): Seen {
  const { uri, version } = served.metadata;
  return { uri, version, served, look, knownAt: known?.checked };
}

function decided({ served, look, knownAt }: Seen, known: StoredPin | undefined, now: number) {
  if (!look) return known && afterStatement(known, served, now);
  // Where nodes share the registry, another one may have looked while this one was paused: its look is the later one.
  return known && known.checked !== knownAt ? known : afterLook(known, look);
}
