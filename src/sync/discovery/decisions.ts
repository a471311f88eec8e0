import { LOCAL } from '../../component/source.js';
import { sameBaseUrl } from '../../config/url.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import type { Decisions } from '../../core/take.js';
import type { Registry } from '../../registry/registry.js';

export type Decision = 'approve' | 'reject';

/** What the operator has decided of addresses, as it is stored with the node's own graph; by `sameBaseUrl`. */
export function decisionsIn(own: Pick<StoredSource, 'record'> | undefined): Decisions {
  const { decisions = {} } = (own?.record.memo ?? {}) as { decisions?: Record<string, Decision> };
  return new Map(Object.entries(decisions));
}

/** Stores a decision, or takes it back, among those that are stored by then. */
export async function decide(
  registry: Pick<Registry, 'commit'>,
  url: string,
  decision: Decision | undefined,
): Promise<void> {
  const record = (current: SourceRecord): SourceRecord => {
    const decisions = new Map(decisionsIn({ record: current }));
    decisions.delete(sameBaseUrl(url));
    if (decision) decisions.set(sameBaseUrl(url), decision);
    return { ...current, memo: { ...current.memo, decisions: Object.fromEntries(decisions) } };
  };
  await registry.commit({ source: LOCAL, documents: [], record });
}
