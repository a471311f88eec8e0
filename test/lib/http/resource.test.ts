import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import {
  InvalidInput,
  MalformedInput,
  OutcomeUnknown,
  StorageFailure,
  StoreUnavailable,
  TaskTimeout,
} from '../../../src/lib/faults.js';
import { ANY_ORIGIN } from '../../../src/lib/http/headers/cors.js';
import { Problem } from '../../../src/lib/http/problem.js';
import { parametersOf } from '../../../src/lib/http/request/url-parameters.js';
import {
  type Answer,
  addFallback,
  addResource,
  type Handler,
  type RouteContext,
} from '../../../src/lib/http/resource.js';
import { bodyOfTexts } from '../../../src/lib/http/response/body.js';
import { PoolBusy } from '../../../src/lib/pool/task.js';
import { waitFor } from '../../support/wait-for.js';

function appWith(handler: Handler) {
  const logged: string[] = [];
  const watched: unknown[][] = [];
  const lookups: string[] = [];
  const settings = {
    log: { error: (_fields: object, message: string) => logged.push(message) },
    routeMetrics: (route: string, method: string) => {
      lookups.push(route);
      return {
        started: () => 7,
        finished: (startedAt: number, status: number, bytes: number) =>
          void watched.push([route, method, status, bytes, startedAt]),
      };
    },
  };
  const inner = new Hono({ strict: false });
  addResource(inner, { path: '/thing', methods: { GET: handler, PUT: handler }, cors: ANY_ORIGIN }, settings);
  const app = new Hono({ strict: false });
  app.route('/below', inner);
  app.get('/throws', () => {
    throw new Error('unforeseen');
  });
  addFallback(app, settings);
  return { app, logged, watched, lookups };
}

async function* pieces(...texts: (string | Error)[]): AsyncGenerator<string> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield text;
  }
}

describe('addResource', () => {
  it.each([
    ['HEAD', async () => undefined],
    ['GET', (response: Response) => response.body?.cancel()],
  ])('gives back what a body holds that nobody reads: %s', async (method, leave) => {
    let holders = 0;
    async function* held() {
      holders += 1;
      try {
        for (;;) yield 'text';
      } finally {
        holders -= 1;
      }
    }
    const { app, watched, logged } = appWith(async () => ({
      ...{ status: 200, body: await bodyOfTexts(held()), streams: true },
    }));
    await leave(await app.request('/below/thing', { method }));
    await waitFor(() => watched.length === 1);
    expect([holders, watched, logged]).toEqual([0, [['/thing', method, 200, 0, 7]], []]);
  });

  it('logs why what a body holds could not be given back', async () => {
    const held = {
      next: async () => ({ done: false as const, value: 'text' }),
      return: () => Promise.reject(new Error('inside')),
    };
    const { app, watched, logged } = appWith(() => ({
      ...{ status: 200, body: { [Symbol.asyncIterator]: () => held }, streams: true },
    }));
    expect((await app.request('/below/thing', { method: 'HEAD' })).status).toBe(200);
    await waitFor(() => logged.length === 1);
    expect([watched.length, logged]).toEqual([1, ['inside']]);
  });

  it('does not take it for a fault of the node that a client has left', async () => {
    const client = new AbortController();
    const { app, logged } = appWith(async ({ req }) => {
      client.abort('gone');
      throw req.raw.signal.reason;
    });
    const response = await app.request('/below/thing', { signal: client.signal });
    expect([response.status, logged]).toEqual([400, []]);
  });

  const MB = 'x'.repeat(1_000_000);
  it.each<[what: string, answer: () => Answer, status: number, logged: unknown[]]>([
    ['a whole body of any length', () => ({ status: 200, body: MB.repeat(11) }), 422, []],
    [
      'a body in pieces that is no listing',
      () => ({ status: 200, body: pieces('x') }),
      500,
      [expect.stringContaining('pieces')],
    ],
  ])('does not send %s', async (_, answer, status, expected) => {
    const { app, logged } = appWith(answer);
    const response = await app.request('/below/thing');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json',
    ]);
    if (status === 422)
      expect(await response.text()).toMatch(/"The answer would have more than 10 MB.*limit/);
    expect(logged).toEqual(expected);
  });

  it('sends a listing of any length', async () => {
    const { app } = appWith(() => ({ status: 200, body: pieces(...Array(11).fill(MB)), streams: true }));
    expect((await (await app.request('/below/thing')).text()).length).toBe(11_000_000);
  });

  it('gives each request its own share of work, and says what to do when it is taken', async () => {
    let asked = 0;
    const pause = Promise.resolve();
    const pace = () => () => {
      asked += 1;
      return pause;
    };
    const work = async ({ pace: own, req }: RouteContext) => {
      const breathe = own();
      for (let i = 0; i < Number(parametersOf(req.url).get('slices')); i++) await breathe();
      return { status: 200, body: 'done' };
    };
    const app = new Hono({ strict: false });
    const log = { error: () => undefined };
    addResource(app, { path: '/work', methods: { GET: work } }, { log, pace });
    expect((await app.request('/work?slices=5000')).status).toBe(200);
    const refused = await app.request('/work?slices=9000');
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { detail: expect.stringContaining('ask for less') },
    ]);
    expect(asked).toBe(10_001);
  });

  it('a text of which nobody has said the type is plain text', async () => {
    const { app } = appWith(() => ({ status: 200, body: 'text' }));
    const { headers } = await app.request('/below/thing');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  const NODE = new Error('inside');
  it.each<[what: string, thrown: unknown, status: number, logged: string[], mayAskAgain?: boolean]>([
    ['a problem', new Problem(409, 'Not now'), 409, []],
    ['faults in the input', new InvalidInput('Wrong', [{ pointer: '/a', detail: 'b' }]), 422, []],
    ['unreadable input', new MalformedInput('Not Turtle'), 400, []],
    ['an error of the node', NODE, 500, ['inside']],
    ['a problem with a cause of the node', new Problem(503, 'Later', { cause: NODE }), 503, ['inside']],
    ['something that is no error', 'inside', 500, ['inside']],
    ['a database that fails over', new StoreUnavailable('gone'), 503, [], true],
    ['a full disk', new StorageFailure('full', { cause: NODE }), 507, ['inside'], true],
    ['too many documents that wait to be read', new PoolBusy(), 503, [], true],
    ['no time to read a document', new TaskTimeout('it takes more than 20 s'), 503, [], true],
    ['an outcome that nobody knows: it may have been done', new OutcomeUnknown('perhaps'), 500, ['perhaps']],
  ])('turns %s into a problem document', async (_what, thrown, status, expected, mayAskAgain = false) => {
    for (const handler of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const { app, logged } = appWith(handler);
      const response = await app.request('/below/thing');
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(Number(response.headers.get('retry-after')) > 0).toBe(mayAskAgain);
      expect(await response.text()).not.toContain('inside');
      expect(logged).toEqual(expected);
    }
  });
});

describe('addFallback', () => {
  it('answers and logs what no resource has caught, and looks up once where it counts that', async () => {
    const { app, watched, lookups, logged } = appWith(() => ({ status: 204 }));
    for (const path of ['/nowhere', '/nowhere', '/throws', '/%ff'])
      expect((await app.request(path)).headers.get('content-type')).toBe('application/problem+json');
    expect(watched.map(([route, method, status]) => [route, method, status])).toEqual(
      [404, 404, 500, 400].map((status) => ['none', 'other', status]),
    );
    expect(lookups.filter((route) => route === 'none')).toHaveLength(1);
    expect(logged).toEqual(['unforeseen']);
  });
});
