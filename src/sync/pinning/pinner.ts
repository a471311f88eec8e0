import { LRUCache } from 'lru-cache';
import type { Catalog } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import { hasModule } from '../../component/capability.js';
import { isChanged } from '../../component/pin.js';
import type { FailingModule } from '../../core/module-health.js';
import {
  afterLook,
  afterStatement,
  digestsOf,
  isPinNews,
  type Look,
  pinOf,
  type StoredPin,
} from '../../core/pins.js';
import { backOff } from '../../lib/back-off.js';
import { elapsed } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { grouped } from '../../lib/grouped.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { Pins } from '../../registry/pins.js';
import { Failed, stumbled } from '../failures.js';
import { type FileParts, filesNow, importsOf, isOfHost, moduleBytes } from './module-files.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** In ms: between two rounds, two requests to one host, and two fetches of one module. */
export const PINNING_TIMES = { round: MINUTE / 2, pause: 250, check: 24 * HOUR };
export type PinningTimes = Readonly<typeof PINNING_TIMES>;

/** Before the next try of a module that could not be had. */
const WAITS = { first: HOUR, longest: 24 * HOUR } as const;
/** Failures that are remembered, and that are told. */
const FAILURES = { remembered: 10_000, told: 20 } as const;
/** Components that one round looks at: 50 ms of work, so that 100,000 are gone through in ten minutes. */
const PAGE = 5_000;
/** Hosts that are asked at a time: one that says nothing does not keep all others waiting. */
const HOSTS = 2;
/** How long one host is asked, in ms, before others get their turn. */
const HOST_TURN = MINUTE;

interface PinnerParts extends Omit<FileParts, 'signal'> {
  /** Whose components: the node's own and those of configured sources, or all. */
  readonly scope: 'configured' | 'all';
  readonly catalog: Pick<Catalog, 'page'>;
  readonly pins: Pins;
  readonly pace: Pace;
  readonly log: LogTo<'info' | 'warn'>;
  readonly times: PinningTimes;
  /** Called when `failureOf` may say something else than before. */
  readonly onHealth?: (() => void) | undefined;
}

/** A served description, and what is known of its module. */
interface Subject extends Pick<StoredPin, 'uri' | 'version'> {
  readonly served: Description;
  readonly known: StoredPin | undefined;
  readonly look?: Look;
}

/**
 * Looks at the modules of served descriptions that have no pin yet, or have not been looked at for long: a
 * part of them every half minute. They are fetched conditionally, of each host one at a time; what fails is
 * left alone for a while.
 */
export class Pinner {
  readonly #abort = new AbortController();
  /** By uri; those that have failed longest ago are forgotten. */
  readonly #failed = new LRUCache<string, FailingModule>({ max: FAILURES.remembered });
  /** Up to where the components have been looked at in this walk through all of them. */
  #after: string | undefined;
  #loop = Promise.resolve();

  constructor(readonly parts: PinnerParts) {}

  /** The modules that could not be had lately, the latest first. */
  get failing(): readonly FailingModule[] {
    return [...this.#failed.values()].slice(0, FAILURES.told);
  }

  /** Whether and why the last tries at a module failed. */
  failureOf(uri: string): FailingModule | undefined {
    return this.#failed.peek(uri);
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Aborts the requests under way; resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('Modules are not fetched any more'));
    await this.#loop;
  }

  /** Looks at the next part of the components. Rejects when what was seen could not be stored. */
  async round(): Promise<void> {
    const { catalog, pins, scope } = this.parts;
    const query = scope === 'all' ? {} : { trust: 'configured' as const };
    const page = await catalog.page(query, { limit: PAGE, after: this.#after });
    const due: Subject[] = [];
    for await (const some of page.descriptions()) due.push(...(await this.#dueOf(some)));
    const hosts = grouped(due, ({ uri }) => new URL(uri).host).values();
    const visit = async () => {
      for (const subjects of hosts) await this.#visit(subjects);
    };
    for (const end of await Promise.allSettled(Array.from({ length: HOSTS }, visit)))
      if (end.status === 'rejected') throw end.reason;
    this.#after = page.next;
    if (page.next === undefined) await pins.forgetUnused();
  }

  async #run(): Promise<void> {
    const { clock, times, log } = this.parts;
    const { signal } = this.#abort;
    for (;;) {
      await clock.sleep(times.round, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.round().catch((error) => {
        if (signal.aborted) return;
        log.warn({ error: explain(error) }, 'modules could not be pinned; it is tried again');
      });
    }
  }

  /** Those whose modules are to be fetched. The samples come with this software, and some have none. */
  async #dueOf(descriptions: readonly Description[]): Promise<Subject[]> {
    const { pins, pace, clock } = this.parts;
    const breathe = pace();
    // What they say is looked at several times, and parsed each time otherwise.
    const all = descriptions
      .filter(({ source }) => source.kind !== 'sample')
      .map(withMetadata)
      .filter(({ metadata }) => hasModule(metadata.capability));
    const pinned = await pins.get(all.map(({ metadata }) => metadata));
    const [due, restated]: [Subject[], Subject[]] = [[], []];
    for (const [i, served] of all.entries()) {
      await breathe();
      const { uri, version } = served.metadata;
      const known = pinned[i];
      const subject = { uri, version, served, known };
      // Something else is promised of the same bytes: they may have become others than the pin, or the same.
      const isRestated = known !== undefined && afterStatement(known, served, clock.now()) !== known;
      if (isRestated) restated.push(subject);
      if (this.#isDue(subject, isRestated)) due.push(subject);
    }
    // Whether or not the host of the module answers now.
    await this.#remember(restated);
    return due;
  }

  #isDue({ uri, served, known }: Subject, isRestated: boolean): boolean {
    const { clock, times } = this.parts;
    const now = clock.now();
    const failed = this.failureOf(uri);
    if (failed && elapsed(failed.at, now) < backOff(failed.failures, WAITS)) return false;
    if (isRestated || !known || !pinOf(known, served)) return true;
    const { changedAt, checked } = known;
    // It changed by another promise alone, and nobody could look since then. A time that is still to come was
    // noted before the clock was set back, and says nothing.
    if (changedAt !== undefined && checked < changedAt && changedAt <= now) return true;
    return elapsed(checked, now) >= times.check;
  }

  /** Fetches modules of one host, one after the other, until the host fails. */
  async #visit(due: readonly Subject[]): Promise<void> {
    const { clock, times, log } = this.parts;
    const { signal } = this.#abort;
    const began = clock.now();
    const seen: Subject[] = [];
    for (const subject of due) {
      if (elapsed(began, clock.now()) > HOST_TURN || signal.aborted) break;
      const look = await this.#look(subject).catch((error): Failed => {
        // A fault of this node fails the module alone that it was met with.
        if (!signal.aborted)
          log.warn({ component: subject.uri, err: error }, 'this node stumbled over a module');
        return new Failed(stumbled(error));
      });
      if (signal.aborted) break;
      const failure = look instanceof Failed ? look : undefined;
      this.#note(subject.uri, failure?.message);
      if (failure && isOfHost(failure)) break;
      if (look && !(look instanceof Failed)) seen.push({ ...subject, look });
      await clock.sleep(times.pause, signal).catch(() => undefined);
    }
    await this.#remember(seen);
  }

  /** What there is of the module, or why it cannot be had. */
  async #look({ uri, version, served, known }: Subject): Promise<Look | Failed | undefined> {
    const { fetch, clock, pool } = this.parts;
    const parts = { fetch, clock, pool, signal: this.#abort.signal };
    const conditions = known && pinOf(known, served) ? known : {};
    const answer = await moduleBytes(uri, conditions, parts);
    if (answer.kind === 'failed') return answer;
    const look = { uri, version, statement: served, at: clock.now() };
    if (answer.kind === 'whole') {
      const { bytes } = answer;
      const imports = await importsOf(uri, bytes, parts);
      const digests = await digestsOf(bytes, served.metadata);
      // Without the time to look at its imports now, it is fetched again.
      const validators = imports ? answer.validators : {};
      return { ...look, bytes: digests, size: bytes.length, imports, validators };
    }
    if (!known) return undefined;
    const { last, size, files, etag, lastModified } = known;
    const imports = files && { files: await filesNow(files, parts) };
    return { ...look, bytes: last, size, imports, validators: { etag, lastModified } };
  }

  /** Notes that a module could be had, or why not. */
  #note(uri: string, error: string | undefined): void {
    const { clock, onHealth } = this.parts;
    const before = this.failureOf(uri);
    if (!before && error === undefined) return;
    if (error === undefined) this.#failed.delete(uri);
    else this.#failed.set(uri, { uri, error, at: clock.now(), failures: (before?.failures ?? 0) + 1 });
    onHealth?.();
  }

  /** Stores what has been seen, or where there was no look, what follows from another promise alone. */
  async #remember(subjects: readonly Subject[]): Promise<void> {
    if (subjects.length === 0) return;
    const { pins, clock, log } = this.parts;
    const changes = new Map<Description, readonly (StoredPin | undefined)[]>();
    await pins.change(subjects, ({ served, look, known }, now) => {
      const looked = () => (look ? afterLook(now, look) : now && afterStatement(now, served, clock.now()));
      // Another node that shares the registry may have looked while this one was paused: later than this one.
      const after = look && now && now.checked !== known?.checked ? now : looked();
      changes.set(served, [now, after]);
      return after;
    });
    for (const [served, [before, after]] of changes) {
      if (!isPinNews(before, after, served)) continue;
      const is = pinOf(after, served);
      const fields = { component: served.metadata.uri, version: served.metadata.version, ...is };
      if (isChanged(is))
        log.warn(fields, 'the bytes of a module have changed under the same version; hosts do not run them');
      else log.info(fields, 'the bytes of a module are again what they were');
    }
  }
}
