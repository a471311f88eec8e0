import { beforeAll, describe, expect, it } from 'vitest';
import { componentsText, queryNode } from '../../src/cli/query-verb.js';
import { startInProcess } from '../acceptance/adapters/in-process-node.js';

const CARD = {
  uri: 'https://c.example/card.js',
  label: 'Profile card',
  author: ['Ann Author'],
  tag: ['people'],
  version: '1.2.0',
  latest: true,
  shapes: ['http://xmlns.com/foaf/0.1/Person'],
};
const LIST = { uri: 'https://c.example/list.js', label: 'List' };

let url: string;
beforeAll(async () => {
  ({ url } = await startInProcess({ config: { write: 'open' } }));
  const posted = await fetch(`${url}/component`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([CARD, LIST]),
  });
  expect(posted.status).toBe(201);
});

const query = (parameters: Record<string, string>, format = 'text') =>
  queryNode({ node: `${url}/`, format, parameters });

describe('query', () => {
  it('prints what fits, for people', async () => {
    expect(await query({ q: 'profile', shapes: CARD.shapes[0] ?? '', limit: '5' })).toBe(`\
Profile card 1.2.0 (latest)
  https://c.example/card.js
  renders http://xmlns.com/foaf/0.1/Person
  tags people
  by Ann Author

1 component`);
    expect(await query({ q: 'nothing like it' })).toBe('no component fits');
    expect(await query({ shapes: 'foaf:Person' })).toContain('Profile card 1.2.0');
  });

  it('says when there is more', async () => {
    expect(await query({ limit: '1' })).toMatch(/1 component, and there are more: raise --limit$/);
  });

  it('prints what programs read', async () => {
    expect(JSON.parse(await query({ tag: 'people' }, 'json'))).toMatchObject([{ uri: CARD.uri }]);
    expect(await query({ tag: 'people' }, 'turtle')).toContain('"Profile card"');
  });

  it('says what is wrong with the question, in the words of the node', async () => {
    expect(await query({ shapes: 'ex:Person' })).toMatch(
      /^no component fits: the prefix ex: is not known here: write the whole IRI, or a name like foaf:Person;/,
    );
    await expect(query({ shapes: 'Person' })).rejects.toThrow(/answers 422: .*write the whole IRI/);
    await expect(query({ limit: 'many' })).rejects.toThrow(/answers 422: .*limit/);
    await expect(query({}, 'yaml')).rejects.toThrow('--format is one of text, json, turtle');
    await expect(queryNode({ node: 'here', format: 'text', parameters: {} })).rejects.toThrow(
      '--node must be a URL like http://localhost:3000',
    );
  });

  it('says what to do when there is no node', async () => {
    await expect(queryNode({ node: 'http://127.0.0.1:9', format: 'text', parameters: {} })).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:9 does not answer \(.*\); start a node there, or name another/,
    );
  });

  it('says for which component nobody answers', () => {
    const found = (trust: string) => ({ uri: 'https://c.example/', label: 'Card', source: { trust } });
    const text = componentsText([found('learned'), found('configured')], false);
    expect(text.match(/Card.*/g)).toEqual(['Card (learned: nobody there answers for it)', 'Card']);
  });

  it('lets no stranger write to the terminal', () => {
    const text = componentsText(
      [{ uri: 'https://c.example/\u009b2J', label: '\u001b[2JCard\r\nFake' }],
      false,
    );
    expect(text).toBe('  [2JCard  Fake\n  https://c.example/ 2J\n\n1 component'.slice(1));
  });
});
