import { LOCAL, type Source, sourceKey } from '../component/source.js';
import type { SourceRecord } from '../core/source-record.js';
import { StorageFailure } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { type CommitParts, commitChange, heldSource } from './commit-change.js';
import { NO_CONTENTS } from './commit-contents.js';
import { FORGOTTEN_AT_ONCE } from './difference.js';
import type { HeldSource } from './held.js';
import { stateChange } from './prepared-commit.js';
import type { Registry } from './registry.js';

export interface RegistryParts extends CommitParts {
  /** Statements that one commit changes at most; a change of the node's own graph is one commit, however large. */
  readonly mostAtOnce: number;
  readonly close: () => Promise<void>;
}

/** The writing side of a registry: what is said is held in memory, and changed by commits to a keep. */
export function createRegistry({ mostAtOnce: most, close, ...parts }: RegistryParts): Registry {
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
            data.held.remember(change.source, change.record(heldSource(change.source, parts).record));
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
