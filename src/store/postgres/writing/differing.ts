import type { Metadata } from '../../../component/metadata.js';
import { grouped } from '../../../lib/grouped.js';
import type { Breather } from '../../../lib/pace.js';
import type { Session } from '../connection/session.js';
import { MARK_LENGTH, metadataOf, payloadMark } from '../payload.js';
import { readNamed, type StoredStatement } from './statements.js';

/** Of a document that is compared: what it says now and shall not say so any more, and what it shall say and does not say so yet. */
export interface Differing {
  readonly stored: readonly StoredStatement[];
  readonly coming: readonly Metadata[];
}

/** What documents shall say, by their ids: of each component once. */
export type Wanted = ReadonlyMap<number, Iterable<Metadata>>;

interface MarksRow {
  readonly document: number;
  readonly lines: string;
}

/** Keys of uris have neither spaces nor line breaks. As one text for each document, because rows take longer to read than that. */
const MARKS = `SELECT document, string_agg(coalesce(mark, $2) || uri, E'\\n') AS lines
  FROM registry.statement WHERE document = ANY($1::bigint[]) GROUP BY document`;
/** Stands for the mark of a row that an earlier release has written. */
const UNMARKED = ' '.repeat(MARK_LENGTH);

/**
 * Compares what documents say with all that they shall say. While the server looks up the marks of the one, those of the
 * other are made; rows are read where the marks differ, and those of an earlier release that have none.
 */
export async function readDiffering(
  session: Session,
  wanted: Wanted,
  breathe: Breather,
): Promise<Map<number, Differing>> {
  if (wanted.size === 0) return new Map();
  const [rows, coming] = await Promise.all([
    session.rows<MarksRow>(MARKS, [[...wanted.keys()], UNMARKED], 'marks'),
    marksOf(wanted, breathe),
  ]);
  const named = rows.flatMap(({ document, lines }) => withoutKnown(document, lines, coming.get(document)));
  const isOther = ({ document, payload }: StoredStatement) =>
    !coming.get(document)?.delete(payloadMark(metadataOf(payload)));
  const stored = grouped((await readNamed(session, named)).filter(isOther), ({ document }) => document);
  const differing = ([id, marked]: readonly [number, ReadonlyMap<string, Metadata>]) =>
    [id, { stored: stored.get(id) ?? [], coming: [...marked.values()] }] as const;
  return new Map([...coming].map(differing));
}

/** By their marks, in the order in which the document has them. */
async function marksOf(wanted: Wanted, breathe: Breather): Promise<Map<number, Map<string, Metadata>>> {
  const all = new Map<number, Map<string, Metadata>>();
  for (const [document, components] of wanted) {
    const marked = new Map<string, Metadata>();
    for (const one of components) {
      marked.set(payloadMark(one), one);
      await breathe();
    }
    all.set(document, marked);
  }
  return all;
}

/** Removes from what is to come what is there already, and names what is there and not to come. */
function withoutKnown(
  document: number,
  lines: string,
  coming: Map<string, Metadata> | undefined,
): Pick<StoredStatement, 'uri' | 'document'>[] {
  return lines.split('\n').flatMap((line) => {
    const isKnown = coming?.delete(line.slice(0, MARK_LENGTH));
    return isKnown ? [] : [{ document, uri: line.slice(MARK_LENGTH) }];
  });
}
