/** What is stored, and what of it shows: the commits of the registry, and of the keeps below it. */
import { breaks, type Rule } from '../rule.js';

/** The contract of a registry, in memory. */
const CONTRACT = 'test/registry/memory.test.ts';
/** What a keep on disk is held to beyond the contract of keeps. */
const ON_DISK = 'test/keep/level-place.test.ts';

export const STORING: readonly Rule[] = [
  breaks<typeof import('../../../src/registry/registry.js')>({
    name: 'the cursor is stored before its data',
    module: 'registry/registry',
    broken: ({ createRegistry }) => ({
      createRegistry(...parts) {
        const registry = createRegistry(...parts);
        return {
          ...registry,
          async commit(change) {
            await registry.commit({ source: change.source, documents: [], record: change.record });
            return registry.commit(change);
          },
        };
      },
    }),
    suite: CONTRACT,
    tests: 'changes what is remembered of a source from what is there',
  }),
  breaks<typeof import('../../../src/registry/registry.js')>({
    name: 'a tombstone is revived by the next change of its source',
    module: 'registry/registry',
    broken: ({ createRegistry }) => ({
      createRegistry(...parts) {
        const registry = createRegistry(...parts);
        const said = new Map<string, SourceChange['documents'][number]>();
        return {
          ...registry,
          commit({ source, documents, ...change }) {
            const named = new Set(documents.map(({ url }) => url));
            const again = [...said].filter(([key, { url }]) => key === source.url + url && !named.has(url));
            for (const one of documents) if (one.components?.length) said.set(source.url + one.url, one);
            return registry.commit({
              ...change,
              source,
              documents: [...documents, ...again.map(([, one]) => one)],
            });
          },
        };
      },
    }),
    suite: CONTRACT,
    tests: 'tells a source that is forgotten as removals|forgets a removal when|counts what a commit changes',
  }),
  breaks<typeof import('../../../src/core/document-change.js')>({
    name: 'the removal of a statement is dropped',
    module: 'core/document-change',
    broken: ({ documentSteps }) => ({
      *documentSteps(change, before) {
        for (const step of documentSteps(change, before)) if (step.kind !== 'removed') yield step;
      },
    }),
    suite: CONTRACT,
    tests: 'tells what came after a state, removals included',
  }),
  breaks<typeof import('../../../src/core/document-change.js')>({
    name: 'a tag moves without a change',
    module: 'core/document-change',
    broken: ({ documentSteps }) => ({
      *documentSteps(change, before) {
        for (const step of documentSteps(change, before))
          yield step.kind === 'kept' ? { ...step, kind: 'changed' } : step;
      },
    }),
    suite: CONTRACT,
    tests: 'moves the revision for nothing else',
  }),
  breaks<typeof import('../../../src/registry/registry-data.js')>({
    name: 'a tag does not move with a change',
    module: 'registry/registry-data',
    broken: (original) => ({
      RegistryData: class extends original.RegistryData {
        override absorb(...[contents, head]: Parameters<RegistryDataOf['absorb']>) {
          const { revision } = this.now.meta;
          const { registry } = contents.single;
          const still = registry && revision.number > 1 ? { registry: { ...registry, revision } } : {};
          return super.absorb({ ...contents, single: { ...contents.single, ...still } }, head);
        }
      },
    }),
    suite: CONTRACT,
    tests: 'counts what a commit changes',
  }),
  breaks<typeof import('../../../src/core/source-digests.js')>({
    name: 'a digest is taken on trust',
    module: 'core/source-digests',
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
  breaks<typeof import('../../../src/core/source-digests.js')>({
    name: 'the digest over all sources forgets who says it',
    module: 'core/source-digests',
    broken: ({ feedDigest }) => ({ feedDigest: (_, networkRevision) => feedDigest([], networkRevision) }),
    suite: 'test/sync/peer/lying-feed.test.ts',
    tests: 'tells digests that it has not',
  }),
  breaks<typeof import('../../../src/core/feed-window.js')>({
    name: 'a cursor of another history is answered',
    module: 'core/feed-window',
    broken: () => ({ unknownState: () => undefined }),
    suite: CONTRACT,
    tests: 'knows its former states',
  }),
  breaks<typeof import('../../../src/core/feed-window.js')>({
    name: 'removals are forgotten at once',
    module: 'core/feed-window',
    broken: () => ({ outlived: (removals) => [...removals] }),
    suite: CONTRACT,
    tests: 'tells all that it remembers, removals',
  }),
  breaks<typeof import('../../../src/keep/level/level-files.js')>({
    name: 'no fsync',
    module: 'keep/level/level-files',
    broken: ({ openLevel }) => ({
      async openLevel(directory) {
        const level = await openLevel(directory);
        const batch = level.batch.bind(level) as () => { write: () => Promise<void> };
        const unsynced = () => {
          const made = batch();
          const write = made.write.bind(made);
          return Object.assign(made, { write: () => write() });
        };
        return Object.assign(level, { batch: unsynced as unknown as typeof level.batch });
      },
    }),
    suite: ON_DISK,
    tests: 'is flushed to disk',
  }),
  breaks<typeof import('../../../src/keep/level/level-writer.js')>({
    name: 'a write is acknowledged before it is stored',
    module: 'keep/level/level-writer',
    broken: (original) => ({
      LevelWriter: class extends original.LevelWriter {
        override async write(...[fill]: Parameters<LevelWriterOf['write']>): Promise<void> {
          super.write(fill).catch(() => undefined);
        }
      },
    }),
    suite: ON_DISK,
    tests: 'has nothing of a commit that failed',
  }),
  breaks<typeof import('../../../src/keep/stored-row.js')>({
    name: 'a damaged row is taken for what was written',
    module: 'keep/stored-row',
    broken: () => ({ sealOf: () => 0 }),
    suite: 'test/keep/level-keep.test.ts',
    tests: 'that are not what was written are damage',
  }),
  breaks<typeof import('../../../src/keep/postgres/service-tables.js')>({
    name: 'a lease without a fence',
    module: 'keep/postgres/service-tables',
    broken: (original) => ({
      ServiceTables: class extends original.ServiceTables {
        override async lease(...[how, name]: Parameters<ServiceTablesOf['lease']>): Promise<boolean> {
          // Whoever had it before may commit.
          return how === 'prove' || super.lease(how, name);
        }
      },
    }),
    suite: 'test/keep/postgres/postgres-keep.test.ts',
    tests: 'lets its owner commit, and nobody who had it before',
  }),
];

type SourceChange = import('../../../src/registry/source-change.js').SourceChange;
type RegistryDataOf = import('../../../src/registry/registry-data.js').RegistryData;
type LevelWriterOf = import('../../../src/keep/level/level-writer.js').LevelWriter;
type ServiceTablesOf = import('../../../src/keep/postgres/service-tables.js').ServiceTables;
