import { Hono } from 'hono';
import { renderDocuments } from '../../../scripts/build/documents.js';
import type { State } from '../../../src/catalog/state.js';
import type { Metadata } from '../../../src/component/metadata.js';
import { takenFrom } from '../../../src/component/provenance.js';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { cursorOf, cursorText } from '../../../src/core/cursor.js';
import type { FailingModule } from '../../../src/core/module-health.js';
import { NO_REFUSALS, type Refusals } from '../../../src/core/refusal.js';
import { type Activity, type Health, NO_ACTIVITY } from '../../../src/explain/node-report.js';
import type { PollReport } from '../../../src/explain/poll-report.js';
import type { SourceStatus } from '../../../src/explain/source-status.js';
import { type Commands, createRegistryApp, type RegistryAppParts } from '../../../src/http/app.js';
import { EventStreams } from '../../../src/http/feed/event-streams.js';
import { StreamShares } from '../../../src/http/feed/stream-shares.js';
import { addRegistryMetrics, createMetrics } from '../../../src/http/operations/metrics.js';
import type { FailingStore, Reports } from '../../../src/http/operations/reports.js';
import type { Sync } from '../../../src/http/operations/sync.js';
import { nodeView } from '../../../src/http/page-answer.js';
import { documentationIn } from '../../../src/http/pages/docs/documentation.js';
import type { Clock } from '../../../src/lib/clock.js';
import { addFallback } from '../../../src/lib/http/resource.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { problemPages } from '../../../src/web/problem-page.js';
import { TOP_FOLDER } from '../../support/docs.js';
import { memoryRegistry, type TestOptions, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';

export { postJson } from '../../support/node/post-json.js';

export const BASE = 'https://node.example';
export const VOC = VOCABULARY.namespace;
export const TOKEN = 'operator-token';

/** A component with what a test does not care about filled in. */
export function component(uri: string, more: Partial<Metadata> = {}): Metadata {
  return { uri, label: `Label of ${uri}`, author: [], tag: [], shapes: [], ...more };
}

/** The documents as the build renders them, once for all apps of a test file. */
const documents = (() => {
  let rendered: ReturnType<typeof renderDocuments> | undefined;
  return () => {
    rendered ??= renderDocuments(TOP_FOLDER);
    return rendered;
  };
})();

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
    failingModules: FailingModule[];
  };
  /** Deeds that have been logged, the newest first: who, what, and what to. */
  readonly audited: string[][];
  /** What has been logged as an error. */
  readonly logged: { fields: Record<string, unknown>; message: string }[];
}

/** What a test puts in the place of what the app has otherwise, whatever group it is in. */
export type TestParts = Partial<
  Pick<
    RegistryAppParts,
    'openApi' | 'eventStreams' | 'pace' | 'pool' | 'audit' | 'cache' | 'shipped' | 'vocabulary'
  > &
    Pick<Reports, 'followers'> &
    Pick<Commands, 'lint' | 'rehearse'> &
    RegistryAppParts['open'] &
    RegistryAppParts['files']
>;

/** The registry's app with its fallback, on a registry in memory. */
export async function createTestApp(
  config: Partial<RegistryAppParts['config']> = {},
  partsOf: TestParts | ((registry: TestRegistry) => TestParts) = {},
  stored: TestOptions = {},
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
    failingModules: [],
  };
  const audited: TestApp['audited'] = [];
  const logged: TestApp['logged'] = [];
  const clock: Clock = {
    now: () => node.now,
    // For ever, until whoever sleeps is stopped.
    sleep: (_ms, signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  const log = {
    error: (fields: Record<string, unknown>, message: string) => logged.push({ fields, message }),
  };
  const registry = await memoryRegistry({ baseUrl: BASE, clock, ...stored });
  const parts = typeof partsOf === 'function' ? partsOf(registry) : partsOf;
  const eventStreams = new EventStreams({
    clock: new VirtualClock(),
    shares: new StreamShares({ most: 10 }),
  });
  const show = (state: State) => eventStreams.moved(cursorText(cursorOf(state)));
  show(await registry.state());
  registry.catalog.watch(show);
  const pinning = async () => ({
    ...{ mode: 'configured' as const, ...(await registry.pins.counts()), failing: [] },
    examples: await registry.pins.list({ changed: true, limit: 100 }),
  });
  const reports: Reports = {
    name: '127.0.0.1:3000',
    health: () => node.health,
    status: async () => node.status,
    activity: () => node.activity,
    failingStores: () => node.failingStores,
    followers: parts.followers ?? (() => []),
    refusals: () => node.refusals,
    pinning,
    moduleFailure: (uri) => node.failingModules.find((one) => one.uri === uri),
  };
  // Figures of the process need a timer and an observer for each app, as long as the process lives.
  const metrics = createMetrics({ ofProcess: false });
  addRegistryMetrics(metrics.registry, { ...reports, catalog: registry.catalog });
  const router = createRegistryApp({
    config: {
      baseUrl: BASE,
      write: 'open',
      mode: 'registry',
      limits: { bodyBytes: 100_000, batch: 100, eventLines: 10 },
      ...config,
    },
    vocabulary: VOCABULARY,
    version: '1.2.3',
    open: { registry, catalog: parts.catalog ?? registry.catalog, pins: registry.pins },
    reports,
    commands: {
      sync: (...request) => node.sync(...request),
      hint: (topic) => node.hints.push(topic),
      decide: async (url, decision) => {
        node.decisions.push([url, decision]);
      },
      rehearse: async () => {
        throw new Error('this app has nothing to rehearse with');
      },
      lint: async ({ url = '' }) => ({ document: url, findings: [], components: [] }),
      ...parts,
    },
    eventStreams,
    files: {
      assets: (name) => ({ text: `/* ${name} */`, etag: `"${name}"` }),
      documentation: { ...documentationIn(TOP_FOLDER), pages: documents },
      packageFolder: TOP_FOLDER,
      ...parts,
    },
    shipped: undefined,
    openApi: [],
    metrics,
    audit: ({ who, what, subjects = [] }) => void audited.unshift([who, what, ...subjects]),
    pool: inProcess(systemPace),
    clock,
    pace: systemPace,
    log,
    ...parts,
  });
  const app = new Hono({ strict: false });
  app.route('/', router);
  const view = () => nodeView({ config: { baseUrl: BASE }, version: '1.2.3', reports });
  const problemPage = problemPages(view);
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
  return { app, registry, say, node, audited, logged };
}
