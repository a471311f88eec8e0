import { describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN } from '../../../support/node/node-options.js';
import { postJson } from '../../../support/node/post-json.js';
import { rawRequest, sendRaw } from '../../../support/raw-request.js';
import { startInProcess } from '../../adapters/in-process-node.js';
import { component, createTestApp } from '../../adapters/registry-app.js';

const URI = 'https://c.example/a.js';
const ALIEN: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  // A sandboxed page, the trial of a component for one.
  { origin: 'null' },
  { origin: 'http://localhost:5173' },
  { origin: 'http://localhost.evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://node.example', 'sec-fetch-site': 'cross-site' },
];
const OWN: Record<string, string>[] = [
  {},
  { origin: 'https://node.example' },
  { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
];
const body = { uri: URI, label: 'A' };

describe('a node to which anyone may write', () => {
  it.each(ALIEN)('takes no writes from other websites: %j', async (headers) => {
    const { app, registry } = await createTestApp({ write: 'open' });
    await registry.upsertLocal([component('https://c.example/b.js')]);
    const posted = await app.request('/component', postJson(body, headers));
    expect([posted.status, posted.headers.get('content-type')]).toEqual([403, 'application/problem+json']);
    const deleted = await app.request('/c/https://c.example/b.js', { method: 'DELETE', headers });
    expect(deleted.status).toBe(403);
    expect(await registry.size()).toBe(1);
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    const checked = await app.request('/publish', {
      method: 'POST',
      headers: form,
      body: 'url=https://c.example/',
    });
    expect(checked.status).toBe(headers['sec-fetch-site'] ? 403 : 200);
  });

  it.each(OWN)('takes writes from programs and from itself: %j', async (headers) => {
    const { app } = await createTestApp({ write: 'open' });
    expect((await app.request('/component', postJson(body, headers))).status).toBe(201);
    expect((await app.request(`/c/${URI}`, { method: 'DELETE', headers })).status).toBe(204);
  });

  it('lets every website read, and says so in preflights', async () => {
    const { app } = await createTestApp({ write: 'open' });
    const methods = async (path: string) => {
      const { headers } = await app.request(path, { method: 'OPTIONS' });
      return [headers.get('access-control-allow-methods'), headers.get('allow')];
    };
    expect(await methods('/component')).toEqual(['GET, HEAD, OPTIONS', 'GET, HEAD, POST, OPTIONS']);
    expect(await methods(`/c/${URI}`)).toEqual(['GET, HEAD, OPTIONS', 'GET, HEAD, DELETE, OPTIONS']);
    expect(await methods('/component/query')).toEqual(['POST, OPTIONS', 'POST, OPTIONS']);
    for (const headers of ALIEN) {
      const listed = await app.request('/component', { headers });
      expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect((await app.request('/component/query', postJson({}, headers))).status).toBe(200);
    }
  });
});

describe('a node to which the operator writes', () => {
  it.each(ALIEN)('takes the token from any page: %j', async (headers) => {
    const { app } = await createTestApp({ write: 'operator', operatorToken: OPERATOR_TOKEN });
    const authorization = `Bearer ${OPERATOR_TOKEN}`;
    expect((await app.request('/component', postJson(body, { ...headers, authorization }))).status).toBe(201);
    const preflight = await app.request('/component', { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, OPTIONS');
  });
});

describe('the Host of a request to a node on loopback', () => {
  const status = async (port: number, host: string) =>
    (await sendRaw(port, rawRequest('/component', [`host: ${host}`]))).status;

  it('is a loopback name or the host of baseUrl where anyone may write', async () => {
    const { port } = await startInProcess({
      config: { write: 'open', baseUrl: 'http://registry.example:<port>/path' },
    });
    const own = ['localhost', 'LocalHost:1234', `127.0.0.1:${port}`, '127.9.9.9', '[::1]', 'a.localhost'];
    for (const host of [...own, 'registry.example']) expect(await status(port, host), host).toBe(200);
    const others = ['localhost.evil.example', 'xlocalhost', '127.0.0.1.evil.example', '[::2]', '192.168.0.1'];
    for (const host of ['evil.example', `evil.example:${port}`, ...others])
      expect(await status(port, host), host).toBe(421);
  });

  it.each([
    { write: 'off' },
    { write: 'operator' },
    { write: 'open', insecureOpenWrite: true, listen: { host: '0.0.0.0' } },
  ])('is any with %j', async (settings) => {
    const { port } = await startInProcess({ config: settings });
    expect(await status(port, 'a.example')).toBe(200);
  });
});
