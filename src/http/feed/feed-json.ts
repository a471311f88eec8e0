import type { State, StatementChange } from '../../catalog/catalog.js';
import type { Metadata } from '../../component/metadata.js';
import { DIGEST_VERSION, payloadHash } from '../../component/statement-digest.js';
import { cursorOf, cursorText } from '../../core/cursor.js';
import type { SourceSummary } from '../../core/source-digests.js';
import { compareText } from '../../lib/compare-text.js';

/** Names the current state of a registry. */
export function cursorIn(state: State): string {
  return cursorText(cursorOf(state));
}

/** One of `Create`, `Update` and `Delete`, the activities of Activity Streams 2.0. */
export function typeOf({ metadata, isUpdate }: StatementChange): 'Create' | 'Update' | 'Delete' {
  if (!metadata) return 'Delete';
  return isUpdate ? 'Update' : 'Create';
}

/** A change as JSON text; docs/feed.md says what stands in it. */
export function changeText(change: StatementChange): string {
  const { position, at, source, document, rank, uri, metadata, pin } = change;
  return JSON.stringify({
    position,
    at,
    type: typeOf(change),
    source: { kind: source.kind, url: source.url },
    graph: document,
    rank: rank || undefined,
    uri,
    pin,
    hash: metadata && payloadHash(metadata),
    component: metadata && plainNames(metadata),
  });
}

/** What every page tells of the whole node, and of some of its sources. */
export function headOf(state: State, sources: readonly SourceSummary[]) {
  const { number: network } = state.networkRevision;
  return {
    cursor: cursorIn(state),
    network,
    digestVersion: DIGEST_VERSION,
    sources: summariesOf(sources),
  };
}

/** The summaries of sources in the order of their URLs. */
function summariesOf(sources: readonly SourceSummary[]) {
  return sources
    .map(({ source: { kind, url }, ...summary }) => ({ kind, url, ...summary }))
    .sort((one, other) => compareText(one.url, other.url) || compareText(one.kind, other.kind));
}

/** Under the names of the listing, absent fields and empty lists left out. */
function plainNames({ author, tag, shapes, ...metadata }: Metadata) {
  const { uri, label, description, version, latest, integrity, capability, example } = metadata;
  const single = { uri, label, description, version, latest, integrity, example };
  return { ...single, author: some(author), tag: some(tag), shapes: some(shapes), capability };
}

function some(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}
