import type { Entry } from '../catalog/entry.js';
import { isChanged, type PinSubject, pinKey, samePin } from '../component/pin.js';
import { type Source, sourceKey } from '../component/source.js';
import { decidedPins, type PinDecision, pinOf, type StoredPin } from '../core/pins.js';
import type { SourceSummary } from '../core/source-digests.js';
import type { Clock } from '../lib/clock.js';
import type { Pace } from '../lib/pace.js';
import { type HashRow, NO_CONTENTS, type SourceRow, type StatementRow } from './commit-contents.js';
import type { Draft } from './numbering.js';
import type { PinRequest, Pins } from './pins.js';
import type { RegistryData } from './registry-data.js';
import { hashRowKey, pinRowKey, sourceRowKey } from './row-keys.js';
import { sealedRows } from './rows.js';
import type { Writer } from './writer.js';

export interface KeptPinsParts {
  readonly data: RegistryData;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly pace: Pace;
}

/** A served entry whose pin has become `changed`, or is no longer. */
interface News {
  readonly entry: Entry;
  readonly position: number;
}

/** The pins, held in memory. A pin that changes and the position that tells of it are one commit. */
export class KeptPins implements Pins {
  readonly #parts: KeptPinsParts;

  constructor(parts: KeptPinsParts) {
    this.#parts = parts;
  }

  async change<T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<void> {
    await this.#parts.writer.write(() => this.#draft(subjects, decide));
  }

  async get(subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> {
    return subjects.map((subject) => this.#parts.data.held.pins.get(subject));
  }

  async list(request: PinRequest): Promise<readonly StoredPin[]> {
    return this.#parts.data.held.pins.list(request, this.#parts.pace());
  }

  async counts(): Promise<{ readonly all: number; readonly changed: number }> {
    return this.#parts.data.held.pins.counts;
  }

  async #draft<T extends PinSubject>(
    subjects: readonly T[],
    decide: PinDecision<T>,
  ): Promise<Draft | undefined> {
    const { data, clock } = this.#parts;
    const decided = decidedPins(subjects, decide, {
      get: (subject) => data.held.pins.get(subject),
      isDescribed: (subject) => this.#describing(subject).length > 0,
    });
    if (decided.size === 0) return undefined;
    const pins = new Map<string, StoredPin | undefined>();
    const news: News[] = [];
    let isShown = false;
    for (const { subject, pin } of decided.values()) {
      pins.set(pinRowKey(subject), pin);
      const [served] = data.catalog.entriesOf(subject.uri);
      for (const entry of this.#describing(subject)) {
        const after = pinOf(pin, entry);
        isShown ||= !samePin(entry.pin, after);
        if (entry !== served || isChanged(entry.pin) === isChanged(after)) continue;
        news.push({ entry, position: data.meta.position + news.length + 1 });
      }
    }
    if (!isShown) return { effects: { ...NO_CONTENTS, pins }, rows: [] };
    const at = Math.max(clock.now(), data.meta.at);
    const { rows, ...told } = await this.#told(news, at);
    const summaries = new Map<string, SourceSummary>();
    for (const [key, { source, position }] of told.sources) {
      const summary = data.held.source(source)?.summary;
      if (summary) summaries.set(key, { ...summary, position });
    }
    const move = { position: data.meta.position + news.length, at, summaries };
    return { effects: { ...NO_CONTENTS, ...told, pins }, rows, move };
  }

  /** What is said of this version of the component. */
  #describing(subject: PinSubject): Entry[] {
    const key = pinKey(subject);
    return this.#parts.data.catalog.entriesOf(subject.uri).filter((entry) => pinKey(entry) === key);
  }

  /** The statements with their new positions, and what follows for their sources. */
  async #told(news: readonly News[], at: number) {
    const { data, pace } = this.#parts;
    const said = news.map(({ entry, position }): StatementRow => {
      const { source, document } = entry.origin;
      const { metadata, since } = entry;
      return {
        ...{ source: plain(source), document, position, at },
        ...{ metadata, isUpdate: true, since },
      };
    });
    const sealed = await sealedRows(said, pace());
    const sources = new Map<string, SourceRow>();
    const hashes = new Map<string, HashRow>();
    for (const [i, { entry, position }] of news.entries()) {
      const { source, document } = entry.origin;
      const held = data.held.source(source);
      if (!held) throw new Error(`${sourceKey(source)} says something and is not held`);
      const { record, rank } = held;
      sources.set(sourceRowKey(source), { source: held.source, record, rank, position });
      const of = held.documents.get(document)?.record.of ?? '';
      const key = hashRowKey(source, of);
      const hash = held.hashes.get(of);
      if (!hash) continue;
      const before = hashes.get(key)?.seals ?? held.seals.get(of) ?? 0;
      const seals = before - entry.seal + (sealed.statements[i]?.seal ?? 0);
      hashes.set(key, { source: held.source, of, hash, seals });
    }
    return { statements: sealed.statements, rows: sealed.rows, sources, hashes };
  }
}

function plain({ kind, url }: Source): Source {
  return { kind, url };
}
