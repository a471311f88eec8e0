import type { DocumentChange } from './document-change.js';
import type { StoredDocument } from './document-record.js';
import { type LimitParts, withinLimit } from './limits.js';
import type { Batch } from './reading.js';
import { type GuardParts, guardLoss } from './shrink-guard.js';
import type { SourceRecord, StoredSource } from './source-record.js';
import { graphOf, type PeerRules, takeStatement } from './take.js';

interface JudgeParts extends Omit<LimitParts, 'documents'>, Pick<GuardParts, 'acceptsShrink' | 'now'> {
  /** What was stored when the poll began. */
  readonly stored: StoredSource | undefined;
  /** What is taken of a peer; a pod speaks for all of its documents. */
  readonly rules: PeerRules | undefined;
}

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
  const documents: ReadonlyMap<string, StoredDocument> = stored?.documents ?? new Map();
  // What was refused earlier stays noted, unless the peer has said everything again.
  const refused = new PeerRefusals(rules, batch.isWhole ? undefined : stored?.record.refused);
  // What is not taken any more: this node reads its pod itself now, or takes it from others.
  const dropped = new Set<string>();
  for (const [url, { of }] of documents) {
    await breathe();
    if (!refused.takes(url, of)) dropped.add(url);
  }
  const stands = (url: string) => documents.has(url) && !dropped.has(url);
  const gone = new Set(complete ? batch.gone.filter(stands) : []);
  const taken = new Map(removed(gone).map((change) => [change.url, change]));
  for (const reading of batch.put) {
    await breathe();
    const { url, record } = reading;
    const goes = gone.has(url) || dropped.has(url);
    if (refused.takes(url, record.of) && !goes) taken.set(url, reading);
  }
  // Most polls find nothing new: what follows walks through all that is stored, and would find nothing either.
  if (taken.size + dropped.size === 0 && !digests?.size)
    return { documents: [], dropped: [], expected: new Map(digests), unread, refused: refused.record };
  const known = { ...parts, documents };
  const guard = { ...known, pending: stored?.record.shrink, dropped, isComplete: complete };
  const { changes, held, shrink } = await guardLoss([...taken.values()], guard);
  const limited = await withinLimit([...removed(dropped), ...changes], known);
  // Of what is stored otherwise than it is said, the digests cannot agree.
  const partial = new Set(refused.pods.keys());
  for (const { url, record } of held) partial.add(documents.get(url)?.of ?? '').add(record?.of ?? '');
  for (const { of = '', omitted, firstOmitted, error, invalid } of limited.documents.values())
    if (omitted || (firstOmitted ?? error) !== undefined || invalid) partial.add(of);
  const told = limited.unread + unread > 0 ? [] : [...(digests ?? [])];
  return {
    documents: limited.changes,
    /** Those of them that go because they are not taken any more, whatever the source says. */
    dropped: removed(dropped),
    /** Digests that what is stored must have: those that are told of sources all of which is stored. */
    expected: new Map(told.filter(([of]) => !partial.has(of))),
    /** What is not stored of the removals; absent when none are pending. */
    shrink,
    /** Documents that there is no room for, or that were not read for want of it. */
    unread: limited.unread + unread,
    refused: refused.record,
  };
}

function removed(documents: Iterable<string>): DocumentChange[] {
  return [...documents].map((url) => ({ url, record: null }));
}

/** What is not taken by the rules, and why. */
class PeerRefusals {
  /** By source of the peer, the pods because of which not all of it is taken. */
  readonly pods: Map<string, Set<string>>;

  constructor(
    readonly rules: PeerRules | undefined,
    before: SourceRecord['refused'] = {},
  ) {
    this.pods = new Map(Object.entries(before).map(([of, pods]) => [of, new Set(pods)]));
  }

  /** Is it taken? What is not is noted. */
  takes(document: string, of: string | undefined): boolean {
    const { rules } = this;
    const refusal = rules ? takeStatement({ graph: graphOf(document, rules), of }, rules) : 'taken';
    if (refusal === 'taken') return true;
    const pods = this.pods.get(of ?? '') ?? new Set();
    this.pods.set(of ?? '', refusal.address === undefined ? pods : pods.add(refusal.address));
    return false;
  }

  get record(): SourceRecord['refused'] {
    if (!this.rules || this.rules.isMirror) return undefined;
    return Object.fromEntries([...this.pods].map(([of, pods]) => [of, [...pods].sort()]));
  }
}
