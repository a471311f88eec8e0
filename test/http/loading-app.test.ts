import { beforeEach, describe, expect, it } from 'vitest';
import { EventStreams } from '../../src/http/feed/event-streams.js';
import { createMetrics } from '../../src/http/operations/metrics.js';
import { VERSION } from '../../src/lib/version.js';
import { createLoadingApp } from '../../src/node/loading-app.js';
import { BASE } from '../acceptance/adapters/registry-app.js';
import { postJson } from '../support/node/post-json.js';
import { VirtualClock } from '../support/virtual-time.js';
import { waitFor } from '../support/wait-for.js';

let app: ReturnType<typeof createLoadingApp>;
let logged: unknown[];
let clock: VirtualClock;
let eventStreams: EventStreams;
let progress: { read: number; of: number } | undefined;
beforeEach(() => {
  logged = [];
  clock = new VirtualClock();
  eventStreams = new EventStreams({ clock, most: 10 });
  app = createLoadingApp({
    config: { baseUrl: BASE, mode: 'registry', write: 'open' },
    assets: (name) => ({ text: `/* ${name} */`, etag: `"${name}"`, since: 0 }),
    metrics: createMetrics({ ofProcess: false }),
    eventStreams,
    progress: () => progress,
    log: { error: (...said) => logged.push(said) },
  });
});
const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

describe('while the node is loading', () => {
  it.each<[string, object?]>([
    ...['/component', '/c/https://c.example/a.js', '/peers', '/storage'].map((path): [string] => [path]),
    ...['/feed', '/feed/sources', '/none'].map((path): [string] => [path]),
    ['/component', []],
    ['/component/query', {}],
  ])('%s asks for patience, also who posts %j', async (path, body) => {
    const response = await (body ? app.request(path, postJson(body)) : get(path));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(logged).toEqual([]);
  });

  it('opens streams of hints, which tell the cursor when there is one', async () => {
    const response = await get('/feed', { accept: 'text/event-stream' });
    expect(response.status).toBe(200);
    eventStreams.moved('e.1.a');
    const pieces: string[] = [];
    void response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write: (piece) => void pieces.push(piece) }));
    await waitFor(() => {
      clock.pass(100);
      return pieces.join('').includes('\nid: e.1.a\ndata: e.1.a\n');
    });
    expect(pieces.join('')).not.toContain('data: \n');
    eventStreams.close();
  });

  it('still says how it is', async () => {
    const health = await get('/health');
    expect([health.status, await health.json()]).toEqual([503, { status: 'loading' }]);
    progress = { read: 1000, of: 5000 };
    expect(await (await get('/health')).json()).toEqual({ status: 'loading', ...progress });
    expect(await (await get('/status')).json()).toMatchObject({ health: 'loading', version: VERSION });
    expect((await get('/metrics')).status).toBe(200);
  });

  it('says so on a page, whose style is there', async () => {
    const page = await get('/', { accept: 'text/html' });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await page.text()).toContain('This node is loading its data');
    expect((await get('/assets/shell.css')).status).toBe(200);
  });
});
