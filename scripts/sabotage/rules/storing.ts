/** What is stored, and what of it shows: the registry's commit, on the engine that a small suite runs. */
import { breaks, type Rule } from '../rule.js';

/** The contract of a registry, on the engine without a disk. */
const CONTRACT = 'test/store/memory/memory-engine.test.ts';

export const STORING: readonly Rule[] = [
  breaks<typeof import('../../../src/store/memory/memory-registry.js')>()({
    name: 'the cursor is stored before its data',
    module: 'store/memory/memory-registry',
    replaces: ['MemoryRegistry'],
    broken: (original) => ({
      MemoryRegistry: class extends original.MemoryRegistry {
        override async commit(change: Parameters<MemoryRegistryOf['commit']>[0]) {
          await super.commit({ source: change.source, documents: [], record: change.record });
          return super.commit(change);
        }
      },
    }),
    suite: CONTRACT,
    tests: 'changes what is remembered of a source from what is there',
  }),
  breaks<typeof import('../../../src/store/memory/memory-registry.js')>()({
    name: 'a document that is gone stays',
    module: 'store/memory/memory-registry',
    replaces: ['MemoryRegistry'],
    broken: (original) => ({
      MemoryRegistry: class extends original.MemoryRegistry {
        override commit(change: Parameters<MemoryRegistryOf['commit']>[0]) {
          return super.commit({ ...change, documents: change.documents.filter(({ record }) => record) });
        }
      },
    }),
    suite: CONTRACT,
    tests: 'remembers of sources and documents',
  }),
  breaks<typeof import('../../../src/store/memory/memory-registry.js')>()({
    name: 'a tombstone is revived by the next change of its source',
    module: 'store/memory/memory-registry',
    replaces: ['MemoryRegistry'],
    broken: (original) => ({
      MemoryRegistry: class extends original.MemoryRegistry {
        readonly #said = new Map<string, Parameters<MemoryRegistryOf['commit']>[0]['documents'][number]>();
        override commit(change: Parameters<MemoryRegistryOf['commit']>[0]) {
          const named = new Set(change.documents.map(({ url }) => url));
          const again = [...this.#said].filter(
            ([key, { url }]) => key === change.source.url + url && !named.has(url),
          );
          for (const one of change.documents)
            if (one.components) this.#said.set(change.source.url + one.url, one);
          return super.commit({
            ...change,
            documents: [...change.documents, ...again.map(([, one]) => one)],
          });
        }
      },
    }),
    suite: CONTRACT,
    tests:
      'tells a source that is forgotten as removals|forgets a removal when|amends a document that is known|counts what a commit changes',
  }),
  breaks<typeof import('../../../src/core/document-change.js')>()({
    name: 'the removal of a statement is dropped',
    module: 'core/document-change',
    replaces: ['documentSteps'],
    broken: ({ documentSteps }) => ({
      *documentSteps(change, before) {
        for (const step of documentSteps(change, before)) if (step.kind !== 'removed') yield step;
      },
    }),
    suite: CONTRACT,
    tests: 'tells what came after a state, removals included',
  }),
  breaks<typeof import('../../../src/core/document-change.js')>()({
    name: 'a tag moves without a change',
    module: 'core/document-change',
    replaces: ['documentSteps'],
    broken: ({ documentSteps }) => ({
      *documentSteps(change, before) {
        for (const step of documentSteps(change, before))
          yield step.kind === 'kept' ? { ...step, kind: 'changed' } : step;
      },
    }),
    suite: CONTRACT,
    tests: 'moves the revision for nothing else',
  }),
  breaks<typeof import('../../../src/registry/revision.js')>()({
    name: 'a tag does not move with a change',
    module: 'registry/revision',
    replaces: ['nextRevision'],
    broken: ({ nextRevision }) => ({
      nextRevision: (revision, now) => (revision.number > 0 ? revision : nextRevision(revision, now)),
    }),
    suite: CONTRACT,
    tests: 'counts what a commit changes',
  }),
  breaks<typeof import('../../../src/core/source-digests.js')>()({
    name: 'a digest is taken on trust',
    module: 'core/source-digests',
    replaces: ['HashChange'],
    broken: (original) => ({
      HashChange: class extends original.HashChange {
        override verify(): void {
          // Nothing is compared.
        }
      },
    }),
    suite: CONTRACT,
    tests: 'refuses a commit that would not lead to the digest',
  }),
  breaks<typeof import('../../../src/core/source-digests.js')>()({
    name: 'the digest over all sources forgets who says it',
    module: 'core/source-digests',
    replaces: ['feedDigest'],
    broken: ({ feedDigest }) => ({ feedDigest: (_, networkRevision) => feedDigest([], networkRevision) }),
    suite: 'test/sync/peer/feed/lying-feed.test.ts',
    tests: 'tells digests that it has not',
  }),
  breaks<typeof import('../../../src/core/feed-window.js')>()({
    name: 'a cursor of another history is answered',
    module: 'core/feed-window',
    replaces: ['unknownState'],
    broken: () => ({ unknownState: () => undefined }),
    suite: CONTRACT,
    tests: 'knows its former states',
  }),
  breaks<typeof import('../../../src/core/feed-window.js')>()({
    name: 'removals are forgotten at once',
    module: 'core/feed-window',
    replaces: ['outlived'],
    broken: () => ({ outlived: (removals) => [...removals] }),
    suite: CONTRACT,
    tests: 'tells all that it remembers, removals',
  }),
  breaks<typeof import('../../../src/store/disk/database/store-batch.js')>()({
    name: 'no fsync',
    module: 'store/disk/database/store-batch',
    replaces: ['StoreBatch'],
    broken: (original) => ({
      StoreBatch: class extends original.StoreBatch {
        override write(): Promise<void> {
          return super.write(false);
        }
      },
    }),
    suite: 'test/store/disk/quad-store.test.ts',
  }),
  breaks<typeof import('../../../src/store/disk/database/store-batch.js')>()({
    name: 'a write is acknowledged before it is stored',
    module: 'store/disk/database/store-batch',
    replaces: ['StoreBatch'],
    broken: (original) => ({
      StoreBatch: class extends original.StoreBatch {
        override async write(durable: boolean): Promise<void> {
          super.write(durable).catch(() => undefined);
        }
      },
    }),
    suite: 'test/store/disk/recovery.test.ts',
  }),
  breaks<typeof import('../../../src/store/postgres/postgres-polls.js')>()({
    name: 'a lease without a fence',
    module: 'store/postgres/postgres-polls',
    replaces: ['PostgresLease'],
    broken: (original) => ({
      PostgresLease: class extends original.PostgresLease {
        override prove(): () => void {
          return () => undefined;
        }
      },
    }),
    suite: 'test/store/postgres/leases.test.ts',
  }),
];

type MemoryRegistryOf = import('../../../src/store/memory/memory-registry.js').MemoryRegistry;
