import { Hono } from 'hono';
import type { Vocabulary } from '../component/vocabulary.js';
import { privatePodsIn } from '../config.js';
import type { ConnectionService } from '../connection/app.js';
import { sha384Of } from '../core/pins.js';
import type { Health, Pinning } from '../explain/node-report.js';
import { sourceStatuses } from '../explain/source-status.js';
import type { Audit } from '../http/access/audit.js';
import { createRegistryApp, type Site } from '../http/app.js';
import type { EventStreams } from '../http/feed/event-streams.js';
import type { Commands } from '../http/operations/commands.js';
import { addRegistryMetrics } from '../http/operations/metrics.js';
import type { PollHistory } from '../http/operations/poll-history.js';
import { type Reports, storesFailing } from '../http/operations/reports.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { addFallback } from '../lib/http/resource.js';
import { PACKAGE_FOLDER } from '../lib/package-folder.js';
import type { TaskPool } from '../lib/pool/task.js';
import { VERSION } from '../lib/version.js';
import { documentationIn } from '../pages/docs/documentation.js';
import { createPages } from '../pages/pages.js';
import { nodeView } from '../pages/shell/page-answer.js';
import { problemPages } from '../pages/shell/problem-page.js';
import { lint } from '../publish/lint.js';
import type { Pinner } from '../sync/pinning/pinner.js';
import type { Synchronisation } from '../sync/synchronisation.js';
import type { NodeData } from './data.js';
import type { Front } from './front.js';
import type { Given } from './given.js';
import { rehearse } from './rehearse.js';

/** Components that a rehearsal in a running node looks at: each takes about 3 kB, and time in which others wait. */
const REHEARSED = 20_000;

/** What a node that has loaded its data answers from. */
export interface ServiceParts extends NodeData, Pick<Given, 'clock' | 'random' | 'pace' | 'log'> {
  readonly front: Front;
  readonly vocabulary: Vocabulary;
  readonly fetch: GuardedFetch;
  readonly pool: TaskPool;
  readonly audit: Audit;
  readonly sync: Synchronisation;
  readonly history: PollHistory;
  /** Absent where modules are not looked at. */
  readonly pinner: Pinner | undefined;
  readonly connection: ConnectionService | undefined;
  readonly eventStreams: EventStreams;
  readonly health: () => Health;
}

/** The registry and the connection service on one router, with what the metrics tell of them. */
export function createNodeApp(parts: ServiceParts): Hono {
  const { front, connection, keep, sync, history, health, log } = parts;
  const { config, metrics } = front;
  const reports: Reports = {
    name: front.name,
    health,
    activity: () => ({ events: history.events, allFail: sync.allFail }),
    status: () => statusOf(parts),
    failingStores: () => storesFailing({ registry: keep.trouble, connection: connection?.trouble() }),
    pinning: () => pinningOf(parts),
    moduleFailure: (uri) => parts.pinner?.failureOf(uri),
    moduleMoves: front.moduleMoves,
    refusals: () => sync.network.refused.refusals,
    refusalsAbove: (uris) => sync.network.refused.refusalsAbove(uris),
  };
  const { catalog } = parts.open;
  addRegistryMetrics(metrics.registry, { ...reports, catalog, streams: () => sync.streams.counts });
  const root = new Hono({ strict: false });
  if (connection) root.route(config.connection.path, connection.app);
  root.route('/', registryApp(parts, reports));
  const node = () => nodeView({ config, version: VERSION, shipped: parts.shipped });
  addFallback(root, { log, routeMetrics: metrics.routeMetrics, problemPage: problemPages(node) });
  return root;
}

function registryApp(parts: ServiceParts, reports: Reports): Hono {
  const { front, open, eventStreams, connection, shipped, clock, pace, pool, audit, log } = parts;
  const { config, assets, cache, metrics } = front;
  const commands = commandsOf(parts);
  const documentation = documentationIn(PACKAGE_FOLDER);
  const { lint } = commands;
  const site: Site = {
    packageFolder: PACKAGE_FOLDER,
    shipped,
    pages: (basis) =>
      createPages(basis, { version: VERSION, shipped, assets, documentation, lint, pool, clock }),
    openApi: connection ? [connection.openApi] : [],
  };
  const tools = { version: VERSION, clock, pace, pool, cache, metrics, audit, log };
  return createRegistryApp({ config, open, reports, commands, eventStreams, site, tools });
}

function commandsOf(parts: ServiceParts): Commands {
  const { front, open, sync, fetch, vocabulary, pool, clock, pace, log } = parts;
  const { config } = front;
  const reading = { config, current: open, fetch, vocabulary, pool, clock, pace, log };
  return {
    sync: (url, options) => sync.pollNow(url, options),
    hint: (topic) => sync.hint(topic),
    decide: (url, decision) => sync.network.decide(url, decision),
    rehearse: (url, signal) => rehearse(url, reading, { signal, most: REHEARSED }),
    // What is checked is a stranger's, and so are the addresses in it.
    lint: (what, signal) =>
      lint(what, {
        fetch,
        vocabulary,
        trust: 'learned',
        maxModules: 5,
        firstSeen: async (subject) => {
          const [seen] = await open.pins.get([subject]);
          return seen?.first && sha384Of(seen.first);
        },
        parsing: { pool, lane: 'lint', signal },
      }),
  };
}

async function pinningOf({ front, open, pinner }: ServiceParts): Promise<Pinning> {
  const counts = await open.pins.counts();
  const examples = await open.pins.list({ changed: true, limit: 100 });
  return { mode: front.config.pins, ...counts, examples, failing: pinner?.failing ?? [] };
}

async function statusOf({ front, open, sync }: ServiceParts) {
  const precedence = open.precedence();
  const [stored, { network }] = [await open.registry.sources(), await open.catalog.state()];
  const privatePods = new Set(privatePodsIn(front.config));
  return sourceStatuses(stored, network, precedence, sync.network.sources).map((status) => {
    const live = sync.streams.hears(status) ? (true as const) : undefined;
    const isPrivate = status.kind === 'pod' && privatePods.has(status.url);
    const refused = status.kind === 'peer' ? sync.network.refused.unintendedBy.get(status.url) : undefined;
    return { ...status, live, refused, private: isPrivate ? (true as const) : undefined };
  });
}
