import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import type { Keep, Trouble } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { Problem } from '../lib/http/problem.js';
import { addResource } from '../lib/http/resource.js';
import type { RouteMetricsOf } from '../lib/http/route-metrics.js';
import type { Log } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import type { TaskPool } from '../lib/pool/task.js';
import { problemPages } from '../pages/shell/problem-page.js';
import type { NodeView } from '../pages/shell/view.js';
import { recordProblemPage } from './http/problem-page.js';
import type { describeConnectionApi } from './openapi.js';
import { createPurposeNames } from './purpose-names.js';
import { Records } from './records/records.js';
import { type AcceptRouteParts, acceptRoutes } from './routes/accept.js';
import { connectionRoutes } from './routes/connections.js';
import { holderRoutes } from './routes/holders.js';
import { inviteRoutes } from './routes/invites.js';
import { type ResourceRouteParts, resourceRoutes } from './routes/resources.js';
import { createRefresh } from './sources/refresh.js';
import { createSourceCheck } from './sources/source-check.js';
import { createCredentialsOf } from './sources/source-credentials.js';
import { createSourceReader } from './sources/source-reading.js';
import { createAuthorised } from './tokens/access.js';
import { createIssuerTokens } from './tokens/issuer-token.js';
import { loadKeys } from './tokens/key-file.js';
import { shareKey } from './tokens/shared-key.js';

export interface ConnectionServiceParts {
  /** Its `baseUrl` names the port that the node listens on, also when the operator has configured port 0. */
  readonly config: Pick<
    Config,
    'baseUrl' | 'dataDir' | 'connection' | 'invites' | 'operatorToken' | 'limits' | 'sync'
  >;
  readonly vocabulary: Vocabulary;
  readonly fetch: GuardedFetch;
  /** Parses the documents of holders. */
  readonly pool: TaskPool;
  readonly clock: Clock;
  readonly pace: Pace;
  /** What the service is stored in. It is closed with the service, and when the service cannot be opened. */
  readonly keep: Keep;
  /** Do other nodes have the same connections? */
  readonly isShared: boolean;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** What pages show of the node at the moment. */
  readonly node: () => NodeView;
  readonly routeMetrics?: RouteMetricsOf;
  /** Makes the last segment of each new URI; a random UUID when absent. */
  readonly newId?: () => string;
}

export interface ConnectionService {
  /** To be mounted at `connection.path`. */
  readonly app: Hono;
  /** The service's part of the node's OpenAPI description. */
  readonly openApi: () => Promise<ReturnType<typeof describeConnectionApi>>;
  /** Why nothing can be written at present; undefined while everything can. */
  readonly trouble: () => Trouble | undefined;
  /** Aborts refreshes under way and closes the records. No request may be answered afterwards. */
  close(): Promise<void>;
}

/**
 * Opens the connection service (design, section 8): a router with records of its own, apart from the registry's.
 * @throws KeepUnusable, KeepUnavailable, UnusableKey
 */
export async function openConnectionService(parts: ConnectionServiceParts): Promise<ConnectionService> {
  const { config, fetch, clock, pace, log, routeMetrics } = parts;
  const path = config.connection.path === '/' ? '' : config.connection.path;
  const mount = { base: config.baseUrl + path, path };
  const stopping = new AbortController();
  const { signal } = stopping;
  const { keys, records } = await opened(parts);
  const issuers = createIssuerTokens(config.connection.issuers, { ...parts, audience: mount.base });
  const { operatorToken } = config;
  const authorised = createAuthorised({ operatorToken, tokenKey: keys.token, issuers, clock });
  const read = createSourceReader(parts);
  const credentialsOf = createCredentialsOf({ fetch, clock });
  const { concurrency, timeoutSeconds } = config.sync;
  const routes: Routes = {
    ...{ mount, records, authorised, clock, pace, log, node: parts.node },
    linkKey: keys.invite,
    newId: parts.newId ?? randomUUID,
    bodyBytes: config.limits.bodyBytes,
    nameOf: createPurposeNames(config.invites.purposes),
    refresh: createRefresh({ records, read, credentialsOf, clock, concurrency, signal }),
    checkSource: createSourceCheck({ read, clock, signal, timeoutMs: timeoutSeconds * 1000 }),
  };
  return {
    app: createApp(routes, { log, routeMetrics, pace }),
    openApi: async () => (await import('./openapi.js')).describeConnectionApi(path),
    trouble: () => records.trouble,
    async close() {
      stopping.abort(
        new Problem(503, 'This node is stopping; try again in a moment', { headers: { 'retry-after': '2' } }),
      );
      await records.close();
    },
  };
}

async function opened({ config, keep, isShared }: ConnectionServiceParts) {
  try {
    if (isShared) await shareKey(keep, config.dataDir);
    const keys = await loadKeys(config.dataDir);
    return { keys, records: new Records(keep) };
  } catch (error) {
    await keep.close();
    throw error;
  }
}

type Routes = AcceptRouteParts & ResourceRouteParts;

function createApp(
  routes: Routes,
  settings: Pick<ConnectionServiceParts, 'log' | 'pace' | 'routeMetrics'>,
): Hono {
  const app = new Hono({ strict: false });
  const resources = [
    ...connectionRoutes(routes),
    ...acceptRoutes(routes),
    ...inviteRoutes(routes),
    ...holderRoutes(routes),
    ...resourceRoutes(routes),
  ];
  const problemPage = problemPages(routes.node, recordProblemPage);
  for (const resource of resources) addResource(app, resource, { ...settings, problemPage });
  return app;
}
