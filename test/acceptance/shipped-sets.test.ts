import { expect, test } from 'vitest';
import { listedUris, textOf } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { startInProcess } from './adapters/in-process-node.js';

const OWN = 'https://c.example/own.js';

test('samples are listed behind all others, stay on their node, and go at a start without --demo', async () => {
  const node = await startInProcess({ config: { write: 'open' }, shipped: ['demo'] });
  const peer = await startInProcess({ config: { peers: [node.url] } });
  const post = (components: object[]) => fetch(`${node.url}/component`, postJson(components));
  const card = `${node.url}/demo/profile-card.js`;
  const samples = [card, `${node.url}/demo/profile-form.js`, `${node.url}/demo/shopping-list.js`];
  const shapes = ['http://xmlns.com/foaf/0.1/Person'];
  expect(await listedUris(node)).toEqual(samples);
  expect((await post([{ uri: OWN, label: 'Own', shapes }])).status).toBe(201);

  // What comes with the software is served from it: modules for every origin, and the data to try them with.
  const module = await fetch(card);
  expect(module.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(module.headers.get('access-control-allow-origin')).toBe('*');
  const etag = module.headers.get('etag') ?? '';
  expect((await fetch(card, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect(await (await fetch(`${node.url}/demo/ann.ttl`)).text()).toContain('Ann Author');
  for (const name of ['none.ttl', '__proto__', '..%2findex.json'])
    expect((await fetch(`${node.url}/demo/${name}`)).status, name).toBe(404);
  const written = await fetch(`${node.url}/demo/ann.ttl`, { method: 'PUT', body: 'x' });
  expect(written.status).toBe(405);
  const match = await fetch(`${node.url}/match`, postJson({ types: shapes }));
  const found = (await match.json()) as { component: { uri: string } }[];
  expect(found.map(({ component }) => component.uri)[0]).toBe(OWN);
  expect(await textOf(node, '/', 'text/html')).toContain('<span class="sample">sample</span>');

  // A node takes what its peer authored, and samples are on every node that wants them.
  await expect.poll(() => listedUris(peer)).toEqual([OWN]);
  // Somebody who describes a sample comes before the software that it came with.
  expect((await post([{ uri: card, label: 'Described again' }])).status).toBe(201);
  expect(await (await fetch(`${node.url}/component?q=Described`)).json()).toMatchObject([{ uri: card }]);

  await node.stop();
  await node.start({ config: { write: 'open' } });
  expect(await listedUris(node)).toEqual([card, OWN].sort());
  expect((await fetch(card)).status).toBe(404);
});
