import { LOCAL, type Source, sameSource } from '../component/source.js';
import { unread } from '../core/document-record.js';
import { HashChange, NO_HASHES } from '../core/source-digests.js';
import type { LogTo } from '../lib/log.js';
import { NO_CONTENTS } from './commit-contents.js';
import { documentRows, type PreparedCommit, type RegistryParts, stateChange } from './prepared-commit.js';
import { SourceAfter } from './source-after.js';
import type { Loss } from './statement-sums.js';

/**
 * What makes a source be read again whole, whatever is stored of it: what there is counts, and nothing is remembered that would
 * keep its documents from being read. What was posted to the node itself stays as it is, and what was decided.
 */
export async function recovery(source: Source, parts: RegistryParts): Promise<PreparedCommit> {
  const { data, pace } = parts;
  const breathe = pace();
  const held = data.held.current(source);
  const { memo: _memo, ...others } = held.record;
  const hashes = new HashChange(NO_HASHES);
  const record = sameSource(source, LOCAL) ? held.record : others;
  const after = new SourceAfter({ ...held, seals: new Map() }, record, hashes);
  for (const of of held.hashes.keys()) after.addSeal(of, 0);
  const documents = new Map([...held.documents].map(([url, one]) => [url, unread(one.record)]));
  for (const { document, said } of data.catalog.documentsOf(source)) {
    const remembered = documents.get(document) ?? {};
    documents.set(document, remembered);
    const { of = '' } = remembered;
    for (const entry of said) {
      hashes.add(of, document, entry.metadata);
      after.addSeal(of, entry.seal);
      await breathe();
    }
  }
  const { position } = data.meta;
  const isSame = after.summary(position)?.digest === held.summary?.digest;
  const change = isSame ? undefined : stateChange(parts, 1);
  const rows = after.rows(change?.position);
  const contents = { ...NO_CONTENTS, ...rows, documents: documentRows(source, documents) };
  if (!change) return { contents, rows: [] };
  const summaries = new Map([[after.key, after.summary(change.position)]]);
  return { contents, rows: [], change: { ...change, summaries } };
}

export function tellLoss({ source, expected, found }: Loss, log: LogTo<'warn'>): void {
  const { kind, url } = source;
  const remedy = sameSource(source, LOCAL)
    ? 'what was posted to this node and is not listed any more has to be posted again, unless it is restored now'
    : 'it is read again whole';
  log.warn(
    { kind, source: url, expected, found },
    `the stored statements of this source are not those that were written: ${remedy}; if this is said again, run repair`,
  );
}
