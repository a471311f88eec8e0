import { LOCAL } from '../component/source.js';
import { counted } from '../lib/counted.js';
import type { Pins } from '../registry/pins.js';
import type { Registry } from '../registry/registry.js';
import type { DocumentChange } from '../registry/source-change.js';
import { noteImport, unfinishedImport, withoutImport } from '../registry/unfinished-import.js';
import { type Content, contentOf } from './content.js';
import { ContentDigest, differences } from './content-digest.js';
import { type ExportSummary, recordsOf, UnusableExport } from './export-file.js';
import type { ImportClock } from './import-clock.js';
import { clearRecords, hasRecords, RecordsImport } from './import-records.js';
import { importRegistry } from './import-registry.js';

/** Where a file is imported to. Nobody else changes it meanwhile. */
export interface ImportTarget extends Content {
  /** That of the registry. */
  readonly clock: ImportClock;
}

export interface ImportOptions {
  /** May what is there be removed? */
  readonly replace: boolean;
}

/** How it went. */
export interface Imported {
  /** Nothing was to be done: what the file holds is there, and nothing else. */
  readonly wasThere: boolean;
  /** Statements that an earlier import of the same file had stored. */
  readonly resumedAt: number;
}

/**
 * Imports a file that has been checked. At the end everything that is stored is read again, and its digests are compared
 * with those of the file. An import that was broken off goes on when the same file is imported again; until it has
 * ended, no node serves what is there (`refuseUnfinishedImport`).
 * @throws UnusableExport when something else is there, which stays as it is; Error when what is stored is not what the
 * file holds
 */
export async function importExport(
  path: string,
  summary: ExportSummary,
  target: ImportTarget,
  { replace }: ImportOptions,
): Promise<Imported> {
  const file = summary.end.sha256;
  const noted = await unfinishedImport(target.registry);
  const isSame = noted?.file === file;
  if (!noted && (await isFilled(target)) && (await differing(summary, target)).length === 0) {
    return { wasThere: true, resumedAt: 0 };
  }
  if (!isSame && !replace) await refuseOthers(target, noted !== undefined);
  if (!isSame || noted.phase === 'clear') await clear(target, file);
  const resumedAt = await statementsIn(target);
  await fill(path, target, resumedAt);
  const different = await differing(summary, target);
  if (different.length > 0) {
    throw new Error(
      `what is stored now is not what ${path} holds: ${different.join(', ')}. No node starts with it; import the file again with --replace`,
    );
  }
  await endNote(target.registry);
  return { wasThere: false, resumedAt };
}

/** Everything is read again from what is stored, by the code that writes exports. */
async function differing(summary: ExportSummary, target: ImportTarget): Promise<string[]> {
  const digest = new ContentDigest();
  for await (const record of contentOf(target)) digest.add(record);
  const expected = summary.digests.filter(({ part }) => target.records || part !== 'connections');
  return differences(digest.lines(), expected);
}

async function isFilled({ registry, catalog, pins, records }: ImportTarget): Promise<boolean> {
  const { peers, storage } = await catalog.network();
  const { all } = await pins.counts();
  const isEmpty = (await registry.sources()).length + peers.length + storage.length + all === 0;
  return !isEmpty || (records !== undefined && (await hasRecords(records)));
}

/** @throws UnusableExport */
async function refuseOthers(target: ImportTarget, hasBegun: boolean): Promise<void> {
  if (hasBegun) {
    throw new UnusableExport(
      'the import of another file has begun here and was broken off: import that file again, or this one with --replace, which removes what is there first',
    );
  }
  if (!(await isFilled(target))) return;
  const sources = await target.registry.sources();
  const statements = counted(await statementsIn(target), 'statement');
  throw new UnusableExport(
    `there are ${statements} of ${counted(sources.length, 'source')} here already, or connections: import into an empty data directory (dataDir), or with --replace, which removes what is there first`,
  );
}

/** Removes all that is there. That an import goes on stays noted all the time. */
async function clear({ registry, pins, records }: ImportTarget, file: string): Promise<void> {
  await noteImport(registry, { file, phase: 'clear' });
  for (const { source, documents } of await registry.sources()) {
    if (source.kind !== LOCAL.kind) {
      await registry.forget(source);
      continue;
    }
    const gone = [...documents.keys()].map((url): DocumentChange => ({ url, record: null }));
    const memo = { import: { file, phase: 'clear' } };
    await registry.commit({ source, documents: gone, record: () => ({ failures: 0, memo }) });
  }
  await clearPins(pins);
  if (records) await clearRecords(records);
  await noteImport(registry, { file, phase: 'fill' });
}

async function clearPins(pins: Pins): Promise<void> {
  for (;;) {
    const some = await pins.list({ limit: 1000 });
    if (some.length === 0) return;
    await pins.change(some, () => undefined);
  }
}

async function fill(path: string, target: ImportTarget, stored: number): Promise<void> {
  const recordsImport = target.records && new RecordsImport(target.records);
  const ofRegistry = async function* () {
    for await (const record of recordsOf(path)) {
      if (record.type === 'record' || record.type === 'quads') await recordsImport?.store(record);
      else yield record;
    }
  };
  await importRegistry(ofRegistry(), { ...target, stored });
  await recordsImport?.end();
}

async function statementsIn({ catalog }: Pick<Content, 'catalog'>): Promise<number> {
  const { feed } = await catalog.state();
  return feed.sources.reduce((sum, { count }) => sum + count, 0);
}

/** Of the node itself nothing may be remembered but the note. */
async function endNote(registry: Registry): Promise<void> {
  const own = await registry.source(LOCAL);
  const isNothing = own && own.documents.size === 0 && Object.keys(withoutImport(own.record)).length === 1;
  if (isNothing) await registry.forget(LOCAL);
  else await registry.commit({ source: LOCAL, documents: [], record: withoutImport });
}
