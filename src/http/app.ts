import { Hono } from 'hono';
import type { Naming } from '../component/naming.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import type { Refusals } from '../core/refusal.js';
import type { Samples } from '../demo/samples.js';
import type { Activity } from '../explain/activity.js';
import type { Health } from '../explain/health.js';
import type { Pinning } from '../explain/pinning.js';
import type { Reader } from '../explain/reader.js';
import type { SourceStatus } from '../explain/source-status.js';
import type { Audit } from '../lib/audit.js';
import type { Clock } from '../lib/clock.js';
import type { ResponseCache } from '../lib/http/cache/response-cache.js';
import { type Cacheable, createCacheable } from '../lib/http/cacheable.js';
import type { ErrorLog } from '../lib/http/error-handler.js';
import { ANY_ORIGIN } from '../lib/http/headers/cors.js';
import { addResource, type Handler } from '../lib/http/resource.js';
import { jsonText } from '../lib/http/response/json-text.js';
import type { Pace } from '../lib/pace.js';
import type { TaskPool } from '../lib/pool/task.js';
import type { LintReport } from '../lint/finding.js';
import type { Catalog } from '../registry/catalog.js';
import type { Pins } from '../registry/pins.js';
import type { Registry } from '../registry/registry.js';
import type { Assets } from '../web/asset.js';
import { isWritable } from './access/operator.js';
import { corsFor } from './access/own-origin.js';
import { describeApi, type OpenApiPart } from './api-description/openapi.js';
import { LISTING_VARIES, listComponents, QUERY_VARIES, queryComponents } from './components/listing.js';
import { ListingCodings } from './components/listing-codings.js';
import { publishComponents } from './components/publish.js';
import { deleteComponent, getComponent } from './components/single-component.js';
import { entityTags, fingerprintOf } from './entity-tags.js';
import type { EventLines } from './feed/event-lines.js';
import { getFeed } from './feed/feed.js';
import { addFeedMetrics } from './feed/feed-metrics.js';
import { getRange } from './feed/feed-range.js';
import { getFeedSource } from './feed/feed-source.js';
import { getFeedSources } from './feed/feed-sources.js';
import { PageStore } from './feed/page-store.js';
import type { ListScopes } from './network/list-scopes.js';
import { listNetwork } from './network/network-list.js';
import { type Decide, decideAddress } from './operations/discovery.js';
import type { FailingStore } from './operations/failing-stores.js';
import { takeHint } from './operations/hint.js';
import { addGauge, getMetrics, type Metrics } from './operations/metrics.js';
import { deletePins } from './operations/pins.js';
import { type Rehearse, rehearseNow } from './operations/rehearse.js';
import { getHealth, getStatus } from './operations/status.js';
import { type Sync, syncNow } from './operations/sync.js';
import { createVersionNotices, type VersionNoticesOf } from './operations/version-notices.js';
import type { OwnResource } from './own-resource.js';
import { demoResources } from './pages/demo/demo-resources.js';
import { explorerResources } from './pages/explorer.js';
import { problemPages } from './pages/problems.js';

export const QUERY_PATH = '/component/query';
/** Largest body of a query, in bytes; sensible queries have a few hundred. */
const QUERY_BYTES = 65_536;

/** What the registry's HTTP service needs. Its functions are called for every request. */
export interface RegistryAppParts {
  readonly config: Pick<Config, 'baseUrl' | 'write' | 'mode' | 'limits' | 'operatorToken'>;
  readonly vocabulary: Vocabulary;
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly health: () => Health;
  readonly status: () => Promise<readonly SourceStatus[]>;
  /** What the synchronisation has done lately. */
  readonly activity: () => Activity;
  /** The databases that cannot be written at present. */
  readonly failingStores: () => readonly FailingStore[];
  /** The nodes that read this one, by their `User-Agent`. */
  readonly readers: () => readonly Reader[];
  /** Polls all sources, or the one with this URL, and resolves when that is done. No reports: no source has this URL. */
  readonly sync: Sync;
  /** Polls soon what a topic belongs to, if it is read at all. */
  readonly hint: (topic: string) => void;
  /** Decides whether an address that peers told of may be read; resolves when that has taken effect. */
  readonly decide: Decide;
  /** Tells what trusting a pod or a peer would lead to. */
  readonly rehearse: Rehearse;
  /** What is not read of what peers told. */
  readonly refusals: () => Refusals;
  readonly pins: Pins;
  /** What has been seen of modules. */
  readonly pinning: () => Promise<Pinning>;
  /** Where it is written down who has changed something. */
  readonly audit: Audit;
  readonly metrics: Metrics;
  /** Checks the metadata document at a URL that a client sent, and the modules that the document names. */
  readonly lint: (url: string, signal: AbortSignal) => Promise<LintReport>;
  /** The lines of hints that are open. */
  readonly eventLines: EventLines;
  readonly listScopes: ListScopes;
  /** Where posted documents are parsed. */
  readonly pool: TaskPool;
  /** The scripts and styles that browsers load from the node. */
  readonly assets: Assets;
  /** The package that the node runs from (a URL with a slash at the end); its documents are served at `/docs`. */
  readonly packageFolder: URL;
  /** Absent where there can be no samples. */
  readonly samples?: Samples | undefined;
  /** Where repeatable answers are stored. */
  readonly cache?: ResponseCache;
  /** The parts of `/openapi.json` that describe the other services of the node. */
  readonly openApi?: readonly OpenApiPart[];
  readonly version: string;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: ErrorLog;
}

/**
 * The router of the registry (design, section 4). It does not answer requests for other paths: call `addFallback` on
 * the outermost router for those, after everything is mounted. How to add an endpoint: see `Resource`.
 */
export function createRegistryApp(parts: RegistryAppParts): Hono {
  const app = new Hono({ strict: false });
  const { log, metrics, cache, config } = parts;
  const problemPage = problemPages({ ...parts, baseUrl: config.baseUrl });
  const settings = { log, routeMetrics: metrics.routeMetrics, problemPage, cache };
  for (const resource of resources(parts)) addResource(app, resource, settings);
  return app;
}

function resources(parts: RegistryAppParts): OwnResource[] {
  const { config, vocabulary, clock, version } = parts;
  const shared = {
    ...parts,
    naming: { baseUrl: config.baseUrl, vocabulary },
    entityTag: entityTags([config.baseUrl, vocabulary.namespace, version]),
    cacheable: createCacheable(clock),
    codings: countedCodings(parts),
    versionNotices: createVersionNotices(clock, parts.pace),
  };
  return [
    ...componentResources(shared),
    ...feedResources(shared),
    ...networkResources(shared),
    ...operationResources(shared),
    ...explorerResources({ ...shared, baseUrl: config.baseUrl, mode: config.mode, write: config.write }),
    ...demoResources({ ...shared, baseUrl: config.baseUrl }),
  ];
}

type Shared = RegistryAppParts & {
  readonly naming: Naming;
  readonly entityTag: ReturnType<typeof entityTags>;
  readonly cacheable: Cacheable;
  readonly codings: ListingCodings;
  readonly versionNotices: VersionNoticesOf;
};

function countedCodings({ metrics: { registry }, pace }: RegistryAppParts): ListingCodings {
  const codings = new ListingCodings(pace);
  const help = 'Bytes of the compressed copies of the whole listing';
  addGauge(registry, 'registry_compressed_listing_bytes', help, () => codings.bytes);
  return codings;
}

function componentResources(parts: Shared): OwnResource[] {
  const { config } = parts;
  const writable = isWritable(config);
  return [
    {
      path: '/component',
      cors: corsFor(config, 'POST'),
      varies: { GET: LISTING_VARIES },
      methods: {
        GET: listComponents(parts),
        POST: writable ? publishComponents(parts) : undefined,
      },
    },
    {
      path: QUERY_PATH,
      cors: ANY_ORIGIN,
      varies: { POST: QUERY_VARIES },
      methods: { POST: queryComponents(parts, Math.min(config.limits.bodyBytes, QUERY_BYTES)) },
    },
    {
      path: '/c/*',
      cors: corsFor(config, 'DELETE'),
      varies: { GET: LISTING_VARIES },
      methods: {
        GET: getComponent({ ...parts, baseUrl: config.baseUrl }),
        DELETE: writable ? deleteComponent(parts, config) : undefined,
      },
    },
  ];
}

function feedResources(parts: Shared): OwnResource[] {
  const { metrics, eventLines: lines, catalog } = parts;
  const counts = addFeedMetrics(metrics.registry, { catalog, readers: () => lines.count });
  const feed = { ...parts, pages: new PageStore(), lines, counts };
  const handlers = [
    ['/feed', getFeed(feed)],
    ['/feed/range', getRange(feed)],
    ['/feed/source', getFeedSource(feed)],
    ['/feed/sources', getFeedSources(feed)],
  ] as const;
  return handlers.map(([path, handler]) => ({
    path,
    cors: ANY_ORIGIN,
    methods: { GET: handler },
  }));
}

function networkResources(parts: Shared): OwnResource[] {
  return (['peers', 'storage'] as const).map((list) => ({
    path: `/${list}`,
    cors: ANY_ORIGIN,
    methods: { GET: listNetwork(list, parts) },
  }));
}

function operationResources(parts: Shared): OwnResource[] {
  const { config, clock, version } = parts;
  const started = clock.now();
  const { operatorToken } = config;
  const node = { operatorToken, baseUrl: config.baseUrl, mode: config.mode, write: config.write, version };
  return [
    { path: '/health', cors: ANY_ORIGIN, methods: { GET: getHealth(parts) } },
    {
      path: '/status',
      cors: ANY_ORIGIN,
      methods: { GET: getStatus({ ...parts, ...node, started }) },
    },
    {
      path: '/sync',
      methods: { POST: syncNow(parts.sync, config.operatorToken, parts.audit) },
    },
    {
      path: '/discovery',
      methods: { POST: decideAddress(parts.decide, config.operatorToken, parts.audit) },
    },
    {
      path: '/pins',
      methods: { DELETE: deletePins({ ...parts, operatorToken }) },
    },
    {
      path: '/rehearse',
      methods: { POST: rehearseNow(parts.rehearse, operatorToken) },
    },
    {
      path: '/hint',
      cors: ANY_ORIGIN,
      methods: { POST: takeHint(parts) },
    },
    { path: '/metrics', methods: { GET: getMetrics(parts.metrics) } },
    { path: '/openapi.json', cors: ANY_ORIGIN, methods: { GET: getOpenApi(parts, started) } },
  ];
}

/** The document is made when it is asked for: most nodes are never asked. */
function getOpenApi({ config, version, openApi, cacheable }: Shared, since: number): Handler {
  let made: { readonly body: string; readonly etag: string } | undefined;
  const make = () => {
    const body = jsonText(describeApi(config, version, openApi));
    return { body, etag: `"${fingerprintOf([body])}"` };
  };
  return (c) => {
    made ??= make();
    const { body, etag } = made;
    return cacheable.answer(c, { etag, since }, () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
    }));
  };
}
