import { Hono } from 'hono';
import type { Naming } from '../component/codec.js';
import { createVocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import type { Clock } from '../lib/clock.js';
import type { AnswerCache } from '../lib/http/answer-cache.js';
import { ANY_ORIGIN } from '../lib/http/cors.js';
import type { ErrorLog } from '../lib/http/error-handler.js';
import { addResource, type Handler, type Resource } from '../lib/http/resource.js';
import type { TaskPool } from '../lib/pool/task.js';
import type { LintReport } from '../lint/finding.js';
import type { Registry } from '../store/registry.js';
import type { Assets } from '../web/asset.js';
import { type Cacheable, createCacheable } from './cacheable.js';
import { entityTags, fingerprintOf } from './conditional.js';
import { explorerResources } from './explorer.js';
import { listComponents, queryComponents } from './listing.js';
import { ListingCodings } from './listing-codings.js';
import { addFigure, getMetrics, type Metrics } from './metrics.js';
import { listNetwork } from './network.js';
import type { Health, SourceStatus, SyncReport } from './node-report.js';
import { describeApi, type OpenApiPart } from './openapi.js';
import { isWritable } from './operator.js';
import { publishComponents } from './publish.js';
import { deleteComponent, getComponent } from './single-component.js';
import { getHealth, getStatus } from './status.js';
import { syncNow } from './sync.js';
import { whenLoaded } from './when-loaded.js';

export const QUERY_PATH = '/component/query';

/** What the registry's HTTP side is made from. The functions are asked anew for every request. */
export interface RegistryAppParts {
  readonly config: Pick<Config, 'baseUrl' | 'vocabulary' | 'write' | 'mode' | 'limits' | 'operatorToken'>;
  /** Not called while `health` says `loading`. */
  readonly registry: () => Registry;
  readonly health: () => Health;
  readonly status: () => readonly SourceStatus[];
  /** Polls all sources, or the one with this URL; resolves when done, with nothing for a URL that is no source's. */
  readonly sync: (sourceUrl?: string) => Promise<readonly SyncReport[]>;
  readonly metrics: Metrics;
  /** Checks a metadata document that a stranger names, and the modules it names. */
  readonly lint: (url: string, signal: AbortSignal) => Promise<LintReport>;
  /** Parses what is posted. */
  readonly pool: TaskPool;
  /** What browsers load from the node. */
  readonly assets: Assets;
  /** Where answers are kept that may be given again. */
  readonly cache?: AnswerCache;
  /** What the other services of the node add to `/openapi.json`. */
  readonly openApi?: readonly OpenApiPart[];
  readonly version: string;
  readonly clock: Clock;
  readonly log: ErrorLog;
}

/**
 * The registry as a router (design, section 4). It has no answer for paths that are not its own: install
 * `addFallback` on the outermost router, after everything is mounted.
 */
export function createRegistryApp(parts: RegistryAppParts): Hono {
  const app = new Hono({ strict: false });
  for (const resource of resources(parts)) {
    const { log, metrics, cache } = parts;
    addResource(app, resource, { log, watch: metrics.watch, ...(cache ? { cache } : {}) });
  }
  return app;
}

function resources(parts: RegistryAppParts): Resource[] {
  const { config, clock, version } = parts;
  const shared = {
    ...parts,
    naming: { baseUrl: config.baseUrl, vocabulary: createVocabulary(config.vocabulary) },
    entityTag: entityTags([config.baseUrl, config.vocabulary, version]),
    cacheable: createCacheable(clock),
    codings: countedCodings(parts.metrics),
  };
  return [
    ...componentResources(shared),
    ...networkResources(shared),
    ...operationResources(shared),
    ...explorerResources({ ...shared, baseUrl: config.baseUrl, mode: config.mode }),
  ];
}

type Shared = RegistryAppParts & {
  readonly naming: Naming;
  readonly entityTag: ReturnType<typeof entityTags>;
  readonly cacheable: Cacheable;
  readonly codings: ListingCodings;
};

function countedCodings({ registry }: Metrics): ListingCodings {
  const codings = new ListingCodings();
  const help = 'Bytes of the compressed forms of the whole listing';
  addFigure(registry, 'registry_compressed_listing_bytes', help, () => codings.bytes);
  return codings;
}

function componentResources(parts: Shared): Resource[] {
  const { config, registry } = parts;
  const loaded = whenLoaded(parts.health);
  const writable = isWritable(config);
  return [
    {
      path: '/component',
      cors: ANY_ORIGIN,
      methods: {
        GET: loaded(listComponents(parts)),
        ...(writable ? { POST: loaded(publishComponents(parts)) } : {}),
      },
    },
    {
      path: QUERY_PATH,
      cors: ANY_ORIGIN,
      methods: { POST: loaded(queryComponents(parts, config.limits.bodyBytes)) },
    },
    {
      path: '/c/*',
      cors: ANY_ORIGIN,
      methods: {
        GET: loaded(getComponent({ ...parts, baseUrl: config.baseUrl })),
        ...(writable ? { DELETE: loaded(deleteComponent(registry, config)) } : {}),
      },
    },
  ];
}

function networkResources(parts: Shared): Resource[] {
  const loaded = whenLoaded(parts.health);
  return (['peers', 'storage'] as const).map((list) => ({
    path: `/${list}`,
    cors: ANY_ORIGIN,
    methods: { GET: loaded(listNetwork(list, parts)) },
  }));
}

function operationResources(parts: Shared): Resource[] {
  const { config, health, clock, version } = parts;
  const started = clock.now();
  const node = { baseUrl: config.baseUrl, mode: config.mode, write: config.write, version };
  return [
    { path: '/health', cors: ANY_ORIGIN, methods: { GET: getHealth(health) } },
    {
      path: '/status',
      cors: ANY_ORIGIN,
      methods: { GET: getStatus({ ...parts, ...node, started, now: () => clock.now() }) },
    },
    {
      path: '/sync',
      methods: { POST: whenLoaded(health)(syncNow(parts.sync, config.operatorToken)) },
    },
    { path: '/metrics', methods: { GET: getMetrics(parts.metrics) } },
    { path: '/openapi.json', cors: ANY_ORIGIN, methods: { GET: getOpenApi(parts, started) } },
  ];
}

function getOpenApi({ config, version, openApi, cacheable }: Shared, since: number): Handler {
  const body = JSON.stringify(describeApi(config, version, openApi));
  const validators = { etag: `"${fingerprintOf([body])}"`, since };
  return (c) =>
    cacheable(c, validators, (headers) => ({
      status: 200,
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    }));
}
