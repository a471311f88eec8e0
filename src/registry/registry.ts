import { isDeepStrictEqual } from 'node:util';
import { LOCAL, type Source, sourceKey } from '../component/source.js';
import { type Amendment, type ChangeExamples, StepCount } from '../core/document-change.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import { StorageFailure } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { portions } from '../lib/portions.js';
import { differenceOf, type SourceChange } from './difference.js';
import { documentRow, metaRow } from './rows.js';
import type { Prepare, WritingParts } from './writer.js';

/** How many descriptions a commit added, changed and removed for its source, and of which components, as examples. */
export interface ChangeCount extends Readonly<Pick<StepCount, 'added' | 'changed' | 'removed'>> {
  readonly examples: ChangeExamples;
}

export const NO_CHANGE: ChangeCount = { ...new StepCount() };

/** A change of which the last commit has the record; undefined when nothing is to be remembered any more. */
type Change = Omit<SourceChange, 'record'> & {
  readonly record: (current: SourceRecord) => SourceRecord | undefined;
  /** What is remembered until then; what it was when absent. */
  readonly meanwhile?: SourceRecord;
};

export type Registry = ReturnType<typeof createRegistry>;

/** How long the times of the last polls may take to be stored when a registry is closed, in ms: a node stops within seconds. */
const STORING_MS = 1_000;

/**
 * The writing side of a registry, and the sole owner of what is remembered about sources.
 *
 * Every change is atomic: after a crash at any instant all of it is there or nothing. It is durable before its
 * promise resolves, and readers see it from that moment on, in one step. The times of a poll that has found
 * nothing new are only remembered, and stored by `close`. When a change rejects, nothing has changed; but with
 * `OutcomeUnknown` nobody can tell, and readers see it later or never.
 * Changes of one source happen one after another, in the order in which they were asked for; changes of
 * different sources may overlap. What finds nothing new moves no revision.
 * @param mostAtOnce statements that one commit changes at most, but for those of the node's own graph
 * @param isShared other nodes look in the data when sources were polled
 */
export function createRegistry(
  { data, writer, pace, clock }: WritingParts,
  { mostAtOnce, isShared }: { readonly mostAtOnce: number; readonly isShared: boolean },
  close: () => Promise<void>,
) {
  const turns = new KeyedMutex();
  const inTurn = <T>(source: Source, task: () => Promise<T>) => turns.run(sourceKey(source), task);
  /** Of which more is remembered than is stored. */
  const unstored = new Map<string, Source>();
  const remember = ({ source, record }: SourceChange) =>
    writer.idle(async () => {
      data.now.held.remember(source, record);
      unstored.set(sourceKey(source), source);
    });

  /**
   * The difference is worked out while others write, in portions of so many statements at `most`; each is drafted when it has its
   * turn. Where somebody else has changed the source meanwhile, what is left of the change is worked out anew.
   * @param signal breaks it off between two commits
   */
  const commitChange = async (change: Change, most: number, signal?: AbortSignal): Promise<ChangeCount> => {
    const { source, record, meanwhile, lease } = change;
    const count = new StepCount();
    const current = () => data.now.held.source(source);
    const difference = () => differenceOf(change, data, most, pace());
    let known = current();
    let remaining = await difference();
    while (remaining.length > 0) {
      signal?.throwIfAborted();
      const written = await writer.write(async (draft) => {
        if (current() !== known) {
          known = current();
          remaining = await difference();
        }
        const [portion, next] = remaining;
        const held = data.now.held.current(source);
        const breathe = pace();
        for (const step of portion?.steps ?? []) {
          draft.place(step);
          await breathe();
        }
        for (const [url, one] of portion?.documents ?? []) draft.rows.push(documentRow(source, url, one));
        const after = next ? (meanwhile ?? held.record) : record(held.record);
        draft.source(held, after, portion?.hashes);
      }, lease);
      // With the date of this commit, what others have done to the source may have been taken in.
      known = written.source(source);
      for (const { kind, after, before } of remaining.shift()?.steps ?? [])
        count.count(kind, () => after ?? (before as NonNullable<typeof before>).metadata);
    }
    return count;
  };

  return {
    /**
     * Replaces what documents of a source say, and what is remembered of the source and of these documents.
     * Documents that are not named stay as they are. Counts what has really changed.
     * @throws DigestMismatch when `expected` is not met; LeaseLost
     */
    commit: (change: SourceChange): Promise<ChangeCount> =>
      inTurn(change.source, async () => {
        const { source, documents, expected } = change;
        const before = data.now.held.source(source)?.record;
        const isIdle = before && documents.length === 0 && !expected?.size;
        if (!isShared && isIdle && isSameButTimes(before, change.record(before))) {
          await remember(change);
          return NO_CHANGE;
        }
        try {
          const count = await commitChange(change, mostAtOnce);
          unstored.delete(sourceKey(source));
          return count;
        } catch (error) {
          // The status tells from it that polls fail, also while nothing can be stored.
          if (error instanceof StorageFailure && documents.length === 0) await remember(change);
          throw error;
        }
      }),

    /** Changes the node's own graph (`LOCAL`): all of it or nothing. A uri that is not there is no error. */
    commitOwn: (amend: Amendment): Promise<ChangeCount> =>
      inTurn(LOCAL, () => {
        const documents = [{ url: LOCAL.url, amend, record: {} }];
        return commitChange({ source: LOCAL, documents, record: (now) => now }, Number.POSITIVE_INFINITY);
      }),

    /**
     * Drops a source with everything that it brought, of a large one a part with each commit. When that is broken off, by a crash or
     * between two commits by the signal, the rest goes when it is asked for again; a poll that comes first reads everything anew.
     * Nothing is dropped where a node with other sources was started on the same data since: it may have been given this one.
     */
    forget: (source: Source, signal?: AbortSignal): Promise<void> =>
      inTurn(source, async () => {
        signal?.throwIfAborted();
        const held = data.now.held.source(source);
        if (!held || !data.isCurrent) return;
        const documents = [...held.documents.keys()].map((url) => ({ url, record: null }));
        const record = () => undefined;
        await commitChange({ source, documents, record, meanwhile: { failures: 0 } }, mostAtOnce, signal);
      }),

    /**
     * Sets the addresses that the node passes on; moves `networkRevision` if they differ, also from before a restart. Those of a
     * node with other sources that was started on the same data since stay.
     */
    setNetwork: (lists: NetworkLists): Promise<unknown> =>
      writer.write((draft) => {
        if (!data.isCurrent || JSON.stringify(lists) === JSON.stringify(data.now.network)) return;
        draft.rows.push(metaRow('network', lists));
        draft.positions = 1;
        draft.moves = 'networkRevision';
      }),

    /** What is remembered of a source; `undefined` when it has neither been polled nor said anything. */
    source: async (source: Source): Promise<StoredSource | undefined> => data.now.held.source(source),

    /** What a document says now. */
    said: (source: Source, document: string) => data.catalog.sayings({ source, document }),

    /** All of them, the node itself included; what other nodes have changed in a shared database within a second. */
    sources: async (): Promise<readonly StoredSource[]> => data.now.held.all(),

    /**
     * Waits for changes under way, stores the times of the last polls where that can be, and lets go of everything. Nothing
     * may be asked afterwards.
     */
    async close(): Promise<void> {
      const until = clock.now() + STORING_MS;
      const held = [...unstored.values()].flatMap((source) => data.now.held.source(source) ?? []);
      for (const some of portions(isShared ? [] : held, ({ record }) => JSON.stringify(record).length)) {
        const store: Prepare = (draft) => {
          for (const one of some) draft.source(data.now.held.current(one.source), one.record);
        };
        const isStored = await writer.write(store).then(
          () => true,
          () => false,
        );
        // Of the others, the next start finds earlier times, as after a crash.
        if (!isStored || clock.now() > until) break;
      }
      await close();
    },
  };
}

/** When a source was polled: worth no write of its own, as it is polled soon after a start in any case. */
const TIMES = new Set<keyof SourceRecord>(['lastAttempt', 'lastSuccess', 'nextAttempt']);

function isSameButTimes(one: SourceRecord, other: SourceRecord): boolean {
  const fields = Object.keys({ ...one, ...other }) as (keyof SourceRecord)[];
  return fields.every((field) => TIMES.has(field) || isDeepStrictEqual(one[field], other[field]));
}
