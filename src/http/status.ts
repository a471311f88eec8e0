import { sourceKey } from '../component/precedence.js';
import type { Handler } from '../lib/http/resource.js';
import type { Catalog } from '../store/catalog.js';
import type { Registry } from '../store/registry.js';
import type { FailingDocument, Health, SourceStatus } from './node-report.js';

export interface StatusParts {
  readonly registry: () => Registry;
  readonly health: () => Health;
  readonly status: () => readonly SourceStatus[];
  readonly now: () => number;
  readonly started: number;
  readonly version: string;
  readonly baseUrl: string;
  readonly mode: string;
  readonly write: string;
}

/** `GET /health`: for load balancers and container platforms. */
export function getHealth(health: () => Health): Handler {
  return () => {
    const status = health();
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    return status === 'serving'
      ? { status: 200, headers, body: JSON.stringify({ status }) }
      : { status: 503, headers: { ...headers, 'retry-after': '2' }, body: JSON.stringify({ status }) };
  };
}

/** `GET /status`: what the operator wants to know, per source. It answers while the node is loading, too. */
export function getStatus(parts: StatusParts): Handler {
  const served = servedCounts();
  return () => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(describeNode(parts, served)),
  });
}

function describeNode(parts: StatusParts, served: ReturnType<typeof servedCounts>) {
  const { health, status, now, started, version, baseUrl, mode, write } = parts;
  const state = health();
  const registry = state === 'loading' ? undefined : parts.registry();
  const sources = status();
  const counts = registry && served(registry);
  return {
    health: state,
    version,
    baseUrl,
    mode,
    write,
    uptimeSeconds: Math.floor((now() - started) / 1000),
    ...(registry ? { revision: revisionOf(registry) } : {}),
    counts: {
      components: registry?.catalog.size ?? 0,
      pods: sources.filter(({ kind }) => kind === 'pod').length,
      peers: sources.filter(({ kind }) => kind === 'peer').length,
      failing: sources.filter((source) => source.state === 'failing').length,
    },
    sources: sources.map((source) => describeSource(source, counts)),
  };
}

function revisionOf({ revision: { epoch, number, since } }: Registry) {
  return { epoch, number, since: new Date(since).toISOString() };
}

const TIMES = ['lastAttempt', 'lastSuccess', 'nextAttempt', 'failingSince', 'heldUntil'] as const;

/** `served` of the `components` of a source are shown; the others wait behind a source of higher precedence. */
function describeSource(source: SourceStatus, served: ReadonlyMap<string, number> | undefined) {
  const times = TIMES.flatMap((name) => {
    const ms = source[name];
    return ms === undefined ? [] : [[name, new Date(ms).toISOString()] as const];
  });
  return {
    ...source,
    ...Object.fromEntries(times),
    failing: source.failing.map(describeFailing),
    ...(served ? { served: served.get(sourceKey(source)) ?? 0 } : {}),
  };
}

function describeFailing({ failingSince, ...document }: FailingDocument) {
  if (failingSince === undefined) return document;
  return { ...document, failingSince: new Date(failingSince).toISOString() };
}

/** Counts whose descriptions are served; counted anew only when the catalog has changed. */
function servedCounts(): (registry: Registry) => ReadonlyMap<string, number> {
  let known: { revision: number; counts: Map<string, number> } | undefined;
  return ({ catalog, revision }) => {
    if (known?.revision !== revision.number) known = { revision: revision.number, counts: count(catalog) };
    return known.counts;
  };
}

function count(catalog: Catalog): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { source } of catalog.select({}).entries) {
    const key = sourceKey(source);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
