import { type DocumentChange, eachDocumentOnce } from './document-change.js';
import { type LimitParts, withinLimit } from './limits.js';
import type { Batch } from './reading.js';
import { guardLoss } from './shrink-guard.js';
import type { SourceRecord, StoredDocument, StoredSource } from './source-record.js';
import { graphOf, type PeerRules, takeStatement } from './take.js';

export interface JudgeParts extends Omit<LimitParts, 'documents'> {
  /** What was stored when the poll began. */
  readonly stored: StoredSource | undefined;
  /** What is taken of a peer; a pod speaks for all of its documents. */
  readonly rules: PeerRules | undefined;
  /** Has the operator accepted that the source says much less than before? */
  readonly acceptsShrink: boolean;
  /** Ms since the epoch. */
  readonly now: number;
}

type Refused = SourceRecord['refused'];

/** What is committed at the end of a poll. */
export type Verdict = Awaited<ReturnType<typeof judge>>;

/**
 * Decides what becomes of what one poll of a source has read (design, sections 6 and 15). It reads and stores
 * nothing.
 * @param batch all batches of the poll, as one
 */
export async function judge(batch: Batch, parts: JudgeParts) {
  const { stored, rules, breathe } = parts;
  const { complete = false, digests, unread = 0 } = batch;
  const before: ReadonlyMap<string, StoredDocument> = stored?.documents ?? new Map();
  const taking = new Taking(rules);
  // What is not taken any more: this node reads its pod itself now, or takes it from others.
  const dropped = new Set<string>();
  for (const [url, { of }] of before) {
    await breathe();
    if (!taking.takes(url, of)) dropped.add(url);
  }
  const gone = complete ? batch.gone.filter((url) => before.has(url) && !dropped.has(url)) : [];
  const goes = new Set([...gone, ...dropped]);
  const taken: DocumentChange[] = [];
  for (const reading of batch.put) {
    await breathe();
    if (taking.takes(reading.url, reading.record.of) && !goes.has(reading.url)) taken.push(reading);
  }
  const said = eachDocumentOnce([...removed(gone), ...taken]);
  const known = { ...parts, documents: before };
  const guard = { ...known, pending: stored?.record.shrink, dropped, isComplete: complete };
  const { changes, held, shrink } = await guardLoss(said, guard);
  const limited = await withinLimit([...removed(dropped), ...changes], known);
  const refused = taking.refusedAfter(batch.isWhole ? undefined : stored?.record.refused);
  // Of what is stored otherwise than it is said, the digests cannot agree.
  const partial = new Set(Object.keys(refused ?? {}));
  for (const { url, record } of held) partial.add(before.get(url)?.of ?? '').add(record?.of ?? '');
  for (const { of = '', omitted, error, invalid } of limited.documents.values())
    if (omitted || error !== undefined || invalid) partial.add(of);
  const told = limited.unread > 0 ? [] : [...(digests ?? [])];
  return {
    documents: limited.changes,
    /** Those of them that go because they are not taken any more, whatever the source says. */
    dropped: removed(dropped),
    /** Digests that what is stored must have: those that the other side tells of sources all of which is stored. */
    expected: new Map(told.filter(([of]) => !partial.has(of))),
    /** What is not stored of the removals; absent when none are pending. */
    shrink,
    /** Documents that there is no room for, or that were not read for want of it. */
    unread: limited.unread + unread,
    refused,
  };
}

function removed(documents: Iterable<string>): DocumentChange[] {
  return [...documents].map((url) => ({ url, record: null }));
}

/** What is taken by the rules, and why not all of it. */
class Taking {
  /** By source of the peer, the pods because of which not all of it is taken. */
  readonly #refused = new Map<string, Set<string>>();

  constructor(readonly rules: PeerRules | undefined) {}

  takes(document: string, of: string | undefined): boolean {
    const { rules } = this;
    if (!rules) return true;
    const refusal = takeStatement({ graph: graphOf(document, rules), of }, rules);
    if (refusal === 'taken') return true;
    const pods = this.#refused.get(of ?? '') ?? new Set<string>();
    this.#refused.set(of ?? '', refusal.address === undefined ? pods : pods.add(refusal.address));
    return false;
  }

  /** @param before what was noted earlier stays, unless the peer has said everything again */
  refusedAfter(before: Refused = {}): Refused {
    if (!this.rules || this.rules.isMirror) return undefined;
    const refused = new Map(Object.entries(before));
    for (const [of, pods] of this.#refused)
      refused.set(of, [...new Set([...(refused.get(of) ?? []), ...pods])].sort());
    return Object.fromEntries(refused);
  }
}
