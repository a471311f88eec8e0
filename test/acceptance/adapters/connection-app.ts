import { join } from 'node:path';
import { Hono } from 'hono';
import type { Config } from '../../../src/config.js';
import { type ConnectionService, openConnectionService } from '../../../src/connection/app.js';
import { issueToken } from '../../../src/connection/tokens/holder-token.js';
import { loadKeys } from '../../../src/connection/tokens/key-file.js';
import type { Place } from '../../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../../src/lib/clock.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { addFallback } from '../../../src/lib/http/resource.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { cleanup } from '../../support/cleanup.js';
import { memoryData, VOCABULARY } from '../../support/registry.js';
import { tempDir } from '../../support/temp-dir.js';

export const BASE = 'https://node.example';
export const OPERATOR = 'operator-token-of-this-test';
export const ALICE = 'https://alice.example/card#me';
export const BOB = 'https://bob.example/card#me';

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every kind, judged by the tests that read them
  readonly json: any;
}

export interface SendOptions {
  method?: string;
  /** The operator's when absent, none when null. */
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestService {
  readonly service: ConnectionService;
  readonly dataDir: string;
  /** Where its records are, and what they are in unless a test has given a place. */
  readonly place: Place;
  readonly data: MemoryData;
  /** A test moves it at will. */
  readonly time: { now: number };
  /** All that was logged, as text. */
  readonly logged: string[];
  send(path: string, options?: SendOptions): Promise<Sent>;
  token(holder: string, lifetimeMs?: number): Promise<string>;
}

export interface ServiceOptions {
  /** Begins with what that one has stored. */
  after?: TestService;
  dataDir?: string;
  /** In memory when absent. */
  place?: Place;
  path?: string;
  issuers?: readonly string[];
  purposes?: Config['invites']['purposes'];
  allowPrivate?: boolean;
  bodyBytes?: number;
  maxBytes?: number;
  operatorToken?: string | null;
}

/** The service with its fallback, with records in memory and its keys in a directory, under a clock that stands still. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const { path = '/', operatorToken = OPERATOR, after } = options;
  const dataDir = options.dataDir ?? after?.dataDir ?? join(await tempDir(), 'data');
  const data = after?.data ?? memoryData();
  const place = options.place ?? openMemory(data, { clock: systemClock });
  const time = { now: Date.UTC(2026, 10, 20, 12) };
  const logged: string[] = [];
  const write = (...said: unknown[]) => logged.push(JSON.stringify(said, (_, value) => explained(value)));
  const log = { info: write, error: write } as never;
  const clock = { ...systemClock, now: () => time.now };
  const fetch = createGuardedFetch({
    userAgent: 'test',
    allowPrivate: options.allowPrivate ?? true,
    maxBytes: options.maxBytes ?? 100_000,
    timeoutMs: 2_000,
  });
  let ids = 0;
  const service = await openConnectionService({
    pace: systemPace,
    keep: await place.keep('connection'),
    isShared: false,
    vocabulary: VOCABULARY,
    config: {
      baseUrl: BASE,
      dataDir,
      connection: { enabled: true, path, issuers: options.issuers ?? [] },
      invites: { purposes: options.purposes ?? {} },
      limits: { bodyBytes: options.bodyBytes ?? 100_000, batch: 100, eventLines: 10 },
      sync: {
        schedule: '* * * * *',
        concurrency: 4,
        timeoutSeconds: 2,
        maxBytes: 100_000,
        maxDocuments: 10,
        maxComponents: 100,
        maxLearnedComponents: 100,
        streams: 0,
      },
      ...(operatorToken === null ? {} : { operatorToken }),
    },
    fetch,
    pool: inProcess(systemPace),
    clock,
    log,
    node: () => ({ baseUrl: BASE, version: '0.0.0', health: 'serving' }),
    newId: () => `id-${++ids}-${Math.random().toString(36).slice(2)}`,
  });
  cleanup(() => fetch.close());
  cleanup(() => service.close());
  const app = new Hono({ strict: false });
  app.route(path, service.app);
  addFallback(app, { log });
  return {
    service,
    dataDir,
    place,
    data,
    time,
    logged,
    send: (where, sent = {}) => send(app, where, sent),
    token: async (holder, lifetimeMs = 60_000) => {
      const { token } = await loadKeys(dataDir);
      return issueToken({ holder, expires: time.now + lifetimeMs }, token, time.now);
    },
  };
}

async function send(
  app: Hono,
  path: string,
  { method = 'GET', token = OPERATOR, body, headers }: SendOptions,
) {
  const response = await app.request(path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

function explained(value: unknown): unknown {
  return value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value;
}

/** Makes a connection as the operator; gives its plain URI. */
export async function connect(
  { send: request }: TestService,
  holder: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { source: 'https://pod.example/data', holder, state: 'CONNECTED', configuration: {}, ...more };
  const made = await request('/connection/', { method: 'POST', body });
  if (made.status !== 201) throw new Error(made.text);
  return decodeURIComponent(made.json.uri);
}

/** Makes an invite as the operator; gives its URI. */
export async function invite(
  { send: request }: TestService,
  holder: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { purpose: 'https://purpose.example/research', holder, ...more };
  const made = await request('/invite/', { method: 'POST', body });
  if (made.status !== 201) throw new Error(made.text);
  return made.json.uri;
}

/** The path of a connection, by its plain URI. */
export const connectionPath = (uri: string) => `/connection/${encodeURIComponent(uri)}`;
