import type { Batch, DocumentReading, ReadLimits } from '../../src/core/reading.js';
import type { StoredSource } from '../../src/core/source-record.js';
import { graphOf, type PeerRules, takeStatement } from '../../src/core/take.js';
import type { OpenRegistry } from '../../src/registry/registry.js';
import type { DocumentChange } from '../../src/registry/source-change.js';
import type { SourceReader } from '../../src/sync/source-reader.js';

/** More than any test reads. */
const PLENTY = { components: 1_000_000, bytes: 1_000_000_000 };
export const NO_LIMITS: ReadLimits = { most: PLENTY, room: PLENTY };

/** What one poll has read: its last batch, with what all batches say of documents. */
export interface WholeReading extends Batch {
  readonly batches: readonly Batch[];
}

export interface Circumstances {
  readonly limits?: Partial<ReadLimits>;
  readonly signal?: AbortSignal;
}

/** Reads a source to the end. It holds the reader to what is so for every reading, whatever is read. */
export async function readAll(
  reader: SourceReader,
  stored: StoredSource | undefined,
  { limits, signal = new AbortController().signal }: Circumstances = {},
): Promise<WholeReading> {
  const batches: Batch[] = [];
  for await (const batch of reader.read(stored, { ...NO_LIMITS, ...limits }, signal)) {
    if (batches.at(-1)?.isLast) throw new Error('a batch comes after the last one');
    const removes = batch.gone.length > 0 || batch.put.some(({ amend }) => amend?.remove?.length);
    if (removes && !(batch.isLast && batch.complete))
      throw new Error('a reading removes before it is complete');
    batches.push(batch);
  }
  const last = batches.at(-1);
  if (!last?.isLast) throw new Error('a reading ends without its last batch');
  const put = batches.flatMap((batch) => batch.put);
  const whole = put.filter(({ components }) => components).map(({ url }) => url);
  if (new Set(whole).size < whole.length) throw new Error('a document is given whole twice');
  return { ...last, put, batches };
}

/**
 * Stores what was read, batch by batch, as far as it is taken: what `judge` does, but for limits and losses.
 * @throws DigestMismatch
 */
export async function storeReading(
  registry: Pick<OpenRegistry, 'commit' | 'source'>,
  { source }: Pick<SourceReader, 'source'>,
  { batches }: WholeReading,
  rules?: PeerRules,
): Promise<void> {
  for (const { put, gone, isLast, memo, digests } of batches) {
    const before = (await registry.source(source))?.documents;
    const refused = new Set<string>();
    const taken = put.filter(({ url, record: { of } }) => {
      const graph = rules && { graph: graphOf(url, rules), of, isStored: before?.has(url) ?? false };
      const isTaken = !graph || takeStatement(graph, rules) === 'taken';
      if (!isTaken) refused.add(of ?? '');
      return isTaken;
    });
    const documents = [...taken.map(changeOf), ...gone.map((url): DocumentChange => ({ url, record: null }))];
    await registry.commit({
      source,
      documents,
      record: (record) => (isLast ? { ...record, ...memo } : record),
      ...(digests && { expected: new Map([...digests].filter(([of]) => !refused.has(of))) }),
    });
  }
}

function changeOf({ url, components, amend, record }: DocumentReading): DocumentChange {
  if (components) return { url, components, record };
  return amend ? { url, amend, record } : { url, record };
}

/** What came of a poll. */
export interface Polled extends WholeReading {
  readonly ok: boolean;
  readonly error?: string | undefined;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/**
 * Reads a source, and stores what was read. Where it does not agree with the digests that the other side tells, the poll has
 * failed, and what is remembered is forgotten, as the pipeline does it.
 */
export async function pollReader(
  registry: TestRegistry | OpenRegistry,
  reader: SourceReader,
  { rules, ...circumstances }: Circumstances & { readonly rules?: PeerRules } = {},
): Promise<Polled> {
  const counts = { added: 0, changed: 0, removed: 0 };
  const reading = await readAll(reader, await registry.source(reader.source), circumstances);
  const failed = async (error: string, memo?: object) => {
    const record = (now: SourceRecord) => ({ ...now, ...memo, failures: now.failures + 1, error });
    await registry.commit({ source: reader.source, documents: [], record });
    return { ...reading, ...counts, ok: false, error };
  };
  try {
    await storeReading(registry, reader, reading, rules, (one) => {
      counts.added += one.added;
      counts.changed += one.changed;
      counts.removed += one.removed;
    });
  } catch (error) {
    if (error instanceof DigestMismatch) return failed(error.message, { memo: undefined });
    throw error;
  }
  if (reading.failure) return failed(reading.failure.message);
  const record = ({ error: _, ...now }: SourceRecord) => ({ ...now, failures: 0 });
  await registry.commit({ source: reader.source, documents: [], record });
  return { ...reading, ...counts, ok: true };
}
