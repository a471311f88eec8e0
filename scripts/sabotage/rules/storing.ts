/** What is stored, and what of it shows: the commits of the registry, and of the keeps below it. */
import type * as documentChange from '../../../src/core/document-change.js';
import type * as feedWindow from '../../../src/core/feed-window.js';
import type * as sourceDigests from '../../../src/core/source-digests.js';
import type * as levelFiles from '../../../src/keep/level/level-files.js';
import type * as levelWriter from '../../../src/keep/level/level-writer.js';
import type * as serviceTables from '../../../src/keep/postgres/service-tables.js';
import type * as storedRow from '../../../src/keep/stored-row.js';
import type { SourceChange } from '../../../src/registry/difference.js';
import type * as registry from '../../../src/registry/registry.js';
import type * as registryData from '../../../src/registry/registry-data.js';
import { breaks } from '../rule.js';

const MEMORY = 'test/registry/memory.test.ts';

export const STORING = [
  breaks<typeof registry>('registry/registry', MEMORY, {
    'the cursor is stored before its data': ({ createRegistry }) => ({
      createRegistry(...parts) {
        const { commit, ...registry } = createRegistry(...parts);
        const early = ({ source, record }: SourceChange) => commit({ source, documents: [], record });
        return { ...registry, commit: (change) => early(change).then(() => commit(change)) };
      },
    }),
  }),
  // Histories do not come to it every time.
  breaks<typeof registry>('registry/registry', 'test/registry/registry.test.ts', {
    'a tombstone is revived by the next change of its source': ({ createRegistry }) => ({
      createRegistry(...parts) {
        const { commit, ...registry } = createRegistry(...parts);
        const said = new Map<string, SourceChange['documents'][number]>();
        const revive: typeof commit = (change) => {
          const { source, documents } = change;
          const named = new Set(documents.map(({ url }) => url));
          const gone = [...said].filter(([key, { url }]) => key === source.url + url && !named.has(url));
          for (const one of documents) if (one.components?.length) said.set(source.url + one.url, one);
          return commit({ ...change, documents: [...documents, ...gone.map(([, one]) => one)] });
        };
        return { ...registry, commit: revive };
      },
    }),
  }),
  breaks<typeof documentChange>('core/document-change', MEMORY, {
    'the removal of a statement is dropped': ({ documentSteps }) => ({
      *documentSteps(...asked) {
        for (const step of documentSteps(...asked)) if (step.kind !== 'removed') yield step;
      },
    }),
    'a tag moves without a change': ({ documentSteps }) => ({
      *documentSteps(...asked) {
        for (const step of documentSteps(...asked))
          yield step.kind === 'kept' ? { ...step, kind: 'changed' } : step;
      },
    }),
  }),
  breaks<typeof registryData>('registry/registry-data', MEMORY, {
    'a tag does not move with a change': ({ RegistryData }) => ({
      RegistryData: class extends RegistryData {
        override absorb(...[contents, head]: Parameters<registryData.RegistryData['absorb']>) {
          const { revision } = this.now.meta;
          const { registry } = contents.single;
          const still = registry && revision.number > 1 ? { registry: { ...registry, revision } } : {};
          return super.absorb({ ...contents, single: { ...contents.single, ...still } }, head);
        }
      },
    }),
  }),
  breaks<typeof sourceDigests>('core/source-digests', MEMORY, {
    'a digest is taken on trust': ({ HashChange }) => ({
      HashChange: class extends HashChange {
        override verify(): void {
          // Nothing is compared.
        }
      },
    }),
  }),
  breaks<typeof feedWindow>('core/feed-window', MEMORY, {
    'a cursor of another history is answered': () => ({ unknownState: () => undefined }),
    'removals are forgotten at once': () => ({ outlived: (removals) => [...removals] }),
  }),
  breaks<typeof levelFiles>('keep/level/level-files', 'test/keep/level-place.test.ts', {
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
  breaks<typeof levelWriter>('keep/level/level-writer', 'test/keep/level-place.test.ts', {
    'a write is acknowledged before it is stored': ({ LevelWriter }) => ({
      LevelWriter: class extends LevelWriter {
        override async write(...[fill]: Parameters<levelWriter.LevelWriter['write']>): Promise<void> {
          super.write(fill).catch(() => undefined);
        }
      },
    }),
  }),
  breaks<typeof storedRow>('keep/stored-row', 'test/keep/level-keep.test.ts', {
    'a damaged row is taken for what was written': () => ({ sealOf: () => 0 }),
  }),
  breaks<typeof serviceTables>(
    'keep/postgres/service-tables',
    'test/keep/postgres/postgres-keep.test.ts lets its owner commit, and nobody who had it before',
    {
      'a lease without a fence': ({ ServiceTables }) => ({
        ServiceTables: class extends ServiceTables {
          // Whoever had it before may commit.
          override holds = async () => true;
        },
      }),
    },
  ),
];
