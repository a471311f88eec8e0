import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeServer, fakeServer, gzipBomb, redirect } from './fake-server.js';
import { waitFor } from './wait-for.js';

let server: FakeServer;
const get = (path: string, init: RequestInit = {}) =>
  fetch(server.url(path), { redirect: 'manual', ...init });

beforeEach(async () => {
  server = await fakeServer();
});
afterEach(() => server.close());

describe('a fake server', () => {
  it('answers what it was told and remembers what it was asked', async () => {
    server
      .on('/a', { status: 201, headers: { 'x-a': '1' }, body: { b: 1 } })
      .on('POST /a', { body: 'posted' });
    const answer = await get('/a?c');
    expect([answer.status, answer.headers.get('x-a'), await answer.json()]).toEqual([201, '1', { b: 1 }]);
    expect(await (await get('/a', { method: 'POST', body: 'hello' })).text()).toBe('posted');
    expect((await get('/nowhere')).status).toBe(404);
    expect(server.requests).toMatchObject([
      { url: '/a?c' },
      { method: 'POST', body: 'hello' },
      { url: '/nowhere' },
    ]);
    expect([server.count('/a'), server.count('/a?c'), server.count('POST /a')]).toEqual([2, 1, 1]);
  });

  it('takes a list in order, and a function at its word', async () => {
    server.on('/a', [{ status: 503 }, { body: 'up' }]).on('/b', ({ url }) => ({ body: url }));
    const statuses = [await get('/a'), await get('/a'), await get('/a')].map(({ status }) => status);
    expect(statuses).toEqual([503, 200, 200]);
    expect(await (await get('/b?c')).text()).toBe('/b?c');
  });

  it('has bad days', async () => {
    server.everything({ status: 500 });
    expect((await get('/a')).status).toBe(500);
    server.everything(undefined);
    expect((await get('/a')).status).toBe(404);
    await server.close();
    await expect(get('/a')).rejects.toThrow();
    await server.open();
    expect((await get('/a')).status).toBe(404);
  });

  it('knows conditional requests and redirects', async () => {
    server.on('/a', { body: 'a', etag: '"1"' }).on('/b', redirect('/a', 307));
    expect((await get('/a', { headers: { 'if-none-match': '"1"' } })).status).toBe(304);
    expect((await get('/b')).headers.get('location')).toBe('/a');
  });

  it('cuts, drops and explodes', async () => {
    server
      .on('/length', { body: 'abcd', truncate: 'length' })
      .on('/chunks', { body: 'abcd', truncate: 'chunks' });
    server.on('/drop', { drop: true }).on('/bomb', gzipBomb(100_000));
    await expect(get('/length').then((answer) => answer.text())).rejects.toThrow();
    await expect(get('/chunks').then((answer) => answer.text())).rejects.toThrow();
    await expect(get('/drop')).rejects.toThrow();
    const bomb = await get('/bomb');
    expect(Number(bomb.headers.get('content-length'))).toBeLessThan(1_000);
    expect(await bomb.arrayBuffer()).toHaveProperty('byteLength', 100_000);
  });

  it('hangs until its client gives up, and goes on without end', async () => {
    server.on('/hang', { hang: 'answer' }).on('/endless', { body: 'abc'.repeat(1000), endless: true });
    const client = new AbortController();
    const hanging = expect(get('/hang', { signal: client.signal })).rejects.toThrow();
    await waitFor(() => server.count('/hang') === 1);
    client.abort();
    await hanging;
    let bytes = 0;
    for await (const chunk of (await get('/endless')).body ?? []) {
      bytes += chunk.length;
      if (bytes > 100_000) break;
    }
    expect(bytes).toBeGreaterThan(100_000);
  });
});
