import { sourceKey } from '../../component/source.js';
import type { Config } from '../../config.js';
import { sha384Of } from '../../core/pins.js';
import type { PollPoint, SourceEvent } from '../../explain/activity.js';
import type { Pinning } from '../../explain/pinning.js';
import type { Reader } from '../../explain/reader.js';
import { publicRefusals } from '../../explain/refusal.js';
import type { FailingDocument, SourceStatus } from '../../explain/source-status.js';
import type { Audit } from '../../lib/audit.js';
import type { Clock } from '../../lib/clock.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Following } from '../../registry/following.js';
import type { State } from '../../registry/state.js';
import { isOperator } from '../access/operator.js';
import type { Metrics } from './metrics.js';
import type { Reports } from './reports.js';
import type { VersionNoticesOf } from './version-notices.js';

export interface StatusParts {
  readonly reports: Reports;
  readonly catalog: Catalog;
  readonly versionNotices: VersionNoticesOf;
  readonly audit: Audit;
  readonly metrics: Pick<Metrics, 'unstoredPolls'>;
  readonly config: Pick<Config, 'baseUrl' | 'mode' | 'write' | 'operatorToken'>;
  readonly version: string;
  readonly clock: Clock;
  /** When the node started, ms since the epoch. */
  readonly started: number;
}

/**
 * `GET /health`: for load balancers and container platforms. A node that cannot write to its disk still serves what it
 * has, so the status stays 200 and the body says that storage is failing.
 */
export function getHealth({ health, failingStores }: Pick<Reports, 'health' | 'failingStores'>): Handler {
  return () => {
    const status = health();
    const storage = failingStores().length > 0 ? { storage: 'failing' } : {};
    if (status === 'serving') return jsonAnswer({ status, ...storage });
    return { ...jsonAnswer({ status }, { 'retry-after': '2' }), status: 503 };
  };
}

/** `GET /status`: the state of the node and of each source; for the operator, who has done what and which private addresses are refused, too. */
export function getStatus(parts: StatusParts): Handler {
  const served = servedCounts();
  return async ({ req }) => {
    const { counts, examples } = parts.reports.refusals();
    const refused = { counts, examples };
    const more = isOperator(req.raw, parts.config.operatorToken)
      ? { refused, audit: await parts.audit.latest() }
      : { refused: publicRefusals(refused) };
    return jsonAnswer({ ...(await describeNode(parts, served)), ...more });
  };
}

async function describeNode(parts: StatusParts, served: ReturnType<typeof servedCounts>) {
  const { reports, config, clock, started, version } = parts;
  const { baseUrl, mode, write } = config;
  const health = reports.health();
  const current = await parts.catalog.state();
  const [sources, activity] = [await reports.status(), reports.activity()];
  const counts = await served(parts.catalog);
  const notices = await parts.versionNotices(parts.catalog);
  return {
    health,
    version,
    baseUrl,
    mode,
    write,
    uptimeSeconds: Math.floor((clock.now() - started) / 1000),
    revision: revisionOf(current),
    counts: {
      components: current.components,
      pods: sources.filter(({ kind }) => kind === 'pod').length,
      peers: sources.filter(({ kind }) => kind === 'peer').length,
      failing: sources.filter((source) => source.state === 'failing').length,
    },
    storage: describeStorage(parts),
    events: activity.events.slice(0, TOLD).map(describeEvent),
    versions: notices,
    pins: describePinning(await reports.pinning()),
    sources: sources.map((source) => ({
      ...describeSource(source, counts),
      polls: activity
        .polls(source)
        .map(({ outcome }) => OUTCOMES[outcome])
        .join(''),
    })),
    readers: reports.readers().map(describeReader),
  };
}

/** `changed`: of which the bytes were not what they should be at the last look; the first of them are named. */
function describePinning({ mode, all, changed, examples, failing }: Pinning) {
  const shown = examples.map(({ uri, version, first, last, since, changedAt }) => ({
    uri,
    version,
    integrity: first && sha384Of(first),
    changed: sha384Of(last),
    ...withTimes({ since, changedAt }, ['since', 'changedAt']),
  }));
  return { mode, all, changed, examples: shown, failing: failing.map((one) => withTimes(one, ['at'])) };
}

/** The state of the databases; `unstoredPolls` is counted since the start. */
function describeStorage({ reports, metrics }: StatusParts) {
  const failing = reports
    .failingStores()
    .map((one) => ({ ...one, since: new Date(one.since).toISOString() }));
  return { state: failing.length > 0 ? 'failing' : 'ok', failing, unstoredPolls: metrics.unstoredPolls() };
}

/** The outcome of a poll as `polls` of a source shows it, the newest last. */
const OUTCOMES: Readonly<Record<PollPoint['outcome'], string>> = {
  unchanged: '.',
  changed: '+',
  failed: '!',
};

/** Events that are told, at most. */
const TOLD = 50;

/** What has happened lately, the newest first. */
function describeEvent({ at, source, ...event }: SourceEvent) {
  return { at: new Date(at).toISOString(), ...source, ...event };
}

function revisionOf({ revision: { epoch, number, since } }: State) {
  return { epoch, number, since: new Date(since).toISOString() };
}

const TIMES = ['lastAttempt', 'lastSuccess', 'nextAttempt', 'failingSince', 'heldUntil'] as const;

/** Of the `components` of a source, `served` are served; the others are shadowed by sources of higher precedence. */
function describeSource(source: SourceStatus, served: ReadonlyMap<string, number> | undefined) {
  const { following, shrink } = source;
  return {
    ...withTimes(source, TIMES),
    following: following && describeFollowing(following),
    shrink: shrink && withTimes(shrink, ['since']),
    failing: source.failing.map(describeFailing),
    served: served && (served.get(sourceKey(source)) ?? 0),
  };
}

function describeReader({ firstSeen, lastSeen, ...reader }: Reader) {
  const at = (ms: number) => new Date(ms).toISOString();
  return { ...reader, firstSeen: at(firstSeen), lastSeen: at(lastSeen) };
}

function describeFollowing(following: Following) {
  if (following.by === 'listing') return withTimes(following, ['since', 'looked']);
  const { lastRepair } = following;
  return { ...withTimes(following, ['since']), lastRepair: lastRepair && withTimes(lastRepair, ['at']) };
}

/** The same with some times, where they are there, in ISO 8601. */
function withTimes<T extends object, K extends keyof T>(object: T, names: readonly K[]): object {
  const times = names.flatMap((name) => {
    const ms = object[name];
    return typeof ms === 'number' ? [[name, new Date(ms).toISOString()] as const] : [];
  });
  return { ...object, ...Object.fromEntries(times) };
}

function describeFailing({ failingSince, ...document }: FailingDocument) {
  if (failingSince === undefined) return document;
  return { ...document, failingSince: new Date(failingSince).toISOString() };
}

/** How many descriptions of each source are served; counted again only when the catalog has changed. */
function servedCounts(): (catalog: Catalog) => Promise<ReadonlyMap<string, number>> {
  let known: { revision: number; counts: ReadonlyMap<string, number> } | undefined;
  return async (catalog) => {
    const { revision } = await catalog.state();
    if (known?.revision === revision.number) return known.counts;
    const { by } = await catalog.counts({}, ['source']);
    known = { revision: revision.number, counts: by.source };
    return known.counts;
  };
}
