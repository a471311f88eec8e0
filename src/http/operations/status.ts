import type { Catalog } from '../../catalog/catalog.js';
import { sourceKey } from '../../component/source.js';
import type { Config } from '../../config.js';
import { sha384Of } from '../../core/pins.js';
import { publicRefusals } from '../../core/refusal.js';
import type { Pinning } from '../../explain/node-report.js';
import type { Clock } from '../../lib/clock.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { requireOperator } from '../access/operator.js';
import { momentsAsText } from '../moments.js';
import type { Metrics } from './metrics.js';
import { type Reports, storageOf } from './reports.js';

export interface StatusParts {
  readonly reports: Reports;
  readonly catalog: Catalog;
  readonly metrics: Pick<Metrics, 'unstoredPolls'>;
  readonly config: Pick<Config, 'baseUrl' | 'mode' | 'write' | 'operatorToken'>;
  readonly version: string;
  readonly clock: Clock;
  /** When the node started, ms since the epoch. */
  readonly started: number;
}

/** What a load balancer may send requests for. */
export const NEEDS = ['reads', 'writes'] as const;

/**
 * `GET /health`: for load balancers and container platforms. A node that cannot write still serves what it has, so the
 * status stays 200 and the body says how storage is; with `?need=reads` or `?need=writes`, it is 503 where that is impossible.
 */
export function getHealth({ health, failingStores, activity }: Reports): Handler {
  return ({ req }) => {
    const need = parametersOf(req.url).get('need');
    if (need !== null && !NEEDS.some((one) => one === need))
      throw new Problem(422, 'need is one of: reads, writes');
    const status = health();
    const storage = status === 'serving' ? storageOf(failingStores()) : 'ok';
    // The last good data is served meanwhile, so that another node would serve nothing better.
    const sources = activity().allFail ? { sources: 'failing' } : {};
    const body = { status, ...(storage === 'ok' ? {} : { storage }), ...sources };
    const isImpossible = need === 'writes' && storage === 'failing';
    if (status === 'serving' && !isImpossible) return jsonAnswer(body);
    return { ...jsonAnswer(body, { 'retry-after': '2' }), status: 503 };
  };
}

/**
 * `GET /status`: the state of the node and of each source; for the operator, which private addresses are refused, too. A
 * token that is not the operator's is refused, so that nobody takes what visitors see for all.
 */
export function getStatus(parts: StatusParts): Handler {
  return async ({ req }) => {
    const isOperator = req.raw.headers.has('authorization');
    if (isOperator) requireOperator(req.raw, parts.config.operatorToken);
    const { counts, examples } = parts.reports.refusals();
    const refused = isOperator ? { counts, examples } : publicRefusals({ counts, examples });
    return jsonAnswer({ ...(await describeNode(parts)), refused }, {}, momentsAsText);
  };
}

async function describeNode(parts: StatusParts) {
  const { reports, catalog, config, clock, started, version } = parts;
  const { baseUrl, mode, write } = config;
  const health = reports.health();
  const { revision, components } = await catalog.state();
  const [sources, activity] = [await reports.status(), reports.activity()];
  const [served, pinning] = [await catalog.served(), await reports.pinning()];
  return {
    health,
    node: reports.name,
    ...{ version, baseUrl, mode, write },
    uptimeSeconds: Math.floor((clock.now() - started) / 1000),
    revision: { epoch: revision.epoch, number: revision.number, since: revision.since },
    counts: {
      components,
      pods: sources.filter(({ kind }) => kind === 'pod').length,
      peers: sources.filter(({ kind }) => kind === 'peer').length,
      failing: sources.filter((source) => source.state === 'failing').length,
    },
    storage: describeStorage(parts),
    events: activity.events.map(({ at, source, ...event }) => ({ at, ...source, ...event })),
    pins: describePinning(pinning),
    sources: sources.map((source) => ({ ...source, served: served.get(sourceKey(source)) ?? 0 })),
  };
}

/** `changed`: of which the bytes were not what they should be at the last look; the first of them are named. */
function describePinning({ mode, all, changed, examples, failing }: Pinning) {
  const shown = examples.map(({ uri, version, first, last, files = [], since, changedAt }) => ({
    uri,
    version,
    integrity: first && sha384Of(first),
    changed: sha384Of(last),
    files: files.filter((file) => file.changed !== undefined).map((file) => file.uri),
    since,
    changedAt,
  }));
  return { mode, all, changed, examples: shown, failing };
}

/** The state of the databases; `unstoredPolls` is counted since the start. */
function describeStorage({ reports, metrics }: StatusParts) {
  const stores = reports.failingStores();
  const failing = stores.map(({ store, since, error }) => ({ store, since, error }));
  return { state: storageOf(stores), failing, unstoredPolls: metrics.unstoredPolls() };
}
