import { createHash } from 'node:crypto';
import { payloadHash } from '../../component/statement-digest.js';
import type { Breather } from '../../lib/pace.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { Shrink } from '../../registry/source-record.js';
import { type Known, NOTHING, type Replaced } from './document-amount.js';

/** A source may lose so many components, or such a part of them, in one poll: more is held (design, section 15). */
const TOLERATED = { components: 20, part: 1 / 2 } as const;
/** What is held is believed after so many equal polls, over so many ms. */
const BELIEVED = { polls: 3, ms: 3_600_000 } as const;

/** What a poll does to the number of components that a source describes, whether or not all of them are kept. */
export interface Loss {
  readonly from: number;
  readonly to: number;
}

/** Is it so much that it may be a mistake of the source, or of its server? */
export function isSuspicious({ from, to }: Loss): boolean {
  return from - to > TOLERATED.components && to < from * TOLERATED.part;
}

/** A suspicious poll. */
export interface Suspicion extends Loss {
  /** See `changesDigest`. */
  readonly digest: string;
  /** Has the poll read all of the source? */
  readonly complete: boolean;
  readonly now: number;
}

/** What is remembered of a source that is held after another suspicious poll; `believed` when it is held no longer. */
export function afterSuspicion(before: Shrink | undefined, found: Suspicion): Shrink | 'believed' {
  const { from, to, digest, complete, now } = found;
  if (!complete) return before ?? { ...{ from, to, digest: '' }, since: now, polls: 0 };
  const isSame = before?.digest === digest;
  const since = isSame ? before.since : now;
  const polls = isSame ? before.polls + 1 : 1;
  if (polls >= BELIEVED.polls && now - since >= BELIEVED.ms) return 'believed';
  return { since, polls, from, to, digest };
}

/** How many more components a document describes once it has changed; below zero when it describes fewer. */
export function growthOf(change: DocumentChange, known: Known | undefined, replaced: Replaced): number {
  const { url, components, amend, record } = change;
  const before = describedBy(known);
  if (record === null) return -before;
  if (components) return components.length + (record.omitted ?? 0) - before;
  if (!amend) return 0;
  return (amend.put?.length ?? 0) - (replaced.get(url) ?? NOTHING).components;
}

/** How many components a document describes, those included that are not kept. */
export function describedBy(known: Known | undefined): number {
  return known ? known.components + (known.omitted ?? 0) : 0;
}

/** The same for the same changes, whatever is remembered with them. Gives way to other work. */
export async function changesDigest(changes: readonly DocumentChange[], breathe: Breather): Promise<string> {
  const lines: string[] = [];
  for (const { url, components, amend, record } of changes) {
    const said = components ?? amend?.put ?? [];
    const statements: string[] = [];
    for (const component of said) {
      statements.push(`${component.uri} ${payloadHash(component)}`);
      await breathe();
    }
    const kind = record === null ? 'gone' : components ? 'whole' : amend ? 'part' : 'same';
    const removed = [...(amend?.remove ?? [])].sort().join(' ');
    if (kind !== 'same') lines.push(`${kind} ${url}\n${statements.sort().join(' ')}\n${removed}\n`);
  }
  return createHash('sha256').update(lines.sort().join('')).digest('base64url');
}
