import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessChange } from '../../../src/explorer/publish/access.js';
import { type FakeServer, fakeServer } from '../../support/fake-server.js';

const ACL = 'http://www.w3.org/ns/auth/acl#';
const TURTLE = { 'content-type': 'text/turtle', etag: '"1"' };

let server: FakeServer;
beforeAll(async () => {
  server = await fakeServer();
});
afterAll(() => server.close());

/** Rules by the path of their document. */
const rules = new Map<string, string>();
let suffix: string;
beforeEach(() => {
  rules.clear();
  suffix = '.acl';
  server.requests.length = 0;
  server.everything(({ method, url: path, body }) => {
    if (method === 'PUT') {
      rules.set(path, body);
      return { status: 201 };
    }
    if (!path.endsWith(suffix)) return { headers: { link: `<${path}${suffix}>; rel="acl"` } };
    const text = rules.get(path);
    return text === undefined ? { status: 404 } : { headers: TURTLE, body: method === 'HEAD' ? '' : text };
  });
});

const change = (path: string) => accessChange(server.url(path), (url, init) => fetch(url, init));
const puts = () => server.requests.filter(({ method }) => method === 'PUT');

test('a document gets the rules that it has had from above, and one for everyone; nothing before somebody agrees', async () => {
  const agent = 'https://ann.example/#me';
  rules.set(
    '/pod/.acl',
    `<#owner> a <${ACL}Authorization>; <${ACL}agent> <${agent}>; <${ACL}default> <./>; <${ACL}mode> <${ACL}Write>, <${ACL}Control>.
<#other> a <${ACL}Authorization>; <${ACL}agent> <https://x.example/>; <${ACL}accessTo> <./>; <${ACL}mode> <${ACL}Write>.`,
  );
  const offered = await change('/pod/components/card.ttl');
  expect(offered).toMatchObject({ rules: server.url('/pod/components/card.ttl.acl') });
  expect(puts()).toEqual([]);
  await offered.apply();
  expect(puts()).toMatchObject([{ url: '/pod/components/card.ttl.acl', headers: { 'if-none-match': '*' } }]);
  const text = rules.get('/pod/components/card.ttl.acl') ?? '';
  expect(text).toContain(`<${agent}>`);
  expect(text).toContain(`<${ACL}Control>`);
  expect(text).toContain('<http://xmlns.com/foaf/0.1/Agent>');
  expect(text).not.toContain('x.example');
  expect(text).not.toContain(`${ACL}default`);
});

test('rules that a container has of its own stay as they are, and are written over only as they were read', async () => {
  rules.set('/pod/c/.acl', `<#owner> a <${ACL}Authorization>.`);
  const offered = await change('/pod/c/');
  await offered.apply();
  expect(puts()).toMatchObject([{ url: '/pod/c/.acl', headers: { 'if-match': '"1"' } }]);
  const text = rules.get('/pod/c/.acl') ?? '';
  expect(text.startsWith(`<#owner> a <${ACL}Authorization>.`)).toBe(true);
  expect(text).toContain(`<${ACL}default> <${server.url('/pod/c/')}>`);
});

test('Access Control Policy is spoken where the pod has that', async () => {
  suffix = '.acr';
  const offered = await change('/pod/c/');
  expect(offered.text).toContain('<http://www.w3.org/ns/solid/acp#memberAccessControl>');
  expect(offered.text).toContain('<http://www.w3.org/ns/solid/acp#PublicAgent>');
});

test('a server without such rules is named as what it is', async () => {
  server.everything(() => ({ status: 200 }));
  await expect(change('/x.ttl')).rejects.toThrow(/names no rules that this page could change/);
});
