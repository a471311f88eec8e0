/** What is stored, and what of it shows: the commits of the registry, and of the keeps below it. */
import { type Broken, breaks } from '../rule.js';

export const STORING: Broken = {
  'test/registry/memory.test.ts': [
    breaks<typeof import('../../../src/registry/registry.js')>('registry/registry', {
      'the cursor is stored before its data': ({ createRegistry }) => ({
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
      'a tombstone is revived by the next change of its source': ({ createRegistry }) => ({
        createRegistry(...parts) {
          const registry = createRegistry(...parts);
          const said = new Map<string, SourceChange['documents'][number]>();
          const commit: typeof registry.commit = ({ source, documents, ...change }) => {
            const named = new Set(documents.map(({ url }) => url));
            const again = [...said].filter(([key, { url }]) => key === source.url + url && !named.has(url));
            for (const one of documents) if (one.components?.length) said.set(source.url + one.url, one);
            return registry.commit({
              ...change,
              source,
              documents: [...documents, ...again.map(([, one]) => one)],
            });
          };
          return { ...registry, commit };
        },
      }),
    }),
    breaks<typeof import('../../../src/core/document-change.js')>('core/document-change', {
      'the removal of a statement is dropped': ({ documentSteps }) => ({
        *documentSteps(change, known, sayings) {
          for (const step of documentSteps(change, known, sayings)) if (step.kind !== 'removed') yield step;
        },
      }),
      'a tag moves without a change': ({ documentSteps }) => ({
        *documentSteps(change, known, sayings) {
          for (const step of documentSteps(change, known, sayings))
            yield step.kind === 'kept' ? { ...step, kind: 'changed' } : step;
        },
      }),
    }),
    breaks<typeof import('../../../src/registry/registry-data.js')>('registry/registry-data', {
      'a tag does not move with a change': (original) => ({
        RegistryData: class extends original.RegistryData {
          override absorb(...[contents, head]: Parameters<RegistryDataOf['absorb']>) {
            const { revision } = this.now.meta;
            const { registry } = contents.single;
            const still = registry && revision.number > 1 ? { registry: { ...registry, revision } } : {};
            return super.absorb({ ...contents, single: { ...contents.single, ...still } }, head);
          }
        },
      }),
    }),
    breaks<typeof import('../../../src/core/source-digests.js')>('core/source-digests', {
      'a digest is taken on trust': (original) => ({
        HashChange: class extends original.HashChange {
          override verify(): void {
            // Nothing is compared.
          }
        },
      }),
    }),
    breaks<typeof import('../../../src/core/feed-window.js')>('core/feed-window', {
      'a cursor of another history is answered': () => ({ unknownState: () => undefined }),
      'removals are forgotten at once': () => ({ outlived: (removals) => [...removals] }),
    }),
  ],
  'test/sync/peer/lying-feed.test.ts tells digests that it has not': breaks<
    typeof import('../../../src/core/source-digests.js')
  >('core/source-digests', {
    'the digest over all sources forgets who says it': ({ feedDigest }) => ({
      feedDigest: (_, networkRevision) => feedDigest([], networkRevision),
    }),
  }),
  'test/keep/level-place.test.ts': [
    breaks<typeof import('../../../src/keep/level/level-files.js')>('keep/level/level-files', {
      'no fsync': ({ openLevel }) => ({
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
    }),
    breaks<typeof import('../../../src/keep/level/level-writer.js')>('keep/level/level-writer', {
      'a write is acknowledged before it is stored': (original) => ({
        LevelWriter: class extends original.LevelWriter {
          override async write(...[fill]: Parameters<LevelWriterOf['write']>): Promise<void> {
            super.write(fill).catch(() => undefined);
          }
        },
      }),
    }),
  ],
  'test/keep/level-keep.test.ts': breaks<typeof import('../../../src/keep/stored-row.js')>(
    'keep/stored-row',
    {
      'a damaged row is taken for what was written': () => ({ sealOf: () => 0 }),
    },
  ),
  'test/keep/postgres/postgres-keep.test.ts lets its owner commit, and nobody who had it before': breaks<
    typeof import('../../../src/keep/postgres/service-tables.js')
  >('keep/postgres/service-tables', {
    'a lease without a fence': (original) => ({
      ServiceTables: class extends original.ServiceTables {
        // Whoever had it before may commit.
        override holds = async () => true;
      },
    }),
  }),
};

type SourceChange = import('../../../src/registry/difference.js').SourceChange;
type RegistryDataOf = import('../../../src/registry/registry-data.js').RegistryData;
type LevelWriterOf = import('../../../src/keep/level/level-writer.js').LevelWriter;
