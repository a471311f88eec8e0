import { LOCAL, type Source, sourceKey } from '../component/source.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { Precedence } from '../core/precedence.js';
import type { Clock } from '../lib/clock.js';
import { StorageFailure } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Pace } from '../lib/pace.js';
import { type ChangeCount, sumOfCounts } from './change.js';
import { NO_CONTENTS } from './commit-contents.js';
import { type DifferenceParts, differenceOf, type Portion, regrouping } from './difference.js';
import { type LeavingDocument, nextForgetting } from './forgetting.js';
import { emptySource, type HeldSource } from './held.js';
import { keptLease, refuseOtherEpoch } from './kept-polls.js';
import { type Draft, numbered, type QuadWriting } from './numbering.js';
import type { Registry } from './registry.js';
import type { RegistryData } from './registry-data.js';
import type { OwnChange, SourceChange } from './source-change.js';
import type { SourceRecord, StoredSource } from './source-record.js';
import type { Writer } from './writer.js';

export interface KeptRegistryParts {
  readonly data: RegistryData;
  readonly writer: Writer;
  readonly precedence: () => Precedence;
  /** How quads are written; undefined where the keep holds none. */
  readonly quads: () => QuadWriting | undefined;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Statements that one commit changes at most; a change of the node's own graph is one commit, however large. */
  readonly mostAtOnce: number;
  /** Called first, and last. */
  readonly beforeClose: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The one writer of a registry: what is said is held in memory, and changed by commits to a keep. */
export class KeptRegistry implements Registry {
  readonly #parts: KeptRegistryParts;
  readonly #turns = new KeyedMutex();

  constructor(parts: KeptRegistryParts) {
    this.#parts = parts;
  }

  /**
   * A record alone that cannot be stored is remembered in memory nevertheless, because the status tells from it that polls fail.
   * @throws StorageFailure
   */
  commit(change: SourceChange): Promise<ChangeCount> {
    return this.#inTurn(change.source, async () => {
      try {
        return await this.#commit(change);
      } catch (error) {
        if (error instanceof StorageFailure && change.documents.length === 0) this.#remember(change);
        throw error;
      }
    });
  }

  commitOwn(amend: OwnChange): Promise<ChangeCount> {
    return this.#inTurn(LOCAL, () => {
      const record = this.#held(LOCAL).documents.get(LOCAL.url)?.record ?? {};
      const documents = [{ url: LOCAL.url, amend, record }];
      const change: SourceChange = { source: LOCAL, documents, record: (before) => before };
      return this.#commit(change, { most: Number.POSITIVE_INFINITY });
    });
  }

  async forget(source: Source, signal?: AbortSignal): Promise<void> {
    do signal?.throwIfAborted();
    while (!(await this.#inTurn(source, () => this.#forgetNext(source))));
  }

  async setNetwork(lists: NetworkLists): Promise<void> {
    const { data, writer, clock } = this.#parts;
    await writer.write(async (): Promise<Draft | undefined> => {
      if (JSON.stringify(lists) === JSON.stringify(data.network)) return undefined;
      const effects = { ...NO_CONTENTS, network: structuredClone(lists) };
      const { meta } = data;
      const at = Math.max(clock.now(), meta.at);
      const move = { position: meta.position + 1, at, summaries: new Map(), revision: 'network' as const };
      return { effects, rows: [], move };
    });
  }

  async source(source: Source): Promise<StoredSource | undefined> {
    const held = this.#parts.data.held.source(source);
    return held && this.#stored(held);
  }

  async sources(): Promise<readonly StoredSource[]> {
    return [...this.#parts.data.held.all()].map((held) => this.#stored(held));
  }

  async close(): Promise<void> {
    const { beforeClose, close, writer } = this.#parts;
    await beforeClose();
    await writer.idle(close);
  }

  /** Runs changes of one source one after the other. */
  #inTurn<T>(source: Source, task: () => Promise<T>): Promise<T> {
    return this.#turns.run(sourceKey(source), task);
  }

  /** Is the source gone? */
  async #forgetNext(source: Source): Promise<boolean> {
    const held = this.#parts.data.held.source(source);
    if (!held) return true;
    const { documents, isLast } = await nextForgetting(this.#leaving(held));
    await this.#commit({ source, documents, record: () => ({ failures: 0 }) }, { isForgotten: isLast });
    return isLast;
  }

  *#leaving({ documents }: HeldSource): Generator<LeavingDocument> {
    for (const [url, { record, origin }] of documents) {
      const { said } = this.#parts.data.catalog.document(origin.key);
      const uris = (most: number) => said.slice(0, most).map(({ uri }) => uri);
      yield { url, record, components: said.length, uris };
    }
  }

  /**
   * @param isForgotten nothing is remembered of the source itself afterwards
   * @param most statements that one commit changes
   */
  async #commit(
    change: SourceChange,
    { isForgotten = false, most = this.#parts.mostAtOnce } = {},
  ): Promise<ChangeCount> {
    const { data } = this.#parts;
    const counts: ChangeCount[] = [];
    for (let isDone = false; !isDone; ) {
      const held = data.held.source(change.source);
      const parts = this.#differenceParts(held, most);
      const portions = await differenceOf(change, parts);
      const first = portions.length > 1 ? regrouping(change, parts) : undefined;
      if (first) await this.#commit({ ...first, ...(change.lease ? { lease: change.lease } : {}) });
      else {
        const anew = () => differenceOf(change, this.#differenceParts(data.held.source(change.source), most));
        isDone = await this.#writePortions(portions, { change, isForgotten, held, counts, anew });
      }
    }
    return sumOfCounts(counts);
  }

  /** @returns false when something else has changed the source on the way: what is left of the change is worked out anew */
  async #writePortions(
    portions: readonly Portion[],
    parts: {
      readonly change: SourceChange;
      readonly isForgotten: boolean;
      readonly held: HeldSource | undefined;
      readonly counts: ChangeCount[];
      readonly anew: () => Promise<readonly Portion[]>;
    },
  ): Promise<boolean> {
    const { data, writer } = this.#parts;
    const { change, isForgotten, counts, anew } = parts;
    const { source } = change;
    let expected = parts.held;
    for (const planned of portions) {
      let portion = planned;
      const draft = async () => {
        refuseOtherEpoch(change.lease, data.head);
        if (data.held.source(source) !== expected) {
          // Worked out at once: where others change the same source all the time, whoever begins from the start comes too late again.
          const [again, ...more] = portions.length > 1 ? [] : await anew();
          if (!again || more.length > 0) return undefined;
          portion = again;
          expected = data.held.source(source);
        }
        const { record } = this.#held(source);
        const after = portion.isLast ? change.record(record) : record;
        return this.#draft(portion, after, isForgotten && portion.isLast);
      };
      if (!(await writer.write(draft, keptLease(change.lease)))) return false;
      counts.push(portion.count);
      expected = data.held.source(source);
    }
    return true;
  }

  #draft(portion: Portion, record: SourceRecord, isForgotten: boolean): Promise<Draft> {
    const { data, clock, pace, quads, precedence } = this.#parts;
    const held = { ...this.#held(portion.source), rank: precedence().rank(portion.source) };
    return numbered(portion, {
      ...{ meta: data.meta, held, record, isForgotten },
      now: clock.now(),
      statements: (key) => data.catalog.document(key),
      quads: quads(),
      breathe: pace(),
    });
  }

  #differenceParts(held: HeldSource | undefined, most: number): DifferenceParts {
    const { data, pace } = this.#parts;
    const statements = (key: string) => data.catalog.document(key);
    return { held, statements, most, breathe: pace() };
  }

  #remember({ source, record }: SourceChange): void {
    this.#parts.data.held.remember(source, record(this.#held(source).record));
  }

  #held(source: Source): HeldSource {
    return this.#parts.data.held.source(source) ?? emptySource(source, this.#parts.precedence().rank(source));
  }

  #stored(held: HeldSource): StoredSource {
    const { data } = this.#parts;
    return data.held.stored(held, ({ key }) => data.catalog.document(key).said.length);
  }
}
