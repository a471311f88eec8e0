import { expect, test } from 'vitest';
import { specOnlyNode } from './spec-only-node.js';

const CARD = {
  uri: 'https://c.example/card.js',
  label: 'Card "one"',
  author: ['Ann'],
  tag: ['card'],
  latest: true,
  shapes: ['https://s.example/A'],
};
const LIST = { uri: 'https://c.example/list.js', label: 'List' };
const VOC = 'http://semcom.digita.ai/voc#';

const JSON_TYPE = { 'content-type': 'application/json' };
const query = async (url: string, constraints: object) => {
  const answer = await fetch(`${url}/component/query`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(constraints),
  });
  return ((await answer.json()) as { '@id': string }[]).map((object) => object['@id']);
};

test('its listing is that of the specification, without validators', async () => {
  const node = await specOnlyNode({ components: [CARD] });
  const answer = await fetch(`${node.url}/component?tag=none`);
  expect(await answer.json()).toEqual([
    {
      '@id': `/c/${CARD.uri}`,
      '@type': [`${VOC}component`],
      [`${VOC}label`]: [{ '@id': 'Card "one"' }],
      [`${VOC}author`]: [{ '@id': 'Ann' }],
      [`${VOC}latest`]: [{ '@value': 'true', '@type': 'http://www.w3.org/2001/XMLSchema#boolean' }],
      [`${VOC}tag`]: 'card',
      [`${VOC}shapes`]: ['https://s.example/A'],
    },
  ]);
  expect([answer.headers.get('etag'), answer.headers.get('last-modified')]).toEqual([null, null]);
  const turtle = await fetch(`${node.url}/component`, { headers: { accept: 'text/turtle' } });
  expect(await turtle.text()).toContain(`</c/${CARD.uri}> a <${VOC}component>;`);
});

test('constraints that it does not know are ignored, or never met', async () => {
  const [ignoring, strict] = [
    await specOnlyNode({ components: [CARD, LIST] }),
    await specOnlyNode({ components: [CARD, LIST], otherFilters: 'never met' }),
  ];
  expect(await query(ignoring.url, { uri: LIST.uri, tag: 'card' })).toEqual([`/c/${LIST.uri}`]);
  expect(await query(ignoring.url, { tag: 'card' })).toHaveLength(2);
  expect(await query(strict.url, { tag: 'card' })).toEqual([]);
});

test('what is posted is saved, unless it is read-only, and lists are plain JSON', async () => {
  const node = await specOnlyNode({ peers: ['https://p.example'] });
  const body = JSON.stringify([{ uri: CARD.uri, label: 'Card', latest: 'false', author: 'Ann' }]);
  const posted = await fetch(`${node.url}/component`, { method: 'POST', headers: JSON_TYPE, body });
  expect(posted.status).toBe(200);
  expect(node.components.get(CARD.uri)).toEqual({
    uri: CARD.uri,
    label: 'Card',
    latest: false,
    author: ['Ann'],
  });
  expect(await (await fetch(`${node.url}/peers`)).json()).toEqual(['https://p.example']);
  const closed = await specOnlyNode({ readOnly: true });
  expect((await fetch(`${closed.url}/component`, { method: 'POST', body })).status).toBe(404);
});
