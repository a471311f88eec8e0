import { isChanged, type PinSubject, pinKey, samePin } from '../../component/pin.js';
import { type Source, sameSource, sourceKey } from '../../component/source.js';
import { decidedPins, type PinDecision, pinOf, type StoredPin } from '../../core/pins.js';
import { NO_CHANGE } from '../../registry/change.js';
import type { PinRequest, Pins } from '../../registry/pins.js';
import type { CatalogIndex } from './catalog/catalog-index.js';
import type { ChangeWriter } from './changes/change-writer.js';
import type { DocumentDifference } from './changes/difference.js';
import { TABLES } from './database/tables.js';
import type { DiskRegistry } from './disk-registry.js';
import type { Sources } from './disk-source.js';
import type { Entry } from './listing/entry.js';
import type { PinTable } from './pin-table.js';

export interface DiskPinsParts {
  readonly pins: PinTable;
  readonly index: CatalogIndex;
  readonly sources: Sources;
  readonly writer: ChangeWriter;
  readonly registry: DiskRegistry;
}

/** The pins on disk. They are put into the objects of the listing when they change, so that reading costs nothing. */
export class DiskPins implements Pins {
  readonly #parts: DiskPinsParts;

  constructor(parts: DiskPinsParts) {
    this.#parts = parts;
  }

  /** First what is remembered: entries that are made from then on have their pins. Then the entries that are there, source by source. */
  async change<T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<void> {
    const { writer, pins, registry } = this.#parts;
    const isDescribed = (subject: PinSubject) => this.#statements(subject).length > 0;
    let decided: ReturnType<typeof decidedPins<T>> = new Map();
    await writer.writeRows(
      () => {
        decided = decidedPins(subjects, decide, { get: (subject) => pins.get(subject), isDescribed });
        const rows = [...decided.values()].map(({ subject, pin }) => TABLES.seen(subject, pin));
        const moves = [...decided.values()].some(({ subject, pin }) =>
          this.#statements(subject).some((entry) => !samePin(entry.pin, pinOf(pin, entry))),
        );
        return { rows, moves };
      },
      () => {
        for (const { subject, pin } of decided.values()) pin ? pins.put(pin) : pins.delete(subject);
      },
    );
    const changed = [...decided.values()].map(({ subject }) => subject);
    for (const [source, found] of this.#showing(changed)) {
      await registry.exclusive(source, () => this.#refresh(source, [...found.values()]));
    }
  }

  async get(names: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> {
    return names.map((name) => this.#parts.pins.get(name));
  }

  async list(request: PinRequest): Promise<readonly StoredPin[]> {
    return this.#parts.pins.list(request);
  }

  async counts(): Promise<{ readonly all: number; readonly changed: number }> {
    return this.#parts.pins.counts;
  }

  /** What is said of this version of the component. */
  #statements({ uri, version }: PinSubject): Entry[] {
    const key = pinKey({ uri, version });
    return this.#parts.index
      .statements(uri)
      .filter((entry) => pinKey({ uri, version: entry.version }) === key);
  }

  /** The sources with entries that show other pins, and of which versions. */
  #showing(subjects: readonly PinSubject[]): Iterable<[Source, ReadonlyMap<string, PinSubject>]> {
    const bySource = new Map<string, [Source, Map<string, PinSubject>]>();
    for (const { uri, version } of subjects) {
      for (const entry of this.#statements({ uri, version })) {
        if (!this.#isStale(entry, uri)) continue;
        const { source } = entry.origin;
        const key = sourceKey(source);
        const found: [Source, Map<string, PinSubject>] = bySource.get(key) ?? [source, new Map()];
        bySource.set(key, found);
        // A source may describe a component in several documents.
        found[1].set(pinKey({ uri, version }), { uri, version });
      }
    }
    return bySource.values();
  }

  #isStale(entry: Entry, uri: string): boolean {
    return !samePin(entry.pin, this.#parts.pins.of({ uri, version: entry.version }, entry));
  }

  /** A served entry whose pin has changed, or is again what it was, gets a new position: so the feed tells of it. */
  async #refresh(source: Source, names: readonly PinSubject[]): Promise<void> {
    const { index, pins, writer } = this.#parts;
    const pairs = names.flatMap((name) => {
      const entries = this.#statements(name).filter((one) => sameSource(one.origin.source, source));
      return entries
        .filter((entry) => this.#isStale(entry, name.uri))
        .map((old) => ({ old, entry: old.with({ pin: pins.of(name, old) }), uri: name.uri }));
    });
    const isNews = ({ old, entry, uri }: (typeof pairs)[number]) =>
      isChanged(old.pin) !== isChanged(entry.pin) && index.statements(uri)[0] === old;
    const news = pairs.filter(isNews);
    const quiet = pairs.filter((pair) => !isNews(pair));
    if (quiet.length > 0) await writer.replace(quiet);
    for (const { old, entry } of news) {
      const differences = [this.#told(old, entry)];
      await writer.write({ source, differences, rows: [], hashes: writer.hashChange(source) });
    }
  }

  #told(old: Entry, entry: Entry): DocumentDifference {
    const { metadata, origin } = entry;
    const document = this.#parts.sources.document(origin.source, origin.document);
    return {
      document,
      origin: document.origin,
      count: NO_CHANGE,
      changes: [{ before: metadata, gone: old, was: old.position, after: metadata, entry, since: old.since }],
    };
  }
}
