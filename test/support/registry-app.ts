import { Hono } from 'hono';
import type { Metadata } from '../../src/component/metadata.js';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, type Source } from '../../src/component/source.js';
import { NO_REFUSALS, type Refusals } from '../../src/core/refusal.js';
import { type Activity, NO_ACTIVITY } from '../../src/explain/activity.js';
import type { Health } from '../../src/explain/health.js';
import type { PollReport } from '../../src/explain/poll-report.js';
import type { SourceStatus } from '../../src/explain/source-status.js';
import { createRegistryApp, type RegistryAppParts } from '../../src/http/app.js';
import { EventLines } from '../../src/http/feed/event-lines.js';
import { LineShares } from '../../src/http/feed/line-shares.js';
import { stateTeller } from '../../src/http/feed/state-teller.js';
import { ListScopes } from '../../src/http/network/list-scopes.js';
import type { FailingStore } from '../../src/http/operations/failing-stores.js';
import { addRegistryMetrics, createMetrics } from '../../src/http/operations/metrics.js';
import type { Sync } from '../../src/http/operations/sync.js';
import { problemPages } from '../../src/http/pages/problems.js';
import { auditInMemory } from '../../src/lib/audit.js';
import type { Clock } from '../../src/lib/clock.js';
import { addFallback } from '../../src/lib/http/resource.js';
import { systemPace } from '../../src/lib/pace.js';
import { inProcess } from '../../src/lib/pool/task.js';
import type { LoadOptions } from '../../src/store/registry-store.js';
import { memoryRegistry, type TestRegistry, VOCABULARY } from './registry.js';
import { VirtualClock } from './virtual-clock.js';

export const BASE = 'https://node.example';
export const VOC = VOCABULARY.namespace;
export const TOKEN = 'operator-token';

/** A component with what a test does not care about filled in. */
export function component(uri: string, more: Partial<Metadata> = {}): Metadata {
  return { uri, label: `Label of ${uri}`, author: [], tag: [], shapes: [], ...more };
}

export interface TestApp {
  readonly app: Hono;
  readonly registry: TestRegistry;
  /** Has a source say something, as its poll would. */
  say(source: Source, components: readonly Metadata[]): Promise<unknown>;
  /** What the node says of itself; a test changes it at will. */
  readonly node: {
    now: number;
    health: Health;
    status: SourceStatus[];
    activity: Activity;
    failingStores: FailingStore[];
    sync: (...request: Parameters<Sync>) => Promise<PollReport[]>;
    /** The topics that it was told of. */
    readonly hints: string[];
    /** What the operator has decided. */
    readonly decisions: (readonly [url: string, decision: string | undefined])[];
    refusals: Refusals;
  };
  /** What has been logged as an error. */
  readonly logged: { fields: Record<string, unknown>; message: string }[];
}

type OpenRegistry = (options: Partial<LoadOptions>) => Promise<TestRegistry>;

/** The registry's app with its fallback, on a registry in memory; of the disk engine, unless `open` opens another one. */
export async function createTestApp(
  config: Partial<RegistryAppParts['config']> = {},
  partsOf: Partial<RegistryAppParts> | ((registry: TestRegistry) => Partial<RegistryAppParts>) = {},
  { open = memoryRegistry, ...stored }: Partial<LoadOptions> & { open?: OpenRegistry } = {},
): Promise<TestApp> {
  const node: TestApp['node'] = {
    now: Date.UTC(2026, 0, 1, 12),
    health: 'serving',
    status: [],
    activity: NO_ACTIVITY,
    failingStores: [],
    sync: async () => [],
    hints: [],
    decisions: [],
    refusals: NO_REFUSALS,
  };
  const logged: TestApp['logged'] = [];
  const clock: Clock = { now: () => node.now, sleep: () => new Promise(() => undefined) };
  const log = {
    error: (fields: Record<string, unknown>, message: string) => logged.push({ fields, message }),
  };
  const registry = await open({ baseUrl: BASE, clock, ...stored });
  const parts = typeof partsOf === 'function' ? partsOf(registry) : partsOf;
  const eventLines = new EventLines({ clock: new VirtualClock(), shares: new LineShares({ most: 10 }) });
  const listScopes = new ListScopes(registry.catalog);
  const show = stateTeller(eventLines, listScopes);
  await show(await registry.state());
  registry.catalog.watch(show);
  const pinning = async () => ({
    ...{ mode: 'configured' as const, ...(await registry.pins.counts()), failing: [] },
    examples: await registry.pins.list({ changed: true, limit: 100 }),
  });
  const metrics = createMetrics();
  addRegistryMetrics(metrics.registry, {
    pinning,
    catalog: registry.catalog,
    status: async () => node.status,
    failingStores: () => node.failingStores,
    readers: parts.readers ?? (() => []),
    refusals: () => node.refusals,
  });
  const router = createRegistryApp({
    config: {
      baseUrl: BASE,
      write: 'open',
      mode: 'registry',
      limits: { bodyBytes: 100_000, batch: 100, eventLines: 10 },
      ...config,
    },
    vocabulary: VOCABULARY,
    registry,
    catalog: registry.catalog,
    pins: registry.pins,
    health: () => node.health,
    status: async () => node.status,
    activity: () => node.activity,
    failingStores: () => node.failingStores,
    readers: () => [],
    sync: (...request) => node.sync(...request),
    hint: (topic) => node.hints.push(topic),
    decide: async (url, decision) => {
      node.decisions.push([url, decision]);
    },
    rehearse: async () => {
      throw new Error('this app has nothing to rehearse with');
    },
    refusals: () => node.refusals,
    pinning,
    metrics,
    audit: auditInMemory(clock),
    ...{ eventLines, listScopes },
    pool: inProcess(systemPace),
    lint: async (document) => ({ document, findings: [], components: [] }),
    assets: (name) => ({ text: `/* ${name} */`, etag: `"${name}"` }),
    packageFolder: new URL('../../', import.meta.url),
    version: '1.2.3',
    clock,
    pace: systemPace,
    log,
    ...parts,
  });
  const app = new Hono({ strict: false });
  app.route('/', router);
  const problemPage = problemPages({
    ...{ baseUrl: BASE, version: '1.2.3', config: { write: 'open' } },
    health: () => node.health,
    refusals: () => node.refusals,
  });
  addFallback(app, { log, routeMetrics: metrics.routeMetrics, problemPage });
  const say: TestApp['say'] = (source, components) =>
    registry.commit({
      source,
      documents: [
        {
          url: source.kind === 'peer' ? takenFrom(source.url, LOCAL.url) : source.url,
          ...{ components, record: {} },
        },
      ],
      record: { failures: 0 },
    });
  return { app, registry, say, node, logged };
}

/** Sends a body as JSON. */
export function postJson(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
