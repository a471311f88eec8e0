import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { postJson } from '../support/node/post-json.js';
import { startInProcess } from './adapters/in-process-node.js';

let url: string;
let origin: string;
beforeAll(async () => {
  ({ url } = await startInProcess({
    config: { baseUrl: 'http://localhost:<port>/reg/one', write: 'open', connection: { path: '/connect' } },
  }));
  ({ origin } = new URL(url));
});

describe('a node whose baseUrl has a path', () => {
  const uri = 'https://c.example/reg/one/card.js';

  it.each(['/reg/one', ''])('answers below %j, whether or not a proxy takes the path away', async (path) => {
    const base = origin + path;
    const posted = await fetch(`${base}/component`, postJson({ uri, label: 'Card', shapes: ['urn:s'] }));
    expect(posted.headers.get('location')).toBe(`${url}/c/${encodeURIComponent(uri)}`);
    const listed = (await (await fetch(`${base}/component?shapes=urn:s`)).json()) as { '@id': string }[];
    expect(listed).toMatchObject([{ '@id': `${url}/c/${uri}` }]);
    for (const one of [encodeURIComponent(uri), uri])
      expect((await fetch(`${base}/c/${one}`)).status).toBe(200);
    expect((await fetch(`${base}/component/`)).status).toBe(200);
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ source: 'urn:x', holder: 'urn:a' });
    const made = await fetch(`${base}/connect/connection`, { method: 'POST', headers, body });
    const place = made.headers.get('location') ?? '';
    expect(place).toMatch(`${url}/connect/connection/`);
    expect((await fetch(place, { headers })).status).toBe(200);
  });

  it('has links on its pages, and addresses for programs, that lead somewhere', async () => {
    const { links } = (await (await fetch(url)).json()) as { links: Record<string, string> };
    expect(links.components).toBe(`${url}/component`);
    for (const path of ['', '/network', `/c/${encodeURIComponent(uri)}`, '/docs']) {
      const page = await fetch(url + path, { headers: { accept: 'text/html' } });
      expect([path, page.status]).toEqual([path, 200]);
      const addresses = [...(await page.text()).matchAll(/(?:href|src)="(\/[^"#]*)/g)].map(
        ([, one]) => one ?? '',
      );
      expect(addresses.length).toBeGreaterThan(3);
      for (const one of new Set(addresses)) {
        expect(one).toMatch(/^\/reg\/one(\/|$|\?)/);
        const { status } = await fetch(origin + one.replaceAll('&amp;', '&'), {
          headers: { accept: 'text/html' },
        });
        expect([one, status < 500 && status !== 404]).toEqual([one, true]);
      }
    }
  });

  it('does not take for it what only begins so', async () => {
    for (const path of ['/reg/ones', '/reg/onecomponent', '/reg/component', '/xreg/one'])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 404]);
    expect((await fetch(`${origin}/reg/one?q=x`, { headers: { accept: 'text/html' } })).status).toBe(200);
  });
});
