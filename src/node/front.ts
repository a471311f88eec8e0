import { Hono } from 'hono';
import type { State } from '../catalog/catalog.js';
import { type Config, listeningOn } from '../config.js';
import { hostRule } from '../http/access/own-origin.js';
import { assetsIn } from '../http/assets/asset.js';
import type { EventStreams } from '../http/feed/event-streams.js';
import { createMetrics } from '../http/operations/metrics.js';
import { rootPath } from '../http/paths.js';
import { ResponseCache } from '../http/response-cache.js';
import type { FetchHandler } from '../lib/http/server/server.js';
import { PACKAGE_FOLDER } from '../lib/package-folder.js';
import type { ClosablePool } from '../lib/pool/task.js';
import type { Given } from './given.js';
import { createLoadingApp } from './loading-app.js';
import { nodeName } from './node-name.js';
import type { Unwinding } from './unwinding.js';

/** Bytes of responses that are stored to be sent again: enough for the queries that pages really ask. */
const RESPONSE_CACHE = { maxBytes: 32_000_000, maxResponseBytes: 1_000_000 };

/** The server of a node: it takes requests from the start, and answers them by one app after another. */
export type Front = Awaited<ReturnType<typeof openFront>>;

interface FrontParts {
  readonly pool: ClosablePool;
  readonly eventStreams: EventStreams;
  readonly stopping: AbortSignal;
  readonly unwinding: Unwinding;
}

/** How often progress is logged, in ms. */
const TELL_EVERY = 2000;

/** Starts to listen. Once `stopping` is aborted, no new connections are taken. */
export async function openFront(
  configured: Config,
  { clock, pace, log, listen, processMetrics }: Given,
  { pool, eventStreams, stopping, unwinding }: FrontParts,
) {
  let shown: State | undefined;
  let app = new Hono();
  let moduleMoves = 0;
  let progress: { readonly read: number; readonly of: number } | undefined;
  let toldAt = clock.now();
  const answer: FetchHandler = (request, bindings) => app.fetch(request, bindings);
  const cache = new ResponseCache({ ...RESPONSE_CACHE, state: () => shown });
  const metrics = createMetrics({ cache, pool: pool.figures, ofProcess: processMetrics });
  const { host, port } = configured.listen;
  const basePath = rootPath(listeningOn(configured, port).baseUrl);
  const rules = { hostRule: hostRule(configured), basePath, onRefused: metrics.refused };
  const server = await listen(answer, { host, port, cache, clock, pace, ...rules });
  await unwinding.defer('the HTTP server', () => server.close());
  stopping.addEventListener('abort', () => server.stopAccepting());
  const config = listeningOn(configured, server.port);
  const assets = assetsIn(new URL('dist/', PACKAGE_FOLDER));
  app = createLoadingApp({ config, assets, metrics, eventStreams, progress: () => progress, log });
  return {
    /** With the port that it listens on. */
    config,
    /** What tells it from other nodes that have the same `baseUrl`. */
    name: nodeName(config),
    assets,
    cache,
    metrics,
    /** The registry is in another state: stored answers are out of date. */
    show(state: State): void {
      shown = state;
    },
    /** How often `modulesMoved` has been called. */
    moduleMoves: () => moduleMoves,
    /** The last look at a module had another result than the one before: stored answers are out of date, too. */
    modulesMoved(): void {
      moduleMoves += 1;
      shown = shown && { ...shown };
    },
    /** So many descriptions have been read, of so many: said in the log from time to time, and at `/health`. */
    showProgress(read: number, of: number): void {
      progress = { read, of };
      if (clock.now() - toldAt < TELL_EVERY) return;
      toldAt = clock.now();
      log.info(progress, 'reading the descriptions of components');
    },
    /** Has an app answer from now on, in place of the one that says that the node is loading. */
    serve(next: Hono): void {
      app = next;
    },
  };
}
