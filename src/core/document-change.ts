import { type Metadata, sameMetadata } from '../component/metadata.js';
import { excerpt } from '../lib/excerpt.js';
import type { DocumentRecord } from './document-record.js';
import { sameAuthority } from './precedence.js';

/**
 * What a document says from now on, of each component the first, and uris of what it no longer says; the rest
 * stays.
 */
export interface Amendment {
  readonly put?: readonly Metadata[];
  readonly remove?: readonly string[];
}

/** How a poll leaves one document: read again, amended, unchanged but for its record, or gone (`record` is null). */
export interface DocumentChange {
  readonly url: string;
  /** All that it says; never beside `amend`. */
  readonly components?: readonly Metadata[] | undefined;
  readonly amend?: Amendment | undefined;
  readonly record: DocumentRecord | null;
}

/** The same changes, with each document once: a later change counts on top of the one before. */
export function eachDocumentOnce(changes: readonly DocumentChange[]): readonly DocumentChange[] {
  const byUrl = new Map<string, DocumentChange>();
  for (const change of changes) {
    const before = byUrl.get(change.url);
    byUrl.set(change.url, before ? onTopOf(before, change) : change);
  }
  return [...byUrl.values()];
}

function onTopOf(before: DocumentChange, after: DocumentChange): DocumentChange {
  const { url, components, record } = after;
  if (components || record === null) return after;
  const { put = [], remove = [] } = after.amend ?? {};
  const named = new Set([...put.map(({ uri }) => uri), ...remove]);
  const joined = (said: readonly Metadata[] = []) => [...put, ...said.filter(({ uri }) => !named.has(uri))];
  if (before.components || before.record === null)
    return { url, components: joined(before.components), record };
  const earlier = before.amend ?? {};
  const gone = (earlier.remove ?? []).filter((uri) => !named.has(uri));
  return { url, amend: { put: joined(earlier.put), remove: [...remove, ...gone] }, record };
}

/** What a document says before it changes. `S` is how the registry holds a statement. */
export interface DocumentBefore<S> {
  readonly record: DocumentRecord;
  readonly said: readonly S[];
  find(uri: string): S | undefined;
  metadataOf(statement: S): Metadata;
}

/** What a document says now; each description is parsed when it is asked for. */
export type Sayings = Pick<
  DocumentBefore<{ readonly uri: string; readonly metadata: Metadata }>,
  'said' | 'find'
>;

/** What becomes of one statement; `moved`: its rank changes. All but `kept` get a position. */
export type StatementStep<S> =
  | { readonly kind: 'added'; readonly before?: undefined; readonly after: Metadata }
  | { readonly kind: 'changed' | 'moved' | 'kept'; readonly before: S; readonly after: Metadata }
  | { readonly kind: 'removed'; readonly before: S; readonly after?: undefined };

export function isRegrouped(record: DocumentRecord | null, before: DocumentRecord): boolean {
  return record !== null && (record.of ?? '') !== (before.of ?? '');
}

/**
 * What a change of a document does to its statements, in the order in which they get positions.
 * @throws TypeError for a document that comes to belong to another source of the peer without all that it
 * says
 */
export function* documentSteps<S>(
  change: Omit<DocumentChange, 'url'>,
  before: DocumentBefore<S>,
): Generator<StatementStep<S>> {
  const { components, amend = {}, record } = change;
  if (record && !components && before.said.length > 0 && isRegrouped(record, before.record))
    throw new TypeError('What a document belongs to changes only with all that it says');
  const hasMoved = record !== null && !sameAuthority(record.authority, before.record.authority);
  const same = hasMoved ? 'moved' : 'kept';
  const named = new Set<S>();
  const seen = new Set<string>();
  for (const after of components ?? amend.put ?? []) {
    if (seen.has(after.uri)) continue;
    seen.add(after.uri);
    const statement = before.find(after.uri);
    if (statement === undefined) {
      yield { kind: 'added', after };
      continue;
    }
    named.add(statement);
    yield {
      kind: sameMetadata(before.metadataOf(statement), after) ? same : 'changed',
      before: statement,
      after,
    };
  }
  const isWhole = components !== undefined || record === null;
  for (const one of isWhole ? before.said : (amend.remove ?? [])) {
    const statement = typeof one === 'string' ? before.find(one) : one;
    if (statement === undefined || named.has(statement)) continue;
    named.add(statement);
    yield { kind: 'removed', before: statement };
  }
  if (components || same === 'kept') return;
  for (const statement of before.said) {
    const after = before.metadataOf(statement);
    if (!named.has(statement)) yield { kind: 'moved', before: statement, after };
  }
}

/** A component as events and the log name it. */
export interface ComponentName {
  readonly uri: string;
  readonly label: string;
}

/** The first few of the components whose descriptions were added, changed and removed. */
export type ChangeExamples = Readonly<Record<'added' | 'changed' | 'removed', readonly ComponentName[]>>;

const EXAMPLES = 3;
const LONGEST_LABEL = 100;

/** Counts what steps do to descriptions, and names the first few of their components. */
export class StepCount {
  added = 0;
  changed = 0;
  removed = 0;
  readonly examples = {
    added: [] as ComponentName[],
    changed: [] as ComponentName[],
    removed: [] as ComponentName[],
  };

  /** @param describing parses what is said, which only examples need */
  count(kind: string, describing: () => Metadata): void {
    if (kind !== 'added' && kind !== 'changed' && kind !== 'removed') return;
    this[kind] += 1;
    const examples = this.examples[kind];
    if (examples.length === EXAMPLES) return;
    const { uri, label } = describing();
    examples.push({ uri, label: excerpt(label, LONGEST_LABEL) });
  }
}
