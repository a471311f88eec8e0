// A program of somebody who has generated a client from /openapi.json: compiled and run by a scenario.
//   node query.js <url of the node> <tag>
import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

declare const process: { readonly argv: readonly string[] };

const [, , baseUrl = '', tag = ''] = process.argv;
const client = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl });

const posted = await client.POST('/component', {
  body: [{ uri: 'https://c.example/posted.js', label: 'Posted', tag, latest: true }],
});
const queried = await client.POST('/component/query', {
  params: { query: { limit: 10 } },
  body: { tag: [tag], latest: true },
});
const listed = await client.GET('/component', { params: { query: { tag } } });
const single = await client.GET('/c/{uri}', { params: { path: { uri: 'https://c.example/posted.js' } } });
const refused = await client.GET('/component', { params: { query: { limit: 0 } } });

const labels: string[] = (queried.data ?? []).map(({ label }) => label);
const uris: string[] = (listed.data ?? []).map(({ uri }) => uri);
const tags: string[] | undefined = single.data?.tag;
const pointer: string | undefined = refused.error?.errors?.[0]?.pointer;
console.log(JSON.stringify({ status: posted.response.status, labels, uris, tags, pointer }));
