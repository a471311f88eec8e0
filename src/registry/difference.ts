import { itemOf } from '../catalog/edited.js';
import { documentKey, type Entry } from '../catalog/entry.js';
import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import { type DocumentChange, documentSteps, type StatementStep } from '../core/document-change.js';
import { type DocumentRecord, unread } from '../core/document-record.js';
import { HashChange } from '../core/source-digests.js';
import type { Breather } from '../lib/pace.js';
import { byOf, type HeldSource } from './held.js';
import type { RegistryData } from './registry-data.js';
import type { SourceChange } from './source-change.js';

/** Statements that one commit changes at most (design, section 5). */
export const MOST_AT_ONCE = 10_000;

/** What becomes of one statement. `told`: it is said as before, and gets a position because its pin has changed. */
export interface Step {
  readonly source: Source;
  readonly document: string;
  readonly uri: string;
  readonly kind: StatementStep<Entry>['kind'] | 'told';
  readonly before?: Entry | undefined;
  readonly after?: Metadata | undefined;
}

type Records = Map<string, DocumentRecord | null>;

/** What one commit does of a change. */
export interface Portion {
  /** In the order of their positions. */
  readonly steps: readonly Step[];
  /** By URL; null for a document that goes. */
  readonly documents: Records;
  readonly hashes: HashChange;
}

/**
 * What a change does to what is stored, in as many portions as need commits of their own: first what comes and changes, then what
 * goes. Of a document whose portions are not all stored, nothing is remembered that would keep it from being read again; and the
 * digests fit what is stored behind each of them. Gives way to other work: the source must not change meanwhile.
 * @param most statements that one commit changes at most
 * @throws DigestMismatch; TypeError, see `documentSteps`
 */
export async function differenceOf(
  { source, documents, expected }: Pick<SourceChange, 'source' | 'documents' | 'expected'>,
  { catalog, now }: Pick<RegistryData, 'catalog' | 'now'>,
  most: number,
  breathe: Breather,
): Promise<Portion[]> {
  const held = now.held.current(source);
  const ofAfter = new Map<string, string>();
  const steps: Step[] = [];
  let hashes = new HashChange(byOf(held.hashes));
  for (const one of documents) {
    const { url: document, record } = one;
    const known: DocumentRecord = held.documents.get(document) ?? {};
    const { said } = catalog.document(documentKey({ source, document }));
    const [of, after] = [known.of ?? '', (record ?? known).of ?? ''];
    ofAfter.set(document, after);
    const find = (uri: string) => itemOf(said, uri);
    for (const step of documentSteps(one, known, { said, find })) {
      const { uri } = step.after ?? step.before;
      if (step.kind !== 'kept') steps.push({ source, document, uri, ...step });
      await breathe();
    }
    // All that it says comes to another source of the peer before anything else happens to it.
    for (const { metadata } of of === after ? [] : said) {
      hashes.remove(of, document, metadata);
      hashes.add(after, document, metadata);
      await breathe();
    }
  }
  const parted = inPortions(steps, most);
  const records = recordsOf(parted, documents, held);
  const portions: Portion[] = [];
  for (const [at, some] of parted.entries()) {
    if (at > 0) hashes = new HashChange(hashes.all);
    for (const { kind, document, before, after } of some) {
      if (kind === 'moved') continue;
      const of = ofAfter.get(document) ?? '';
      if (before) hashes.remove(of, document, before.metadata);
      if (after) hashes.add(of, document, after);
      await breathe();
    }
    portions.push({ steps: some, documents: records[at] ?? new Map(), hashes });
  }
  hashes.verify(expected);
  return portions;
}

/** What goes comes last, where it does not fit into one commit. One portion at least, because records change, too. */
function inPortions(steps: readonly Step[], most: number): readonly (readonly Step[])[] {
  if (steps.length <= most) return [steps];
  const isRemoval = ({ kind }: Step) => kind === 'removed';
  const ordered = [...steps.filter((step) => !isRemoval(step)), ...steps.filter(isRemoval)];
  return Array.from({ length: Math.ceil(steps.length / most) }, (_, i) =>
    ordered.slice(i * most, (i + 1) * most),
  );
}

/** What each portion leaves of documents: of one whose last step is still to come, what makes it be read again. */
function recordsOf(
  portions: readonly (readonly Step[])[],
  changes: readonly DocumentChange[],
  { documents }: HeldSource,
): readonly Records[] {
  const records: [Records, ...Records[]] = [new Map(), ...portions.slice(1).map(() => new Map())];
  const given = new Map(changes.map(({ url, record }) => [url, record]));
  const last = new Map<string, number>();
  const leave = (at: number, url: string) => {
    const [record, known] = [given.get(url), documents.get(url)];
    records[at]?.set(url, unread({ ...(known ?? record), of: (record ?? known)?.of }));
  };
  for (const [at, steps] of portions.entries()) {
    for (const { document } of steps) {
      if (last.get(document) !== at) leave(at, document);
      last.set(document, at);
    }
  }
  for (const [url, record] of given) {
    if (record && record.of !== documents.get(url)?.of) leave(0, url);
    records[last.get(url) ?? portions.length - 1]?.set(url, record);
  }
  return records;
}
