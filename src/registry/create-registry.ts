import { LOCAL, type Source, sourceKey } from '../component/source.js';
import { createVocabulary } from '../component/vocabulary.js';
import { StepCount } from '../core/document-change.js';
import type { SourceRecord } from '../core/source-record.js';
import { LeaseLost } from '../keep/faults.js';
import { StorageFailure } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { ChangeCount } from './change.js';
import { NO_CONTENTS } from './commit-contents.js';
import { differenceOf, FORGOTTEN_AT_ONCE, type Portion } from './difference.js';
import type { HeldSource } from './held.js';
import {
  documentRows,
  type PreparedCommit,
  preparedCommit,
  quadsOf,
  type RegistryParts,
  stateChange,
} from './prepared-commit.js';
import type { Registry } from './registry.js';
import { SourceAfter } from './source-after.js';
import type { SourceChange } from './source-change.js';
import type { Writer } from './writer.js';

export interface CreateParts extends RegistryParts {
  readonly writer: Writer;
  /** Statements that one commit changes at most; a change of the node's own graph is one commit, however large. */
  readonly mostAtOnce: number;
  readonly close: () => Promise<void>;
}

/** The writing side of a registry: what is said is held in memory, and changed by commits to a keep. */
export function createRegistry({ mostAtOnce: most, close, ...parts }: CreateParts): Registry {
  const { data, writer } = parts;
  const turns = new KeyedMutex();
  /** Runs changes of one source one after the other. */
  const inTurn = <T>(source: Source, task: () => Promise<T>) => turns.run(sourceKey(source), task);
  const stored = (held: HeldSource) =>
    data.held.stored(held, ({ key }) => data.catalog.document(key).said.length);

  return {
    commit: (change) =>
      inTurn(change.source, async () => {
        try {
          return await commitChange(change, { most }, parts);
        } catch (error) {
          // The status tells from it that polls fail, also while nothing can be stored.
          if (error instanceof StorageFailure && change.documents.length === 0)
            data.held.remember(change.source, change.record(data.held.current(change.source).record));
          throw error;
        }
      }),

    commitOwn: (amend) =>
      inTurn(LOCAL, () => {
        const record = data.held.source(LOCAL)?.documents.get(LOCAL.url)?.record ?? {};
        const documents = [{ url: LOCAL.url, amend, record }];
        const change = { source: LOCAL, documents, record: (current: SourceRecord) => current };
        return commitChange(change, { most: Number.POSITIVE_INFINITY }, parts);
      }),

    forget: (source, signal) =>
      inTurn(source, async () => {
        signal?.throwIfAborted();
        const held = data.held.source(source);
        if (!held) return;
        const forgotten = { failures: 0 };
        const documents = [...held.documents.keys()].map((url) => ({ url, record: null }));
        const change = { source, documents, record: () => forgotten };
        await commitChange(change, { most: FORGOTTEN_AT_ONCE, forgotten, signal }, parts);
      }),

    async setNetwork(lists) {
      await writer.write(async () => {
        if (JSON.stringify(lists) === JSON.stringify(data.network)) return undefined;
        const contents = { ...NO_CONTENTS, network: structuredClone(lists) };
        return { contents, rows: [], change: stateChange(parts, 1, { revision: 'network' }) };
      });
    },

    async source(source) {
      const held = data.held.source(source);
      return held && stored(held);
    },

    sources: async () => [...data.held.all()].map(stored),
    close,
  };
}

interface CommitOptions {
  /** Statements that one commit changes at most. */
  readonly most: number;
  /** What is remembered of a source that is forgotten, until nothing is left of it. */
  readonly forgotten?: SourceRecord;
  /** Breaks it off between two commits. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * From a change to its commits: the difference is worked out while others write, in portions; each is prepared when it has its turn.
 * Where somebody else has changed the source meanwhile, what is left of the change is worked out anew.
 */
async function commitChange(
  change: SourceChange,
  options: CommitOptions,
  parts: RegistryParts & Pick<CreateParts, 'writer'>,
): Promise<ChangeCount> {
  const { data, writer, pace } = parts;
  const { source, lease } = change;
  const { most, signal } = options;
  const count = new StepCount();
  const difference = () =>
    differenceOf(change, { held: data.held.current(source), catalog: data.catalog, most, breathe: pace() });
  let known = data.held.source(source);
  let portions = await difference();
  while (portions.length > 0) {
    signal?.throwIfAborted();
    await writer.write(async () => {
      // In another epoch the data has lost commits, and perhaps the first ones of this poll.
      if (lease && lease.epoch !== data.head.epoch) throw new LeaseLost(lease.name);
      if (data.held.source(source) !== known) {
        known = data.held.source(source);
        portions = await difference();
      }
      return preparedPortion(portions[0] as Portion, change, options, parts);
    }, lease);
    known = data.held.source(source);
    for (const { kind, after, before } of portions.shift()?.steps ?? [])
      count.count(kind, () => after ?? (before as NonNullable<typeof before>).metadata);
  }
  return count;
}

async function preparedPortion(
  { steps, documents, hashes, isLast }: Portion,
  { source, record }: SourceChange,
  { forgotten }: CommitOptions,
  parts: RegistryParts,
): Promise<PreparedCommit> {
  const { data, keep, pace } = parts;
  const held = data.held.current(source);
  const now = forgotten ?? (isLast ? record(held.record) : held.record);
  const after = new SourceAfter(held, forgotten && isLast ? undefined : now, hashes);
  const prepared = await preparedCommit(steps, [after], parts);
  const contents = { ...prepared.contents, documents: documentRows(held.source, documents) };
  if (!keep.holdsQuads) return { ...prepared, contents };
  const former = data.serving.former.map((namespace) => createVocabulary(namespace));
  const vocabularies = [data.catalog.naming.vocabulary, ...former] as const;
  return { ...prepared, contents, quads: await quadsOf(steps, vocabularies, pace()) };
}
