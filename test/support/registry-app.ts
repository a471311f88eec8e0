import { Hono } from 'hono';
import type { Metadata } from '../../src/component/metadata.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { createRegistryApp, type RegistryAppParts } from '../../src/http/app.js';
import { createMetrics } from '../../src/http/metrics.js';
import type { Health, Network, SourceStatus, SyncReport } from '../../src/http/node-report.js';
import type { Clock } from '../../src/lib/clock.js';
import { addFallback } from '../../src/lib/resource.js';
import type { Registry } from '../../src/store/registry.js';
import { createFakeRegistry } from './fake-registry.js';

export const BASE = 'https://node.example';
export const VOC = 'http://semcom.digita.ai/voc#';
export const TOKEN = 'operator-token';

/** A component with what a test does not care about filled in. */
export function component(uri: string, more: Partial<Metadata> = {}): Metadata {
  return { uri, label: `Label of ${uri}`, author: [], tag: [], shapes: [], ...more };
}

export interface TestApp {
  readonly app: Hono;
  readonly registry: ReturnType<typeof createFakeRegistry>;
  /** What the node says of itself; a test changes it at will. */
  readonly node: {
    now: number;
    health: Health;
    status: SourceStatus[];
    network: Network;
    sync: (sourceUrl?: string) => Promise<SyncReport[]>;
  };
  /** What has been logged as an error. */
  readonly logged: { fields: Record<string, unknown>; message: string }[];
}

/** The registry's app with its fallback, on a fake registry. */
export function createTestApp(
  config: Partial<RegistryAppParts['config']> = {},
  parts: Partial<RegistryAppParts> = {},
): TestApp {
  const node: TestApp['node'] = {
    now: Date.UTC(2026, 0, 1, 12),
    health: 'serving',
    status: [],
    network: { peers: [], storage: [] },
    sync: async () => [],
  };
  const logged: TestApp['logged'] = [];
  const clock: Clock = { now: () => node.now, sleep: () => Promise.resolve() };
  const log = {
    error: (fields: Record<string, unknown>, message: string) => logged.push({ fields, message }),
  };
  const registry = createFakeRegistry({ baseUrl: BASE, vocabulary: createVocabulary(VOC) }, clock);
  const metrics = createMetrics({
    registry: () => registry as unknown as Registry,
    status: () => node.status,
  });
  const router = createRegistryApp({
    config: {
      baseUrl: BASE,
      vocabulary: VOC,
      write: 'open',
      mode: 'registry',
      limits: { bodyBytes: 100_000, batch: 100 },
      ...config,
    },
    registry: () => registry as unknown as Registry,
    health: () => node.health,
    status: () => node.status,
    network: () => node.network,
    sync: (sourceUrl) => node.sync(sourceUrl),
    metrics,
    version: '1.2.3',
    clock,
    log,
    ...parts,
  });
  const app = new Hono({ strict: false });
  app.route('/', router);
  addFallback(app, { log, watch: metrics.watch });
  return { app, registry, node, logged };
}

/** Sends a body as JSON. */
export function postJson(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
