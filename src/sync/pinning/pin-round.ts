import { type Catalog, descriptionsOf } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import { hasModule } from '../../component/capability.js';
import { isChanged, type Pin, pinKey } from '../../component/pin.js';
import type { FailingModule } from '../../core/module-health.js';
import {
  afterLook,
  afterStatement,
  digestsOf,
  knowsBytesFor,
  type Look,
  pinOf,
  type StoredPin,
} from '../../core/pins.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { inParallel } from '../../lib/in-parallel.js';
import type { LogTo } from '../../lib/log.js';
import type { Breather, Pace } from '../../lib/pace.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { Pins } from '../../registry/pins.js';
import { BackedOff } from './backed-off.js';
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
  readonly catalog: Pick<Catalog, 'page' | 'state' | 'changes' | 'statements'>;
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
/** Components that are looked at at a time. */
const PAGE = 500;
/** Hosts that are asked at once, one request each; and for how long one of them, in ms, before others get their turn. */
const HOSTS = 4;
const HOST_TURN = MINUTE;
/** Failures that are told. */
const TOLD = 20;
/** Modules that are remembered to be looked at when their host may be asked again; others, when all are looked at. */
const HIDDEN = 10_000;

/** A served description whose module is to be fetched, and what is known of the module. */
interface Due {
  readonly served: Description;
  readonly known: StoredPin | undefined;
}

/** `knownAt`: when the module had been looked at before, as this node knew when it began. */
interface TimedLook extends Look {
  readonly statement: Description;
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
  /** Modules that were not looked at because their host had failed, and that host. */
  readonly #hidden = new Map<string, string>();
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
    return this.#modules.latest(TOLD).map(([uri, { error, at, failures }]) => ({ uri, error, at, failures }));
  }

  /** Whether and why the last tries at a module failed. */
  failureOf(uri: string): FailingModule | undefined {
    const failed = this.#modules.get(uri);
    return failed && { uri, error: failed.error, at: failed.at, failures: failed.failures };
  }

  /** Modules that were not looked at, and whose host may be asked by now. */
  get waiting(): readonly string[] {
    return [...this.#hidden].filter(([, host]) => !this.#hosts.isWaiting(host)).map(([uri]) => uri);
  }

  /** Looks at all components. @returns false when a host had more than there was time for */
  async run(): Promise<boolean> {
    const { catalog, scope, pace } = this.#parts;
    const query = scope === 'all' ? {} : { trust: 'configured' as const };
    this.#isDone = true;
    const breathe = pace();
    for (let after: string | undefined; ; ) {
      const page = await catalog.page(query, { limit: PAGE, after });
      const served: Description[] = [];
      for (const one of await descriptionsOf(page)) {
        // What they say is looked at several times, and parsed each time otherwise.
        served.push(withMetadata(one));
        await breathe();
      }
      await this.#fetch(await this.#due(served, breathe));
      after = page.next;
      if (this.#signal.aborted || after === undefined) return this.#isDone;
    }
  }

  /**
   * Looks at those components of which something has been said or taken back since a position: a node of 100,000 would work
   * for half a second every half minute otherwise. And at those that wait no longer. At all of them where that is as much.
   * @returns the same
   */
  async runSince(position: number): Promise<boolean> {
    const { catalog, scope, pace } = this.#parts;
    const told = await catalog.changes({ after: position, removals: true, limit: PAGE });
    if ('unknown' in told || told.next !== undefined) return this.run();
    this.#isDone = true;
    const breathe = pace();
    const served: Description[] = [];
    const uris = new Set([...told.changes.map(({ uri }) => uri), ...this.waiting.slice(0, PAGE)]);
    for (const uri of uris) {
      this.#hidden.delete(uri);
      const [first] = await catalog.statements(uri);
      if (first && (scope === 'all' || first.trust !== 'learned')) served.push(withMetadata(first));
      await breathe();
    }
    await this.#fetch(await this.#due(served, breathe));
    return this.#isDone;
  }

  /** By host. The modules of the samples come with this software, and applications that are opened by links have none. */
  async #due(descriptions: readonly Description[], breathe: Breather): Promise<Map<string, Due[]>> {
    const { pins, clock, times } = this.#parts;
    const all = descriptions.filter(
      ({ source, metadata }) => source.kind !== 'sample' && hasModule(metadata.capability),
    );
    const pinned = await pins.get(all.map(({ metadata }) => metadata));
    const due = new Map<string, Due[]>();
    const restated: Due[] = [];
    for (const [i, served] of all.entries()) {
      await breathe();
      const known = pinned[i];
      if (known && afterStatement(known, served, clock.now()) !== known) restated.push({ served, known });
      const isRecent = known && elapsed(known.checked, clock.now()) < times.check;
      if (isRecent && pinOf(known, served)) continue;
      const { uri } = served.metadata;
      const { host } = new URL(uri);
      if (this.#modules.isWaiting(uri)) continue;
      if (this.#hosts.isWaiting(host)) {
        this.#hide(uri, host);
        continue;
      }
      this.#hidden.delete(uri);
      const others = due.get(host) ?? [];
      others.push({ served, known });
      due.set(host, others);
    }
    if (restated.length > 0) await this.#restate(restated);
    return due;
  }

  /** Notes, and tells, that a description promises other bytes than those that were seen, or these again: nobody has to look for that. */
  async #restate(restated: readonly Due[]): Promise<void> {
    const { pins, clock } = this.#parts;
    const subjects = restated.map(({ served }) => ({
      uri: served.metadata.uri,
      version: served.metadata.version,
      statement: served,
    }));
    const changed = new Map<string, (typeof subjects)[number]>();
    await pins.change(subjects, (subject, known) => {
      const after = known && afterStatement(known, subject.statement, clock.now());
      if (after === known) changed.delete(pinKey(subject));
      else changed.set(pinKey(subject), subject);
      return after;
    });
    const now = await pins.get([...changed.values()]);
    for (const [i, { statement }] of [...changed.values()].entries())
      this.#log(statement, pinOf(now[i], statement));
  }

  async #fetch(due: ReadonlyMap<string, Due[]>): Promise<void> {
    await inParallel(HOSTS, [...due], ([host, modules]) => this.#visit(host, modules));
  }

  /** Fetches modules of one host, one after the other. */
  async #visit(host: string, due: readonly Due[]): Promise<void> {
    const { clock, times } = this.#parts;
    const began = clock.now();
    const looks: TimedLook[] = [];
    for (const [i, one] of due.entries()) {
      const isOver = elapsed(began, clock.now()) > HOST_TURN;
      if (isOver) this.#isDone = false;
      if (this.#signal.aborted || isOver) break;
      if (this.#hosts.isWaiting(host)) {
        for (const { served } of due.slice(i)) this.#hide(served.metadata.uri, host);
        break;
      }
      const look = await this.#look(host, one);
      if (look) looks.push(look);
      await clock.sleep(times.pause, this.#signal).catch(() => undefined);
    }
    if (looks.length > 0) await this.#remember(looks);
  }

  #hide(uri: string, host: string): void {
    if (this.#hidden.size < HIDDEN) this.#hidden.set(uri, host);
  }

  /** Undefined when the module cannot be had. */
  async #look(host: string, { served, known }: Due): Promise<TimedLook | undefined> {
    const { fetch, clock, pool } = this.#parts;
    const { uri, version } = served.metadata;
    const parts = { fetch, clock, pool, signal: this.#signal };
    try {
      const conditions = known && knowsBytesFor(known, served) ? known : {};
      const answer = await moduleBytes(uri, conditions, parts);
      this.#hosts.succeeded(host);
      this.#modules.succeeded(uri);
      const look = { uri, version, statement: served, at: clock.now(), knownAt: known?.checked };
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
      if (!(error instanceof ModuleFailure)) throw error;
      if (this.#signal.aborted) return undefined;
      this.#modules.failed(uri, error.message);
      if (error.ofHost) this.#hosts.failed(host, error.message);
      return undefined;
    }
  }

  /** Where nodes share the registry, another one may have looked while this one was paused: its look is the later one. */
  async #remember(looks: readonly TimedLook[]): Promise<void> {
    const before = new Map<TimedLook, StoredPin | undefined>();
    await this.#parts.pins.change(looks, (look, known) => {
      if (known && known.checked !== look.knownAt) return known;
      before.set(look, known);
      return afterLook(known, look);
    });
    for (const [look, known] of before) this.#tell(look, known);
  }

  #tell(look: TimedLook, known: StoredPin | undefined): void {
    const was = pinOf(known, look.statement);
    const is = pinOf(afterLook(known, look), look.statement);
    if (isChanged(was) === isChanged(is) && was?.changed === is?.changed) return;
    this.#log(look.statement, is);
  }

  #log({ metadata: { uri, version } }: Description, is: Pin | undefined): void {
    const { log } = this.#parts;
    const fields = { component: uri, version, ...is };
    if (isChanged(is))
      log.warn(fields, 'the bytes of a module have changed under the same version; hosts do not run them');
    else log.info(fields, 'the bytes of a module are again what they were');
  }
}
