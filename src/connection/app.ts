import { Hono } from 'hono';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import type { Keep } from '../keep/keep.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { Problem } from '../lib/http/problem.js';
import { addResource } from '../lib/http/resource.js';
import type { RouteMetricsOf } from '../lib/http/response/answer.js';
import type { TaskPool } from '../lib/pool/task.js';
import { problemPages } from '../pages/shell/problem-page.js';
import { changesIn, Records } from './records/records.js';
import { acceptPage, refusalPage } from './routes/accept.js';
import { resourcesOf, type Service } from './routes/route.js';
import { describeConnectionApi, ROUTES } from './routes/routes.js';
import { createRefresh } from './sources/refresh.js';
import { createSourceCheck, createSourceReader } from './sources/source-reading.js';
import { createAccess } from './tokens/access.js';
import { createVerifyIssued } from './tokens/issuers.js';
import { loadKeys, shareKey } from './tokens/key-file.js';

interface ConnectionServiceParts extends Pick<Service, 'clock' | 'pace' | 'log' | 'node'> {
  /** Its `baseUrl` names the port that the node listens on, also when the operator has configured port 0. */
  readonly config: Pick<
    Config,
    'baseUrl' | 'dataDir' | 'connection' | 'invites' | 'operatorToken' | 'limits' | 'sync'
  >;
  readonly vocabulary: Vocabulary;
  readonly fetch: GuardedFetch;
  /** Parses the documents of holders. */
  readonly pool: TaskPool;
  /** What the service is stored in. It is closed with the service. */
  readonly keep: Keep;
  /** Do other nodes have the same connections? */
  readonly isShared: boolean;
  readonly routeMetrics?: RouteMetricsOf;
}

export type ConnectionService = Awaited<ReturnType<typeof openConnectionService>>;

/** Opens the service (design, section 8), whose records are its own. @throws KeepUnusable, StoreUnavailable; Error for a key file */
export async function openConnectionService(parts: ConnectionServiceParts) {
  const { config, keep, fetch, vocabulary, pool, clock, pace, log, node, routeMetrics } = parts;
  const mount = config.connection.path === '/' ? '' : config.connection.path;
  const base = config.baseUrl + mount;
  const stopping = new AbortController();
  if (parts.isShared) await shareKey(keep, config.dataDir);
  const keys = await loadKeys(config.dataDir);
  const [records, change] = [new Records(keep, pace), changesIn(keep)];
  const read = createSourceReader({ fetch, vocabulary, pool, signal: stopping.signal });
  const verifyIssued = createVerifyIssued(config.connection.issuers, base, { fetch, clock });
  const service: Service = {
    ...{ config, base, mount, records, change, clock, pace, log, node },
    accessOf: createAccess(config.operatorToken, keys.token, verifyIssued, clock),
    refresh: createRefresh({ records, change, read, clock, concurrency: config.sync.concurrency }),
    checkSource: createSourceCheck(read, clock),
    linkKey: keys.invite,
  };
  const app = new Hono({ strict: false });
  const settings = { log, pace, routeMetrics };
  addResource(app, acceptPage(service), { ...settings, problemPage: refusalPage(service) });
  for (const resource of resourcesOf(ROUTES, service))
    addResource(app, resource, { ...settings, problemPage: problemPages(node) });
  return {
    /** To be mounted at `connection.path`. */
    app,
    /** The service's part of the node's OpenAPI description. */
    openApi: () => describeConnectionApi(mount),
    /** Why nothing can be written at present; undefined while everything can. */
    trouble: () => keep.trouble,
    /** Aborts refreshes under way and closes the keep. No request may be answered afterwards. */
    close(): Promise<void> {
      const headers = { 'retry-after': '2' };
      stopping.abort(new Problem(503, 'This node is stopping; try again in a moment', { headers }));
      return keep.close();
    },
  };
}
