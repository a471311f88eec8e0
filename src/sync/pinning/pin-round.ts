import { integrityText, parseIntegrity } from '../../component/integrity.js';
import { observed, type Pin, type PinSubject } from '../../component/pin.js';
import type { Clock } from '../../lib/clock.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import type { Breather, Pace } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Description } from '../../registry/description.js';
import { descriptionsOf } from '../../registry/page.js';
import type { FailingModule } from '../../registry/pinning.js';
import type { Pins, StoredPin } from '../../registry/pins.js';
import type { SyncLog } from '../sync-log.js';
import { ModuleFailure, moduleBytes } from './module-bytes.js';
import type { PinningTimes } from './pinning-times.js';
import { Rests, type RestTimes } from './rests.js';

export interface PinRoundParts {
  /** Whose components: the node's own and those of configured sources, or all. */
  readonly scope: 'configured' | 'all';
  readonly catalog: Pick<Catalog, 'page' | 'state' | 'changes' | 'statements'>;
  readonly pins: Pins;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: SyncLog;
  readonly times: PinningTimes;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const HOST_RESTS: RestTimes = { first: 10 * MINUTE, longest: 6 * HOUR };
const MODULE_RESTS: RestTimes = { first: HOUR, longest: 24 * HOUR };
/** Components that are looked at at a time. */
const PAGE = 500;
/** Hosts that are asked at once, one request each; and for how long one of them, in ms, before others get their turn. */
const HOSTS = 4;
const HOST_TURN = MINUTE;
/** Failures that are told. */
const TOLD = 20;

/** A module that is to be fetched, and what is known of it. */
interface Due {
  readonly metadata: Description['metadata'];
  readonly known: StoredPin | undefined;
}

/**
 * Fetches the modules that have no pin yet, or have not been looked at for long: conditionally, one request at a time to a host,
 * and what fails is left alone for a while. What others say of pins counts for nothing here.
 */
export class PinRound {
  readonly #parts: PinRoundParts;
  readonly #signal: AbortSignal;
  readonly #hosts: Rests;
  readonly #modules: Rests;
  readonly #failing = new Map<string, FailingModule>();
  #isDone = true;

  constructor(parts: PinRoundParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    const now = () => parts.clock.now();
    this.#hosts = new Rests(HOST_RESTS, now);
    this.#modules = new Rests(MODULE_RESTS, now);
  }

  get failing(): readonly FailingModule[] {
    return [...this.#failing.values()].reverse();
  }

  /** Looks at all components. @returns false when a host had more than there was time for */
  async run(): Promise<boolean> {
    const { catalog, scope, pace } = this.#parts;
    const query = scope === 'all' ? {} : { trust: 'configured' as const };
    this.#isDone = true;
    const breathe = pace();
    for (let after: string | undefined; ; ) {
      const page = await catalog.page(query, { limit: PAGE, after });
      await this.#fetch(await this.#due(await descriptionsOf(page), breathe));
      after = page.next;
      if (after === undefined || this.#signal.aborted) return this.#isDone;
    }
  }

  /**
   * Looks at those components of which something has been said or taken back since a position: a node of 100,000 would work
   * for half a second every half minute otherwise. At all of them where that is as much. @returns the same
   */
  async runSince(position: number): Promise<boolean> {
    const { catalog, scope, pace } = this.#parts;
    const told = await catalog.changes({ after: position, removals: true, limit: PAGE });
    if ('unknown' in told || told.next !== undefined) return this.run();
    this.#isDone = true;
    const breathe = pace();
    const served: Description[] = [];
    for (const uri of new Set(told.changes.map((change) => change.uri))) {
      const [first] = await catalog.statements(uri);
      if (first && (scope === 'all' || first.trust !== 'learned')) served.push(first);
      await breathe();
    }
    await this.#fetch(await this.#due(served, breathe));
    return this.#isDone;
  }

  /** By host. The modules of the samples come with this software. */
  async #due(descriptions: readonly Description[], breathe: Breather): Promise<Map<string, Due[]>> {
    const { pins, clock, times } = this.#parts;
    const all = descriptions.filter(({ source }) => source.kind !== 'sample').map(({ metadata }) => metadata);
    const known = await pins.get(all);
    const due = new Map<string, Due[]>();
    for (const [i, metadata] of all.entries()) {
      await breathe();
      if ((known[i]?.checked ?? Number.NEGATIVE_INFINITY) + times.check > clock.now()) continue;
      const { host } = new URL(metadata.uri);
      if (this.#modules.has(metadata.uri) || this.#hosts.has(host)) continue;
      const others = due.get(host) ?? [];
      others.push({ metadata, known: known[i] });
      due.set(host, others);
    }
    return due;
  }

  async #fetch(due: ReadonlyMap<string, Due[]>): Promise<void> {
    const waiting = [...due];
    const next = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) await this.#visit(...one);
    };
    await Promise.all(Array.from({ length: HOSTS }, next));
  }

  /** Fetches modules of one host, one after the other. */
  async #visit(host: string, due: readonly Due[]): Promise<void> {
    const { pins, clock, times } = this.#parts;
    const until = clock.now() + HOST_TURN;
    const seen: StoredPin[] = [];
    for (const one of due) {
      if (clock.now() > until) this.#isDone = false;
      if (this.#signal.aborted || this.#hosts.has(host) || clock.now() > until) break;
      const pin = await this.#look(host, one);
      if (pin) seen.push(pin);
      await clock.sleep(times.pause, this.#signal).catch(() => undefined);
    }
    if (seen.length > 0) await pins.set(seen);
  }

  /** What is known of a module after a look at it; undefined when it cannot be had. */
  async #look(host: string, { metadata, known }: Due): Promise<StoredPin | undefined> {
    const { fetch, clock } = this.#parts;
    const { uri, version, integrity: promise } = metadata;
    try {
      const validators = known && isSettled(known, promise) ? known : {};
      const answer = await moduleBytes(uri, validators, { fetch, signal: this.#signal });
      this.#succeeded(host, uri);
      const now = clock.now();
      if ('unchanged' in answer) return known && { ...known, checked: now };
      const pin = await observed(known, answer.bytes, promise);
      const changed = pin.changed === undefined ? {} : { changedAt: known?.changedAt ?? now };
      const stored = { uri, ...(version === undefined ? {} : { version }), ...pin, ...changed };
      this.#tell(known, stored);
      return { ...stored, since: known?.since ?? now, checked: now, ...answer.validators };
    } catch (error) {
      if (!(error instanceof ModuleFailure)) throw error;
      if (!this.#signal.aborted) this.#failed(host, uri, error);
      return undefined;
    }
  }

  #tell(known: StoredPin | undefined, { uri, version, ...pin }: PinSubject & Pin): void {
    const { integrity, changed } = pin;
    if (known?.changed === changed) return;
    const { log } = this.#parts;
    const fields = { component: uri, version, integrity, changed };
    if (changed === undefined) log.info(fields, 'the bytes of a module are again what they were');
    else log.warn(fields, 'the bytes of a module have changed under the same version; hosts do not run them');
  }

  #succeeded(host: string, uri: string): void {
    this.#hosts.succeeded(host);
    this.#modules.succeeded(uri);
    this.#failing.delete(uri);
  }

  #failed(host: string, uri: string, { message, ofHost }: ModuleFailure): void {
    this.#modules.failed(uri);
    if (ofHost) this.#hosts.failed(host);
    this.#failing.delete(uri);
    this.#failing.set(uri, { uri, error: message, at: this.#parts.clock.now() });
    const [oldest] = this.#failing.keys();
    if (this.#failing.size > TOLD && oldest !== undefined) this.#failing.delete(oldest);
  }
}

/** Is the pin all that there is to be said of the bytes? Otherwise they are needed, even if they are the same. */
function isSettled({ integrity, changed }: StoredPin, promise: string | undefined): boolean {
  const promised = promise === undefined ? undefined : parseIntegrity(promise);
  return changed === undefined && (!promised || integrityText(promised) === integrity);
}
