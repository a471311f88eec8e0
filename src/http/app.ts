import { Hono } from 'hono';
import type { Registry as MetricsRegistry } from 'prom-client';
import type { Catalog } from '../catalog/catalog.js';
import type { Description } from '../catalog/description.js';
import type { Config } from '../config.js';
import { type Examples, examplesIn } from '../example-data.js';
import type { Audit } from '../lib/audit.js';
import type { Clock } from '../lib/clock.js';
import type { ResponseCache } from '../lib/http/cache/response-cache.js';
import { type Cacheable, createCacheable } from '../lib/http/cacheable.js';
import type { ErrorLog } from '../lib/http/error-handler.js';
import { ANY_ORIGIN } from '../lib/http/headers/cors.js';
import { addResource, type Handler, type ProblemAnswer } from '../lib/http/resource.js';
import { jsonText } from '../lib/http/response/json-text.js';
import { textTag } from '../lib/http/response/text-tag.js';
import type { Pace } from '../lib/pace.js';
import type { TaskPool } from '../lib/pool/task.js';
import type { LintReport } from '../publish/finding.js';
import type { Linted } from '../publish/lint.js';
import type { Pins } from '../registry/pins.js';
import type { OpenRegistry } from '../registry/registry.js';
import type { ShippedSet } from '../shipped-set.js';
import { isWritable, type OperatorParts } from './access/operator.js';
import { corsFor } from './access/own-origin.js';
import type { OpenApiPart } from './api-description/openapi.js';
import type { Assets } from './assets/asset.js';
import { dataTable, withDataTable } from './components/data-table.js';
import { listComponents, queryComponents } from './components/listing.js';
import { ListingCodings } from './components/listing-codings.js';
import { matchComponents } from './components/match.js';
import { type PublishParts, publishComponents } from './components/publish.js';
import { deleteComponent, getComponent, type SingleComponentParts } from './components/single-component.js';
import { entityTags } from './entity-tags.js';
import type { EventStreams } from './feed/event-streams.js';
import { getFeed } from './feed/feed.js';
import { addFeedMetrics } from './feed/feed-metrics.js';
import type { FeedParts } from './feed/feed-page.js';
import { getRange } from './feed/feed-range.js';
import { getFeedSources } from './feed/feed-sources.js';
import type { MatchParts } from './matching/find-matches.js';
import type { ModuleLooksParts } from './matching/module-looks.js';
import { LatestLists } from './network/latest-lists.js';
import { listNetwork, type NetworkParts } from './network/network-list.js';
import { type Decide, decideAddress } from './operations/discovery.js';
import { addGauge } from './operations/gauge.js';
import { takeHint } from './operations/hint.js';
import { getMetrics, type Metrics } from './operations/metrics.js';
import { deletePins } from './operations/pins.js';
import { type Rehearse, rehearseNow } from './operations/rehearse.js';
import type { Reports } from './operations/reports.js';
import { getHealth, getStatus, type StatusParts } from './operations/status.js';
import { type Sync, syncNow } from './operations/sync.js';
import { createVersionNotices, type VersionNoticesOf } from './operations/version-notices.js';
import type { OwnResource } from './own-resource.js';
import { PageStore } from './page-store.js';
import type { Serving } from './representation.js';
import { shippedResources } from './shipped-files.js';

export const QUERY_PATH = '/component/query';
/** Largest body of a query, in bytes; sensible queries have a few hundred. */
const QUERY_BYTES = 65_536;
/** The same of a question for matches: a few hundred IRIs. */
const MATCH_BYTES = 131_072;

/** What the node can be asked to do. */
export interface Commands {
  /** Polls all sources, or the one with this URL, and resolves when that is done. No reports: no source has this URL. */
  readonly sync: Sync;
  /** Polls soon what a topic belongs to, if it is read at all. */
  readonly hint: (topic: string) => void;
  /** Decides whether an address that peers told of may be read; resolves when that has taken effect. */
  readonly decide: Decide;
  /** Tells what trusting a pod or a peer would lead to. */
  readonly rehearse: Rehearse;
  /** Checks a metadata document that a client named or sent, and the modules that the document names. */
  readonly lint: (what: Linted, signal: AbortSignal) => Promise<LintReport>;
}

/** What the app gives to the pages that it serves. */
export interface PagesBasis extends Serving, ModuleLooksParts {
  readonly lookup: Pick<Catalog, 'statements'>;
  readonly examples: () => Promise<Examples>;
  readonly registry: OpenRegistry['registry'];
  readonly pins: Pins;
  readonly reports: Reports;
  readonly versionNotices: VersionNoticesOf;
  readonly config: RegistryAppParts['config'];
  readonly table: () => Description | undefined;
}

/** The pages for people, as far as the app serves them. */
export interface RegistryPages {
  readonly resources: readonly OwnResource[];
  /** `GET /c/<uri>` of a browser. */
  readonly component: Handler;
  readonly problem: ProblemAnswer;
}

/** What the registry's HTTP service is made of. */
export interface RegistryAppParts {
  readonly config: Pick<Config, 'baseUrl' | 'write' | 'mode' | 'limits' | 'operatorToken'>;
  readonly version: string;
  readonly open: OpenRegistry;
  readonly reports: Reports;
  readonly commands: Commands;
  /** On which followers are told that something has changed. */
  readonly eventStreams: EventStreams;
  /** The sets that come with this software and are listed; undefined where there can be none. */
  readonly shipped: readonly ShippedSet[] | undefined;
  /** What browsers load, and the package that the node runs from (a URL with a slash at the end). */
  readonly files: { readonly assets: Assets; readonly packageFolder: URL };
  readonly pages: (basis: PagesBasis) => RegistryPages;
  /** The parts of `/openapi.json` that describe the other services of the node. */
  readonly openApi: readonly (() => Promise<OpenApiPart>)[];
  readonly audit: Audit;
  readonly metrics: Metrics;
  /** Where repeatable answers are stored. */
  readonly cache?: ResponseCache | undefined;
  /** Where posted documents are parsed. */
  readonly pool: TaskPool;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: ErrorLog;
}

/**
 * The router of the registry (design, section 4). It does not answer requests for other paths: call `addFallback` on
 * the outermost router for those, after everything is mounted. How to add an endpoint: see `Resource`.
 */
export function createRegistryApp(parts: RegistryAppParts): Hono {
  const { config, version, open, reports, commands, files, metrics } = parts;
  const { eventStreams, audit, cache, pool, clock, pace, log } = parts;
  const { registry, catalog, pins } = open;
  const latestLists = new LatestLists(catalog);
  const from = { baseUrl: config.baseUrl, version, since: clock.now() };
  const table = () => dataTable(files.assets, from);
  const examples = examplesIn(files.packageFolder);
  const described = { table, lookup: withDataTable(catalog, table), examples };
  const serving: Serving = {
    catalog,
    pace,
    entityTag: entityTags(version),
    cacheable: createCacheable(clock),
  };
  const versionNotices = createVersionNotices(clock, pace);
  const writing = { registry, catalog, audit, config, pool, pins };
  const pages = parts.pages({ ...serving, ...described, registry, pins, reports, versionNotices, config });
  const resources = [
    ...componentResources(
      { ...serving, ...described, ...writing, clock, reports, page: pages.component },
      metrics.registry,
    ),
    ...feedResources({ ...serving, latestLists, eventStreams }, metrics.registry),
    ...networkResources({ ...serving, latestLists }),
    ...statusResources({ reports, catalog, versionNotices, metrics, config, version, clock }),
    ...commandResources(commands, pins, {
      audit,
      clock,
      operatorToken: config.operatorToken,
      baseUrl: config.baseUrl,
    }),
    { path: '/openapi.json', cors: ANY_ORIGIN, methods: { GET: getOpenApi(parts, serving.cacheable) } },
    ...pages.resources,
    ...shippedResources(parts.shipped ?? [], examples),
  ] satisfies OwnResource[];
  const app = new Hono({ strict: false });
  const { routeMetrics } = metrics;
  const settings = { log, routeMetrics, problemPage: pages.problem, cache, pace };
  for (const resource of resources) addResource(app, resource, settings);
  return app;
}

function componentResources(
  parts: SingleComponentParts & PublishParts & MatchParts & Pick<RegistryAppParts, 'config'>,
  metrics: MetricsRegistry,
): OwnResource[] {
  const { config, pace } = parts;
  const codings = new ListingCodings(pace);
  const help = 'Bytes of the compressed copies of the whole listing';
  addGauge(metrics, 'registry_compressed_listing_bytes', help, () => codings.bytes);
  const writable = isWritable(config);
  return [
    {
      path: '/component',
      cors: corsFor(config, 'POST'),
      cached: ['GET'],
      methods: {
        GET: listComponents({ ...parts, codings }),
        POST: writable ? publishComponents(parts) : undefined,
      },
    },
    {
      path: QUERY_PATH,
      cors: ANY_ORIGIN,
      cached: ['POST'],
      methods: { POST: queryComponents(parts, Math.min(config.limits.bodyBytes, QUERY_BYTES)) },
    },
    {
      path: '/match',
      cors: ANY_ORIGIN,
      cached: ['POST'],
      methods: { POST: matchComponents(parts, Math.min(config.limits.bodyBytes, MATCH_BYTES)) },
    },
    {
      path: '/c/*',
      cors: corsFor(config, 'DELETE'),
      cached: ['GET'],
      methods: { GET: getComponent(parts), DELETE: writable ? deleteComponent(parts) : undefined },
    },
  ];
}

function feedResources(
  parts: Omit<FeedParts, 'pages'> & Pick<RegistryAppParts, 'eventStreams'>,
  metrics: MetricsRegistry,
): OwnResource[] {
  const { catalog, eventStreams: streams } = parts;
  const counts = addFeedMetrics(metrics, { catalog, streams: () => streams.count });
  const feed = { ...parts, pages: new PageStore(), streams, counts };
  return [
    { path: '/feed', cors: ANY_ORIGIN, methods: { GET: getFeed(feed) } },
    { path: '/feed/range', cors: ANY_ORIGIN, methods: { GET: getRange(feed) } },
    { path: '/feed/sources', cors: ANY_ORIGIN, methods: { GET: getFeedSources(feed) } },
  ];
}

function networkResources(parts: NetworkParts): OwnResource[] {
  return [
    { path: '/peers', cors: ANY_ORIGIN, methods: { GET: listNetwork('peers', parts) } },
    { path: '/storage', cors: ANY_ORIGIN, methods: { GET: listNetwork('storage', parts) } },
  ];
}

function statusResources(parts: Omit<StatusParts, 'started'> & { readonly metrics: Metrics }): OwnResource[] {
  const started = parts.clock.now();
  return [
    { path: '/health', cors: ANY_ORIGIN, methods: { GET: getHealth(parts.reports) } },
    { path: '/status', cors: ANY_ORIGIN, methods: { GET: getStatus({ ...parts, started }) } },
    { path: '/metrics', methods: { GET: getMetrics(parts.metrics) } },
  ];
}

function commandResources(
  { sync, decide, rehearse, hint }: Commands,
  pins: Pins,
  parts: OperatorParts & { readonly clock: Clock; readonly baseUrl: string },
): OwnResource[] {
  return [
    { path: '/sync', methods: { POST: syncNow(sync, parts) } },
    { path: '/discovery', methods: { POST: decideAddress(decide, parts) } },
    { path: '/pins', methods: { DELETE: deletePins(pins, parts) } },
    { path: '/rehearse', methods: { POST: rehearseNow(rehearse, parts.operatorToken) } },
    { path: '/hint', cors: ANY_ORIGIN, methods: { POST: takeHint({ hint, ...parts }) } },
  ];
}

/** The document, and what it is made of, is loaded when it is first asked for: most nodes are never asked. */
function getOpenApi(
  { config, version, openApi, clock }: Pick<RegistryAppParts, 'config' | 'version' | 'openApi' | 'clock'>,
  cacheable: Cacheable,
): Handler {
  const since = clock.now();
  let body: string | undefined;
  return async (c) => {
    if (body === undefined) {
      const { describeApi } = await import('./api-description/openapi.js');
      body = jsonText(describeApi(config, version, await Promise.all(openApi.map((part) => part()))));
    }
    const answer = { status: 200, headers: { 'content-type': 'application/json' }, body };
    return cacheable.answer(c, { etag: textTag(body), since }, () => answer);
  };
}
