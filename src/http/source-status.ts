import { type Precedence, type Source, sourceKey } from '../component/precedence.js';
import type { NetworkLists } from '../registry/network-lists.js';
import type { StoredSource } from '../registry/source-record.js';
import type { SourceStatus } from './node-report.js';

/**
 * Every source, in the order in which they win over one another: those that have been polled or have said
 * something, and those that are known and wait for their first poll.
 */
export function sourceStatuses(
  stored: readonly StoredSource[],
  network: NetworkLists,
  precedence: Precedence,
  awaited: readonly Source[],
): SourceStatus[] {
  const known = new Map(
    [
      ...network.storage.map((entry) => ({ kind: 'pod', entry }) as const),
      ...network.peers.map((entry) => ({ kind: 'peer', entry }) as const),
    ].map(({ kind, entry }) => [sourceKey({ kind, url: entry.url }), entry]),
  );
  const all = new Map<string, StoredSource>(
    awaited.map((source) => [sourceKey(source), { source, record: { failures: 0 }, documents: new Map() }]),
  );
  for (const held of stored) all.set(sourceKey(held.source), held);
  return [...all.values()]
    .sort((one, other) => precedence.compare(one.source, other.source))
    .map((held) => {
      const { hops = 0, via = [] } = known.get(sourceKey(held.source)) ?? {};
      return { ...statusOf(held), configured: precedence.isConfigured(held.source), hops, via };
    });
}

function statusOf({ source, record, documents }: StoredSource) {
  const { memo: _memo, failures, ...times } = record;
  const all = [...documents];
  return {
    ...source,
    ...times,
    failures,
    state: stateOf(source, record),
    components: all.reduce((sum, [, { components }]) => sum + components, 0),
    documents: all.length,
    invalid: all.flatMap(([document, { invalid = [] }]) => invalid.map((one) => ({ document, ...one }))),
    failing: all.flatMap(([url, { error, failingSince }]) => (error ? [{ url, error, failingSince }] : [])),
  };
}

function stateOf({ kind }: Source, { failures, lastSuccess }: StoredSource['record']): SourceStatus['state'] {
  if (failures > 0) return 'failing';
  return kind === 'local' || lastSuccess !== undefined ? 'ok' : 'waiting';
}
