import { isOfThisNode, type Source, type SourceKind, sourceKey } from '../component/source.js';
import type { InvalidComponent } from '../core/document-record.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { Precedence } from '../core/precedence.js';
import type { Shrink, SourceRecord, StoredSource } from '../core/source-record.js';
import { compareText } from '../lib/compare-text.js';
import { counted } from '../lib/counted.js';
import { remembered } from '../lib/remembered.js';

/** Of what is remembered of a source, this is shown as it is stored; an earlier version may have stored more. */
const SHOWN = [
  ...(['lastAttempt', 'firstSuccess', 'lastSuccess', 'nextAttempt', 'failures', 'failingSince'] as const),
  ...(['error', 'following'] as const),
];

/** What is known of one source, for the status, the network page and the metrics. Times are ms since the epoch. */
export interface SourceStatus extends Pick<SourceRecord, (typeof SHOWN)[number]> {
  readonly url: string;
  readonly kind: SourceKind;
  readonly configured: boolean;
  readonly hops: number;
  readonly via: readonly string[];
  /** `limited`: more is there than this node stores. `held`: removals are pending (`shrink`). */
  readonly state: 'waiting' | 'ok' | 'failing' | 'limited' | 'held';
  /** The source itself says at present when something changes. */
  readonly live?: true;
  /** It is read with credentials: what others may not read there is public on this node. */
  readonly private?: true;
  /** Valid descriptions stored from it, whether or not they are the ones served. */
  readonly components: number;
  readonly documents: number;
  readonly invalid: readonly (InvalidComponent & { readonly document: string })[];
  /** What the operator should know of a source that is limited, or has pending removals. */
  readonly notice?: string;
  /** Components that were found and are not stored, and documents that are not read, for want of room. */
  readonly omitted?: { readonly components: number; readonly documents: number };
  readonly shrink?: Omit<Shrink, 'lost'>;
  /** Addresses of a peer that are not read, and that somebody should look at; absent where there are none. */
  readonly refused?: number | undefined;
  /** Documents that could not be read the last time; what they said before is still served. */
  readonly failing: readonly { url: string; error: string; failingSince?: number | undefined }[];
}

/** The status of every source in the order of precedence; `awaited`: those that wait for their first poll. */
export function sourceStatuses(
  stored: readonly StoredSource[],
  network: NetworkLists,
  precedence: Precedence,
  awaited: readonly Source[],
): SourceStatus[] {
  const keyed = (kind: 'pod' | 'peer', list: NetworkLists['peers']) =>
    list.map((entry) => [sourceKey({ kind, url: entry.url }), entry] as const);
  const listed = new Map([...keyed('pod', network.storage), ...keyed('peer', network.peers)]);
  const waiting = awaited.map((source) => ({ source, record: { failures: 0 }, documents: new Map() }));
  const all = new Map([...waiting, ...stored].map((one) => [sourceKey(one.source), one]));
  const order = ({ source: one }: StoredSource, { source: other }: StoredSource) =>
    precedence.rank(one) - precedence.rank(other) || compareText(one.url, other.url);
  return [...all.values()].sort(order).map((one) => {
    const { hops = 0, via = [] } = listed.get(sourceKey(one.source)) ?? {};
    return { ...statusOf(one), configured: precedence.isConfigured(one.source), hops, via };
  });
}

/** Worked out once for each form of a source, as there may be thousands of documents. */
const statusOf = remembered((stored: StoredSource) => {
  const { source, record, documents } = stored;
  const { left, ...sum } = sumOf(documents);
  const isLimited = left + (record.unread ?? 0) > 0;
  const omitted = isLimited ? { components: left, documents: record.unread ?? 0 } : undefined;
  return {
    ...source,
    ...fieldsOf(record, SHOWN),
    state: stateOf(stored, isLimited),
    shrink: record.shrink && fieldsOf(record.shrink, ['since', 'polls', 'from', 'to']),
    notice: noticeOf(record, omitted),
    omitted,
    documents: documents.size,
    ...sum,
  };
}, new WeakMap());

export function fieldsOf<T extends object, F extends keyof T>(all: T, fields: readonly F[]): Pick<T, F> {
  const shown = fields.map((name) => [name, all[name]] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(shown) as unknown as Pick<T, F>;
}

/** What is told of all documents of a source together; `left`: components that are not stored. */
function sumOf(documents: StoredSource['documents']) {
  let [components, left] = [0, 0];
  const invalid: { document: string; subject: string; reasons: readonly string[] }[] = [];
  const failing: { url: string; error: string; failingSince: number | undefined }[] = [];
  for (const [url, document] of documents) {
    components += document.components;
    // Of news that have no room, it is known only that there are some.
    left += document.omitted ?? (document.firstOmitted === undefined ? 0 : 1);
    for (const one of document.invalid ?? []) invalid.push({ document: url, ...one });
    if (document.error) failing.push({ url, error: document.error, failingSince: document.failingSince });
  }
  return { components, left, invalid, failing };
}

function stateOf({ source, record }: StoredSource, isLimited: boolean): SourceStatus['state'] {
  const { failures, lastSuccess, shrink } = record;
  if (failures > 0) return 'failing';
  if (shrink) return 'held';
  if (isLimited) return 'limited';
  return isOfThisNode(source) || lastSuccess !== undefined ? 'ok' : 'waiting';
}

/** What the operator should know, and can do, beside the error. */
function noticeOf(record: StoredSource['record'], omitted: SourceStatus['omitted']): string | undefined {
  const notices = [record.shrink && shrinkNotice(record.shrink), omitted && limitedNotice(omitted)];
  return notices.filter(Boolean).join(' ') || undefined;
}

function shrinkNotice({ from, to, since, polls }: Shrink): string {
  const found = new Date(since).toISOString();
  return (
    `It had ${from} components and has only ${to} now (found ${found}, ${counted(polls, 'time')} so far). ` +
    'What it says no more is still served; everything else that it says is taken. ' +
    'The operator can accept the loss, signed in on /network; three polls that find the same loss, over an ' +
    'hour, accept it by themselves.'
  );
}

function limitedNotice({ components, documents }: NonNullable<SourceStatus['omitted']>): string {
  const left = counted(components, 'component is', 'components are');
  const unread = counted(documents, 'document is', 'documents are');
  return (
    `More than this node keeps: ${left} not stored and ${unread} not read. ` +
    'What is stored is kept up to date. Raise sync.maxComponents (for learned sources ' +
    'sync.maxLearnedComponents, too) to keep more.'
  );
}
