import { join } from 'node:path';
import { Hono } from 'hono';
import type { Config } from '../../../src/config.js';
import { openConnectionService } from '../../../src/connection/app.js';
import { issueToken } from '../../../src/connection/tokens/access.js';
import { loadKeys } from '../../../src/connection/tokens/key-file.js';
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

/** Of a body that is read, and of a source. */
const MOST_BYTES = 100_000;

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

interface ServiceOptions {
  /** Begins with what that one has stored. */
  after?: { readonly dataDir: string; readonly data: MemoryData };
  /** Is it one of several on the same data, and runs beside the one that it begins `after`? */
  isShared?: boolean;
  path?: string;
  issuers?: readonly string[];
  purposes?: Config['invites']['purposes'];
  allowPrivate?: boolean;
  operatorToken?: string | null;
}

export type TestService = Awaited<ReturnType<typeof startService>>;

/**
 * A connection service and its router, with its records in memory and its keys in a directory, under a clock that stands still
 * until a test moves it. It ends with the test.
 */
export async function startService(options: ServiceOptions = {}) {
  const {
    after,
    isShared = false,
    path = '/',
    issuers = [],
    purposes = {},
    operatorToken = OPERATOR,
  } = options;
  const dataDir = after?.dataDir ?? join(await tempDir(), 'data');
  const data = after?.data ?? memoryData();
  const time = { now: Date.UTC(2026, 10, 20, 12) };
  /** All that was logged, as text. */
  const logged: string[] = [];
  const write = (...said: unknown[]) => logged.push(JSON.stringify(said, (_, value) => explained(value)));
  const log = { info: write, error: write } as never;
  const fetch = createGuardedFetch({
    ...{ userAgent: 'test', maxBytes: MOST_BYTES, timeoutMs: 2_000 },
    allowPrivate: options.allowPrivate ?? true,
  });
  cleanup(() => fetch.close());
  const service = await openConnectionService({
    ...{ fetch, log, vocabulary: VOCABULARY, pace: systemPace, pool: inProcess, isShared },
    config: {
      ...{ baseUrl: BASE, dataDir, connection: { enabled: true, path, issuers }, invites: { purposes } },
      limits: { bodyBytes: MOST_BYTES, batch: 100, eventLines: 10 },
      sync: {
        ...{ schedule: '* * * * *', concurrency: 4, timeoutSeconds: 2, streams: 0 },
        ...{ maxBytes: MOST_BYTES, maxDocuments: 10, maxComponents: 100, maxLearnedComponents: 100 },
      },
      ...(operatorToken === null ? {} : { operatorToken }),
    },
    keep: await openMemory(data, { clock: systemClock, isShared }).keep('connection'),
    clock: { ...systemClock, now: () => time.now },
    node: () => ({ baseUrl: BASE, root: '', version: '0.0.0', health: 'serving' }),
  });
  cleanup(() => service.close());
  const app = new Hono({ strict: false });
  app.route(path, service.app);
  addFallback(app, { log });

  return {
    ...{ dataDir, data, time, logged, service },
    /** A token of the service itself, which speaks for this holder. */
    async token(holder: string, lifetimeMs = 60_000): Promise<string> {
      const { token } = await loadKeys(dataDir);
      return issueToken({ holder, expires: time.now + lifetimeMs }, token, time.now);
    },
    /** One request; an object is sent as JSON. */
    async send(
      path: string,
      { method = 'GET', token = OPERATOR, body, headers }: SendOptions = {},
    ): Promise<Sent> {
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
      const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '');
      const json = isJson ? JSON.parse(text) : undefined;
      return { status: response.status, headers: response.headers, text, json };
    },
  };
}

function explained(value: unknown): unknown {
  return value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value;
}
