import { Hono } from 'hono';
import { renderDocuments } from '../../../scripts/build/documents.js';
import type { State } from '../../../src/catalog/catalog.js';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Source } from '../../../src/component/source.js';
import { cursorOf, cursorText } from '../../../src/core/cursor.js';
import type { FailingModule } from '../../../src/core/module-health.js';
import type { Refusals } from '../../../src/core/refusal.js';
import type { Activity, Health } from '../../../src/explain/node-report.js';
import type { SourceStatus } from '../../../src/explain/source-status.js';
import { createRegistryApp, type RegistryAppParts } from '../../../src/http/app.js';
import { EventStreams } from '../../../src/http/feed/event-streams.js';
import type { Commands } from '../../../src/http/operations/commands.js';
import { addRegistryMetrics, createMetrics } from '../../../src/http/operations/metrics.js';
import type { FailingStore, Reports } from '../../../src/http/operations/reports.js';
import type { Clock } from '../../../src/lib/clock.js';
import { addFallback } from '../../../src/lib/http/resource.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { type Documentation, documentationIn } from '../../../src/pages/docs/documentation.js';
import { createPages, type PagesParts } from '../../../src/pages/pages.js';
import { nodeView } from '../../../src/pages/shell/page-answer.js';
import { problemPages } from '../../../src/pages/shell/problem-page.js';
import { TOP_FOLDER } from '../../support/docs.js';
import { takenFrom } from '../../support/promised.js';
import { memoryRegistry, type TestOptions, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-time.js';

export const BASE = 'https://node.example';
export const VOC = VOCABULARY.namespace;
export const TOKEN = 'operator-token';
const VERSION = '1.2.3';

/** A component with what a test does not care about filled in. */
export function component(uri: string, more: Partial<Metadata> = {}): Metadata {
  return { uri, label: `Label of ${uri}`, author: [], tag: [], shapes: [], ...more };
}

/** What a test puts in the place of what the app has otherwise, whatever group of its parts it is in. */
export type TestParts = Partial<
  Pick<RegistryAppParts['tools'], 'pace'> &
    Pick<RegistryAppParts['site'], 'packageFolder' | 'openApi'> &
    Pick<PagesParts, 'assets'> &
    Pick<Commands, 'lint' | 'rehearse'>
>;

/** What the rest of a node would say and do: it polls nothing, and a test changes what it says at will. */
class RestOfNode {
  now = Date.UTC(2026, 0, 1, 12);
  health: Health = 'serving';
  status: SourceStatus[] = [];
  activity: Activity = { events: [], allFail: false };
  failingStores: FailingStore[] = [];
  refusals: Refusals = { counts: {}, examples: [] };
  sync: Commands['sync'] = async () => [];
  /** The topics that it was told of. */
  readonly hints: string[] = [];
  /** What the operator has decided. */
  readonly decisions: (readonly [url: string, decision: string | undefined])[] = [];

  readonly clock: Clock = {
    now: () => this.now,
    // For ever, until whoever sleeps is stopped.
    sleep: (_ms, signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };

  #failingModules: readonly FailingModule[] = [];
  #moduleMoves = 0;

  set failingModules(failing: readonly FailingModule[]) {
    this.#failingModules = failing;
    this.#moduleMoves += 1;
  }

  reports(registry: TestRegistry): Reports {
    return {
      name: '127.0.0.1:3000',
      health: () => this.health,
      status: async () => this.status,
      activity: () => this.activity,
      failingStores: () => this.failingStores,
      refusals: () => this.refusals,
      refusalsAbove: (uris) =>
        this.refusals.examples.filter(({ url }) =>
          uris.some((uri) => uri === url || uri.startsWith(url.replace(/\/?$/, '/'))),
        ),
      moduleFailure: (uri) => this.#failingModules.find((one) => one.uri === uri),
      moduleMoves: () => this.#moduleMoves,
      pinning: async () => ({
        ...{ mode: 'configured', ...(await registry.pins.counts()), failing: [] },
        examples: await registry.pins.list({ changed: true, limit: 100 }),
      }),
    };
  }

  commands(parts: TestParts): Commands {
    return {
      sync: (...request) => this.sync(...request),
      hint: (topic) => this.hints.push(topic),
      decide: async (url, decision) => void this.decisions.push([url, decision]),
      rehearse: () => Promise.reject(new Error('this app has nothing to rehearse with')),
      lint: async ({ url = '' }) => ({ document: url, findings: [], components: [] }),
      ...parts,
    };
  }
}

export interface TestApp {
  readonly app: Hono;
  readonly registry: TestRegistry;
  /** Has a source say something, as its poll would. */
  say(source: Source, components: readonly Metadata[]): Promise<unknown>;
  readonly node: RestOfNode;
  /** Deeds that have been logged, the newest first: who, what, and what to. */
  readonly audited: string[][];
  /** What has been logged as an error. */
  readonly logged: { fields: Record<string, unknown>; message: string }[];
}

/**
 * The registry's app with its fallback, on a registry in memory and without a socket: tests ask it by `app.request(…)`.
 * `stored`: the registry, or options of one, such as the `order` of configured sources.
 */
export async function createTestApp(
  config: Partial<RegistryAppParts['config']> = {},
  parts: TestParts = {},
  stored: TestOptions | TestRegistry = {},
): Promise<TestApp> {
  const node = new RestOfNode();
  const [audited, logged]: [TestApp['audited'], TestApp['logged']] = [[], []];
  const log = {
    error: (fields: Record<string, unknown>, message: string) => logged.push({ fields, message }),
  };
  const registry =
    'catalog' in stored ? stored : await memoryRegistry({ baseUrl: BASE, clock: node.clock, ...stored });
  const reports = node.reports(registry);
  // Figures of the process need a timer and an observer for each app, as long as the process lives.
  const metrics = createMetrics({ ofProcess: false });
  const streams = () => ({ open: 0, hints: 0 });
  addRegistryMetrics(metrics.registry, { ...reports, catalog: registry.catalog, streams });
  const pool = inProcess;
  const { assets = (name) => ({ text: `/* ${name} */`, etag: `"${name}"`, since: 0 }) } = parts;
  const router = createRegistryApp({
    config: {
      ...{ baseUrl: BASE, write: 'open', mode: 'registry' },
      limits: { bodyBytes: 100_000, batch: 100, eventLines: 10 },
      ...config,
    },
    open: { registry, catalog: registry.catalog, pins: registry.pins },
    reports,
    commands: node.commands(parts),
    eventStreams: await streamsOf(registry),
    site: {
      packageFolder: parts.packageFolder ?? TOP_FOLDER,
      shipped: undefined,
      pages: (basis) =>
        createPages(basis, {
          ...{ vocabulary: VOCABULARY, version: VERSION, clock: node.clock, pool, assets },
          ...{ lint: node.commands(parts).lint, documentation: DOCUMENTATION },
        }),
      openApi: parts.openApi ?? [],
    },
    tools: {
      ...{ version: VERSION, clock: node.clock, pace: parts.pace ?? systemPace, pool, metrics, log },
      audit: ({ who, what, subjects = [] }) => void audited.unshift([who, what, ...subjects]),
    },
  });
  const app = new Hono({ strict: false });
  app.route('/', router);
  const problemPage = problemPages(() => nodeView({ config: { baseUrl: BASE }, version: VERSION }));
  addFallback(app, { log, routeMetrics: metrics.routeMetrics, problemPage });
  return { app, registry, say: (...said) => say(registry, ...said), node, audited, logged };
}

/** The documents as the build renders them, once for all apps of a process. */
let rendered: ReturnType<typeof renderDocuments> | undefined;
const DOCUMENTATION: Documentation = {
  ...documentationIn(TOP_FOLDER),
  pages: () => {
    rendered ??= renderDocuments(TOP_FOLDER);
    return rendered;
  },
};

async function streamsOf(registry: TestRegistry): Promise<EventStreams> {
  const streams = new EventStreams({ clock: new VirtualClock(), most: 10 });
  const show = (state: State) => streams.moved(cursorText(cursorOf(state)));
  show(await registry.state());
  registry.catalog.watch(show);
  return streams;
}

function say(registry: TestRegistry, source: Source, components: readonly Metadata[]): Promise<unknown> {
  const url = source.kind === 'peer' ? takenFrom(source.url, 'urn:registry:local') : source.url;
  return registry.commit({
    source,
    documents: [{ url, components, record: {} }],
    record: { failures: 0 },
  });
}
