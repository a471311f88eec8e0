import { Hono } from 'hono';
import type { Config } from '../config.js';
import type { Assets } from '../http/assets/asset.js';
import { assetResources } from '../http/assets/asset-resources.js';
import type { EventStreams } from '../http/feed/event-streams.js';
import { hintStream, namesHints } from '../http/feed/hint-stream.js';
import { getMetrics, type Metrics } from '../http/operations/metrics.js';
import type { OwnResource } from '../http/own-resource.js';
import { ANY_ORIGIN } from '../lib/http/headers/cors.js';
import { jsonAnswer } from '../lib/http/json-answer.js';
import { Problem } from '../lib/http/problem.js';
import { addFallback, addResource, type Handler } from '../lib/http/resource.js';
import { VERSION } from '../lib/version.js';
import { nodeView } from '../pages/shell/page-answer.js';
import { problemPages } from '../pages/shell/problem-page.js';

interface LoadingAppParts {
  readonly config: Pick<Config, 'baseUrl' | 'mode' | 'write'>;
  readonly assets: Assets;
  readonly metrics: Metrics;
  /** What followers open now tells them the cursor when there is one. */
  readonly eventStreams: EventStreams;
  /** How many descriptions have been read, of how many, once that is known. */
  readonly progress: () => { readonly read: number; readonly of: number } | undefined;
  readonly log: Parameters<typeof addFallback>[1]['log'];
}

const RETRY = { 'retry-after': '2' };

/**
 * Answers while a node reads its data: everything is 503 but for what says so, because clients would take an empty list
 * for the truth.
 */
export function createLoadingApp(parts: LoadingAppParts): Hono {
  const { config, assets, metrics, eventStreams, progress, log } = parts;
  const app = new Hono({ strict: false });
  const { baseUrl, mode, write } = config;
  const health = 'loading';
  const problemPage = problemPages(() => nodeView({ config, version: VERSION }));
  const settings = { log, routeMetrics: metrics.routeMetrics, problemPage };
  const getHealth = () => told(503, { status: health, ...progress() }, RETRY);
  const getStatus = () => told(200, { health, version: VERSION, baseUrl, mode, write, sources: [] });
  const getFeed: Handler = (c) => {
    if (namesHints(c)) return hintStream(eventStreams, c);
    throw loading();
  };
  const resources: OwnResource[] = [
    { path: '/health', cors: ANY_ORIGIN, methods: { GET: getHealth } },
    { path: '/status', cors: ANY_ORIGIN, methods: { GET: getStatus } },
    { path: '/metrics', methods: { GET: getMetrics(metrics) } },
    { path: '/feed', cors: ANY_ORIGIN, methods: { GET: getFeed } },
    ...assetResources(assets),
  ];
  for (const resource of resources) addResource(app, resource, settings);
  addFallback(app, settings, loading);
  return app;
}

function loading(): Problem {
  return new Problem(503, 'This node is loading its data; try again in a moment', { headers: RETRY });
}

function told(status: number, body: object, more: Record<string, string> = {}) {
  return { ...jsonAnswer(body, more), status };
}
