import { LOCAL } from '../component/source.js';
import { KeepUnusable } from '../keep/faults.js';
import type { Registry } from './registry.js';
import type { SourceRecord } from './source-record.js';

/** An import of a file that has begun and not ended. It is remembered with the record of the node's own graph. */
export interface UnfinishedImport {
  /** SHA-256 of the content of the file, in hexadecimal. */
  readonly file: string;
  /** `clear`: what was there before is being removed; `fill`: what the file holds is being stored. */
  readonly phase: 'clear' | 'fill';
}

/** What is remembered of an import, in `SourceRecord.memo`. */
interface ImportMemo {
  readonly import?: UnfinishedImport;
}

export async function unfinishedImport(
  registry: Pick<Registry, 'source'>,
): Promise<UnfinishedImport | undefined> {
  const own = await registry.source(LOCAL);
  return ((own?.record.memo ?? {}) as ImportMemo).import;
}

/** Remembers that an import goes on. */
export async function noteImport(registry: Pick<Registry, 'commit'>, noted: UnfinishedImport): Promise<void> {
  await registry.commit({
    source: LOCAL,
    documents: [],
    record: (record) => ({ ...record, memo: { ...record.memo, import: noted } }),
  });
}

/** The record of the node's own graph, without a note of an import. */
export function withoutImport({ memo, ...record }: SourceRecord): SourceRecord {
  const { import: _import, ...others } = (memo ?? {}) as ImportMemo;
  return Object.keys(others).length === 0 ? record : { ...record, memo: others };
}

/** A node that served half of what a file holds would look as if the rest were lost. @throws KeepUnusable */
export async function refuseUnfinishedImport(registry: Pick<Registry, 'source'>): Promise<void> {
  if (!(await unfinishedImport(registry))) return;
  throw new KeepUnusable(
    'An import has begun here and was broken off, so that only a part of the file is stored: run the import of the same file again, which goes on where it ended',
  );
}
