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

/** One document is read again, amended, unchanged but for its record, or gone (then `record` is null). */
export interface DocumentChange {
  readonly url: string;
  /** All that it says; never beside `amend`. */
  readonly components?: readonly Metadata[] | undefined;
  readonly amend?: Amendment | undefined;
  readonly record: DocumentRecord | null;
}

/** What a document says now. `S` is how the registry holds a statement: parsed when it is asked for. */
export interface Sayings<S extends Saying = Saying> {
  readonly said: readonly S[];
  find(uri: string): S | undefined;
}

interface Saying {
  readonly uri: string;
  readonly metadata: Metadata;
}

/**
 * The statements that a change of a document names, or that go by it: each once, in the order in which they
 * get positions.
 */
export function* namedIn<S extends Saying>(
  { components, amend = {}, record }: Omit<DocumentChange, 'url'>,
  { said, find }: Sayings<S>,
): Generator<{ readonly before?: S; readonly after?: Metadata }> {
  const named = new Set<string>();
  for (const after of components ?? amend.put ?? []) {
    if (named.has(after.uri)) continue;
    named.add(after.uri);
    const before = find(after.uri);
    yield before ? { before, after } : { after };
  }
  const isWhole = components !== undefined || record === null;
  for (const uri of isWhole ? said.map((one) => one.uri) : (amend.remove ?? [])) {
    const before = named.has(uri) ? undefined : find(uri);
    named.add(uri);
    if (before) yield { before };
  }
}

/** What becomes of one statement; `moved`: its rank changes. All but `kept` get a position. */
export type StatementStep<S> =
  | { readonly kind: 'added'; readonly before?: undefined; readonly after: Metadata }
  | { readonly kind: 'changed' | 'moved' | 'kept'; readonly before: S; readonly after: Metadata }
  | { readonly kind: 'removed'; readonly before: S; readonly after?: undefined };

/**
 * What a change of a document does to its statements, in the order in which they get positions.
 * @param known what is remembered of the document before
 * @throws TypeError for a document that comes to belong to another source of the peer without all that it
 * says
 */
export function* documentSteps<S extends Saying>(
  change: Omit<DocumentChange, 'url'>,
  known: DocumentRecord,
  sayings: Sayings<S>,
): Generator<StatementStep<S>> {
  const { components, record } = change;
  const isRegrouped = record !== null && (record.of ?? '') !== (known.of ?? '');
  if (isRegrouped && !components && sayings.said.length > 0)
    throw new TypeError('What a document belongs to changes only with all that it says');
  const hasMoved = record !== null && !sameAuthority(record.authority, known.authority);
  const same = hasMoved ? 'moved' : 'kept';
  const named = new Set<S>();
  for (const { before, after } of namedIn(change, sayings)) {
    if (before) named.add(before);
    if (before && after)
      yield { kind: sameMetadata(before.metadata, after) ? same : 'changed', before, after };
    else if (before) yield { kind: 'removed', before };
    else if (after) yield { kind: 'added', after };
  }
  if (components || same === 'kept') return;
  for (const before of sayings.said)
    if (!named.has(before)) yield { kind: 'moved', before, after: before.metadata };
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
  readonly examples: Record<keyof ChangeExamples, ComponentName[]> = { added: [], changed: [], removed: [] };

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
