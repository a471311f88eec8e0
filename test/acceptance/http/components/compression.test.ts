import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectSoon } from '../../../support/wait-for.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const POD = { kind: 'pod', url: 'https://pod.example/' } as const;

let test: TestApp;
const get = (headers: Record<string, string> = {}, path = '/component') =>
  test.app.request(path, { headers });
const components = (label: string) =>
  Array.from({ length: 2000 }, (_, i) =>
    component(`https://c.example/${i}.js`, { label, description: 'x '.repeat(50) }),
  );

beforeEach(async () => {
  test = await createTestApp();
  await test.say(POD, components('first'));
});

/** Asks until the form is there: it is made beside the requests. */
async function compressed(coding: string): Promise<Response> {
  return expectSoon(async () => {
    const response = await get({ 'accept-encoding': coding });
    expect(response.headers.get('content-encoding')).toBe(coding);
    return response;
  });
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('the whole listing, compressed', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('is the plain one in %s, with a tag of its own', async (coding, decompress) => {
    const plain = await get();
    const response = await compressed(coding);
    const body = await bytesOf(response);
    expect(decompress(body).toString()).toBe(await plain.text());
    expect(response.headers.get('content-length')).toBe(String(body.length));
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(response.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });

  it('is sent plain while it is not made yet, and to those who want nothing else', async () => {
    const first = await get({ 'accept-encoding': 'gzip' });
    expect(first.headers.get('content-encoding')).toBeNull();
    await compressed('gzip');
    for (const headers of [{}, { 'accept-encoding': 'gzip;q=0' }, { 'accept-encoding': 'deflate' }]) {
      expect((await get(headers as Record<string, string>)).headers.get('content-encoding')).toBeNull();
    }
  });

  it('answers 304 to whichever form the client has', async () => {
    const tags = [await get(), await compressed('gzip'), await compressed('br')].map((response) =>
      response.headers.get('etag'),
    );
    expect(new Set(tags).size).toBe(3);
    for (const etag of tags) {
      const response = await get({ 'accept-encoding': 'gzip, br', 'if-none-match': etag ?? '' });
      expect([
        response.status,
        response.headers.get('etag'),
        response.headers.get('content-encoding'),
      ]).toEqual([304, etag, null]);
    }
  });

  it('is made anew after a change', async () => {
    const old = (await compressed('gzip')).headers.get('etag') ?? '';
    await test.say(POD, components('second'));
    const response = await get({ 'accept-encoding': 'gzip', 'if-none-match': old });
    expect(response.status).toBe(200);
    expect(gunzipSync(await bytesOf(await compressed('gzip'))).toString()).toContain('"label":"second"');
  });

  it('does not concern pages, filters and other representations', async () => {
    await compressed('gzip');
    for (const path of ['/component?limit=300', '/component?label=first', `/c/https://c.example/1.js`]) {
      const { headers } = await get({ 'accept-encoding': 'gzip' }, path);
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, 'Accept']);
    }
    const turtle = await get({ 'accept-encoding': 'gzip', accept: 'text/turtle' });
    expect(turtle.headers.get('content-encoding')).toBeNull();
  });

  it('can be seen in the metrics', async () => {
    await compressed('gzip');
    expect(await (await get({}, '/metrics')).text()).toMatch(/^registry_compressed_listing_bytes [1-9]\d+$/m);
  });
});
