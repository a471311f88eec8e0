import { compareStandings, type Standing } from '../../../core/precedence.js';
import { grouped } from '../../../lib/grouped.js';
import { metadataOf } from '../payload.js';
import { standingOf } from '../standing-columns.js';
import { termsOf } from '../terms.js';
import type { Posting } from './postings.js';
import type { RankedStatement, StoredStatement } from './statements.js';

/** A statement among all that are there of one component after a change. */
export interface Candidate {
  readonly uri: string;
  readonly document: number;
  readonly standing: Standing;
  readonly terms: () => ReadonlySet<string>;
  /** Is it in its row already that it is served? A new statement has no row yet. */
  readonly served: boolean;
}

/** What a change does to who is served. */
export interface ServedChange {
  /** Names of the new statements that are served (`nameOf`). */
  readonly served: ReadonlySet<string>;
  /** Statements that stay, and are served from now on, or no longer. */
  readonly promoted: readonly Pick<StoredStatement, 'uri' | 'document'>[];
  readonly shadowed: readonly Pick<StoredStatement, 'uri' | 'document'>[];
  readonly added: readonly Posting[];
  readonly removed: readonly Posting[];
  /** How many components there are more. */
  readonly components: number;
  /** How many more statements of documents are served, by the id of the document; 0 where nothing changes. */
  readonly documents: ReadonlyMap<number, number>;
}

export interface ServedParts {
  /** All that was said of the components before the change. */
  readonly before: readonly RankedStatement[];
  /** What goes or is replaced of it: `nameOf` each. */
  readonly leaving: ReadonlySet<string>;
  readonly coming: readonly Candidate[];
}

/** Identifies a statement. */
export function nameOf({ uri, document }: Pick<StoredStatement, 'uri' | 'document'>): string {
  return `${document} ${uri}`;
}

/** Of all that is said of each component after a change, finds what is served. */
export function decideServed({ before, leaving, coming }: ServedParts): ServedChange {
  const change = {
    served: new Set<string>(),
    promoted: [] as Candidate[],
    shadowed: [] as Candidate[],
    added: [] as Posting[],
    removed: [] as Posting[],
    components: 0,
    documents: new Map<number, number>(),
  };
  const staying = before.filter((one) => !leaving.has(nameOf(one))).map(candidateOf);
  const byUri = grouped([...staying, ...coming], ({ uri }) => uri);
  const isNew = new Set(coming);
  for (const candidates of byUri.values()) {
    const [winner] = candidates.sort((one, other) => compareStandings(one.standing, other.standing));
    if (isNew.has(winner)) change.served.add(nameOf(winner));
    else if (!winner.served) change.promoted.push(winner);
    for (const one of candidates) if (one !== winner && one.served) change.shadowed.push(one);
  }
  countAndFind(change, before, byUri);
  return change;
}

function candidateOf({ uri, document, served, payload, standing }: RankedStatement): Candidate {
  return { uri, document, served, standing: standingOf(standing), terms: () => termsOf(metadataOf(payload)) };
}

/** Postings are those of what is served: `after` has it first in each list. */
function countAndFind(
  change: {
    added: Posting[];
    removed: Posting[];
    components: number;
    documents: Map<number, number>;
  },
  before: readonly RankedStatement[],
  after: ReadonlyMap<string, readonly Candidate[]>,
): void {
  const count = (document: number, more: number) =>
    change.documents.set(document, (change.documents.get(document) ?? 0) + more);
  const servedBefore = new Map(before.filter(({ served }) => served).map((one) => [one.uri, one]));
  for (const [uri, [winner]] of after) {
    const old = servedBefore.get(uri);
    if (!old) change.components += 1;
    if (winner) count(winner.document, 1);
    const was = old ? termsOf(metadataOf(old.payload)) : new Set<string>();
    const is = winner?.terms() ?? new Set<string>();
    for (const term of is) if (!was.has(term)) change.added.push({ term, uri });
    for (const term of was) if (!is.has(term)) change.removed.push({ term, uri });
  }
  for (const [uri, { payload, document }] of servedBefore) {
    count(document, -1);
    if (after.has(uri)) continue;
    change.components -= 1;
    for (const term of termsOf(metadataOf(payload))) change.removed.push({ term, uri });
  }
}
