import { Hono } from 'hono';
import type { Config } from '../config.js';
import { type Examples, examplesIn } from '../example-data.js';
import type { Clock } from '../lib/clock.js';
import { type Cacheable, createCacheable } from '../lib/http/cacheable.js';
import type { ErrorLog } from '../lib/http/error-handler.js';
import { ANY_ORIGIN } from '../lib/http/headers/cors.js';
import { jsonText } from '../lib/http/json-answer.js';
import type { OpenApiPart } from '../lib/http/openapi-parts.js';
import { addResource, type Handler, type ProblemAnswer } from '../lib/http/resource.js';
import { textTag } from '../lib/http/response/conditional.js';
import type { Pace } from '../lib/pace.js';
import type { TaskPool } from '../lib/pool/task.js';
import type { OpenedRegistry } from '../registry/open-registry.js';
import type { Pins } from '../registry/pins.js';
import type { ShippedSet } from '../shipped-set.js';
import type { Audit } from './access/audit.js';
import { componentFeature } from './components/component-routes.js';
import { entityTags } from './entity-tags.js';
import type { EventStreams } from './feed/event-streams.js';
import { feedFeature } from './feed/feed-routes.js';
import { networkFeature } from './network/network-routes.js';
import { describeApi } from './openapi.js';
import type { Commands } from './operations/commands.js';
import type { Metrics } from './operations/metrics.js';
import { operationFeature } from './operations/operation-routes.js';
import type { Reports } from './operations/reports.js';
import { type OwnResource, resourcesOf } from './own-resource.js';
import type { Serving } from './representation.js';
import type { ResponseCache } from './response-cache.js';
import { shippedResources } from './shipped-files.js';
import { SITE } from './site-feature.js';

/** What the app gives to the pages that it serves. */
export interface PagesBasis extends Serving {
  readonly examples: () => Promise<Examples>;
  readonly registry: OpenedRegistry['registry'];
  readonly pins: Pins;
  readonly reports: Reports;
  readonly config: RegistryAppParts['config'];
}

/** The pages for people, as far as the app serves them. */
export interface RegistryPages {
  readonly resources: readonly OwnResource[];
  /** `GET /c/<uri>` of a browser. */
  readonly component: Handler;
  readonly problem: ProblemAnswer;
}

/** What is served beside what is stored. */
export interface Site {
  /** The package that the node runs from: a URL with a slash at the end. */
  readonly packageFolder: URL;
  /** The sets that come with this software and are listed; undefined where there can be none. */
  readonly shipped: readonly ShippedSet[] | undefined;
  readonly pages: (basis: PagesBasis) => RegistryPages;
  /** The parts of `/openapi.json` that describe the other services of the node. */
  readonly openApi: readonly (() => OpenApiPart)[];
}

/** What requests are answered with, and written down. */
interface ServingTools {
  readonly version: string;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Where posted documents are parsed. */
  readonly pool: TaskPool;
  /** Where repeatable answers are stored. */
  readonly cache?: ResponseCache | undefined;
  readonly metrics: Metrics;
  readonly audit: Audit;
  readonly log: ErrorLog;
}

/** What the registry's HTTP service is made of. */
export interface RegistryAppParts {
  readonly config: Pick<Config, 'baseUrl' | 'write' | 'mode' | 'limits' | 'operatorToken'>;
  readonly open: Pick<OpenedRegistry, 'registry' | 'catalog' | 'pins'>;
  readonly reports: Reports;
  readonly commands: Commands;
  /** On which followers are told that something has changed. */
  readonly eventStreams: EventStreams;
  readonly site: Site;
  readonly tools: ServingTools;
}

/**
 * The router of the registry (design, section 4): one sub-app for each feature, made of the routes that the feature names with
 * their methods and descriptions. It does not answer requests for other paths: call `addFallback` on the outermost router for
 * those, after everything is mounted.
 */
export function createRegistryApp(parts: RegistryAppParts): Hono {
  const { config, open, reports, commands, eventStreams, site, tools } = parts;
  const { version, clock, pace, pool, audit, metrics, cache, log } = tools;
  const { registry, catalog, pins } = open;
  const since = clock.now();
  const examples = examplesIn(site.packageFolder);
  const cacheable = createCacheable(clock);
  const serving: Serving = { catalog, pace, entityTag: entityTags(version), cacheable };
  const pages = site.pages({ ...serving, examples, registry, pins, reports, config });
  const writing = { registry, pool, clock, audit, config };
  const status = { reports, catalog, metrics, config, version, clock, started: since };
  const features = [
    componentFeature({ serving, writing, reports, page: pages.component }),
    feedFeature({ catalog, pace, eventStreams }, metrics.registry),
    networkFeature(serving),
    operationFeature({ status, commands, pins, audit }),
  ];
  const describe = () => {
    const others = site.openApi.map((part) => part());
    return jsonText(describeApi(config, version, [...features, SITE], others));
  };
  const others: OwnResource[] = [
    { path: '/openapi.json', cors: ANY_ORIGIN, methods: { GET: getOpenApi(describe, cacheable, since) } },
    ...pages.resources,
    ...shippedResources(site.shipped ?? [], examples, since),
  ];
  const settings = { log, routeMetrics: metrics.routeMetrics, problemPage: pages.problem, cache, pace };
  const app = new Hono({ strict: false });
  for (const resources of [...features.map(({ routes }) => resourcesOf(routes)), others]) {
    const feature = new Hono({ strict: false });
    for (const resource of resources) addResource(feature, resource, settings);
    app.route('/', feature);
  }
  return app;
}

/** The document is made when it is first asked for: most nodes are never asked. */
function getOpenApi(describe: () => string, cacheable: Cacheable, since: number): Handler {
  let body: string | undefined;
  return (c) => {
    body ??= describe();
    const answer = { status: 200, headers: { 'content-type': 'application/json' }, body };
    return cacheable.answer(c, { etag: textTag(body), since }, () => answer);
  };
}
