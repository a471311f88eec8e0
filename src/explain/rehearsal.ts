import type { Field } from '../component/fields.js';
import type { Metadata } from '../component/metadata.js';
import type { ListedAddress } from '../component/network-list.js';
import type { Source, SourceKind } from '../component/source.js';
import type { InvalidComponent } from '../core/document-record.js';
import type { ShownRefusals } from '../core/refusal.js';
import type { FailingDocument } from './source-status.js';

/** How many there are, and the first of them. */
export interface Counted<T> {
  readonly count: number;
  readonly examples: readonly T[];
}

/** Of everything that is counted, so many are named. */
const NAMED = 100;

/** Counts, and keeps the first. */
export class Counting<T> implements Counted<T> {
  count = 0;
  readonly examples: T[] = [];

  constructor(items: Iterable<T> = []) {
    for (const item of items) this.add(item);
  }

  add(item: T): void {
    this.count += 1;
    if (this.examples.length < NAMED) this.examples.push(item);
  }
}

/** A component that a rehearsed source describes. */
export type Rehearsed = Pick<Metadata, 'uri' | 'label' | 'version'>;

/** A component of which something else would be served than now; `fields` would differ. */
export interface ChangedComponent extends Rehearsed {
  readonly fields: readonly Field[];
}

/** A component that another source describes, too. */
export interface ContestedComponent extends Rehearsed {
  /** The other one: of those that describe it now, the first. */
  readonly source: Source;
  /** Whose description would be served. */
  readonly winner: Source;
  /** By which rule, for people. */
  readonly because: string;
}

/** What a source would do to the components that are served. */
export interface Effects {
  /** Components that nobody describes here. */
  readonly adds: Counted<Rehearsed>;
  /** Components that would be served from it, for which the operator would answer then and does not now. */
  readonly trusts: Counted<Rehearsed>;
  readonly changes: Counted<ChangedComponent>;
  /** Components of which it would be served instead of that source, whether or not it says the same. */
  readonly hides: Counted<ContestedComponent>;
  /** Components of which that source goes on to be served, because it comes first. */
  readonly shadowed: Counted<ContestedComponent>;
  /** Components of which it is served already, as it describes them. */
  readonly unchanged: number;
}

/** What trusting a pod or a peer would lead to (design, section 15). Nothing of it has happened. */
export interface Rehearsal {
  readonly url: string;
  readonly kind: Exclude<SourceKind, 'local' | 'sample'>;
  /** Is it read already? */
  readonly known?: 'configured' | 'learned';
  /** It is read with credentials: what others may not read there becomes public on this node. */
  readonly private?: true;
  /** Why it could not be read, or not all of it; what could be read is told nevertheless. */
  readonly error?: string;
  /** Of a source with more components: so many of them were looked at, and `refuses.omitted` counts the others, too. */
  readonly lookedAt?: number;
  /** Valid descriptions, and the documents that they are in. */
  readonly components: number;
  readonly documents: number;
  readonly effects: Effects;
  readonly refuses: {
    /** Descriptions that break a rule. */
    readonly invalid: Counted<InvalidComponent & { readonly document: string }>;
    /** Documents that cannot be read. */
    readonly documents: Counted<Pick<FailingDocument, 'url' | 'error'>>;
    /** What this node has no room for. */
    readonly omitted?: { readonly components: number; readonly documents: number };
    /** Pods whose documents are not taken from a peer: the operator denies them, or this node reads them itself. */
    readonly pods: Counted<{ readonly url: string; readonly isDenied: boolean }>;
  };
  /** Whom it would make known. */
  readonly introduces: {
    readonly peers: Counted<Pick<ListedAddress, 'url' | 'hops'>>;
    readonly pods: Counted<Pick<ListedAddress, 'url' | 'hops'>>;
    /** Of the addresses that it tells of, those that would not be read. */
    readonly refused: ShownRefusals;
  };
}

/** Is there something that an operator should look at before the source is trusted? */
export function isHarmless({ error, effects, refuses }: Rehearsal): boolean {
  const { invalid, documents, omitted } = refuses;
  const remarkable = effects.changes.count + effects.hides.count + invalid.count + documents.count;
  return error === undefined && omitted === undefined && remarkable === 0;
}
