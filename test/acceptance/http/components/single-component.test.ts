import { beforeEach, describe, expect, it } from 'vitest';
import { BASE, component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const PLAIN = 'https://c.example/a.js';
const QUERY = 'https://c.example/z.js?v=1&w=%20';
const FRAGMENT = 'https://c.example/z.js#f';
const SLASH = 'https://c.example/dir/';
const FOREIGN = 'https://c.example/漢.js';
const PERCENT = 'https://c.example/100%';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
  await test.registry.upsertLocal(
    [PLAIN, QUERY, FRAGMENT, SLASH, FOREIGN, PERCENT].map((uri) => component(uri)),
  );
});

describe('GET /c/<uri>', () => {
  it.each([
    [`/c/${PLAIN}`, PLAIN],
    ['/c/https:/c.example/a.js', PLAIN],
    [`/c/${PLAIN}/`, PLAIN],
    [`/c/${encodeURIComponent(PLAIN)}`, PLAIN],
    [`/c/${encodeURIComponent(PLAIN)}/`, PLAIN],
    [`/c/${encodeURIComponent(PLAIN)}?cache=no`, PLAIN],
    [`/c/${encodeURIComponent(PLAIN)}?entry=https://d.example/x`, PLAIN],
    [`/c/${PLAIN}?entry=https%3A%2F%2Fd.example%2Fx`, PLAIN],
    [`/c/${QUERY}`, QUERY],
    [`/c/${encodeURIComponent(QUERY)}`, QUERY],
    [`/c/${FRAGMENT}`, FRAGMENT],
    [`/c/${encodeURIComponent(FRAGMENT)}`, FRAGMENT],
    [`/c/${SLASH}`, SLASH],
    [`/c/${FOREIGN}`, FOREIGN],
    [`/c/${encodeURI(FOREIGN)}`, FOREIGN],
    [`/c/${PERCENT}`, PERCENT],
  ])('%s', async (path, uri) => {
    const response = await test.app.request(path);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ uri, '@id': `${BASE}/c/${uri}` });
  });

  it.each([
    ['/c', 404],
    ['/c/', 404],
    ['/c/https://c.example/other.js', 404],
    ['/c/https://c.example/a.js?v=2', 404],
    ['/c/%zz', 400],
    ['/c/%ff', 400],
    ['/c/https://c.example/%', 400],
    ['/%zz', 400],
    ['/component%ff', 400],
    ['/nothing', 404],
  ])('%s is %i', async (path, status) => {
    const response = await test.app.request(path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('DELETE /c/<uri>', () => {
  const remove = (path: string) => test.app.request(path, { method: 'DELETE' });

  it('takes back the statement of the node itself, once', async () => {
    expect((await remove(`/c/${encodeURIComponent(PLAIN)}`)).status).toBe(204);
    expect(await test.registry.get(PLAIN)).toBeUndefined();
    expect((await remove(`/c/${encodeURIComponent(PLAIN)}`)).status).toBe(404);
  });

  it('says who describes a component that is not its own', async () => {
    await test.say({ kind: 'pod', url: 'https://pod.example/' }, [component('https://c.example/pod.js')]);
    const response = await remove('/c/https://c.example/pod.js');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining('pod https://pod.example/'),
    });
  });
});
