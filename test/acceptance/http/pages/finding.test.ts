import { beforeEach, describe, expect, test } from 'vitest';
import type { Metadata } from '../../../../src/component/metadata.js';
import { browse, pageText } from '../../../support/explorer-pages.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const get = (path: string, headers?: Record<string, string>) => browse(app, path, headers);
const text = (path: string) => pageText(app, path);
/** The names of the entries that a page lists, with their versions. */
const entries = (page: string) =>
  [...page.matchAll(/<h3>(.*?)<\/h3>/gs)].map(([, heading = '']) =>
    heading
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
const next = (page: string) => page.match(/rel="next" href="([^"]*)"/)?.[1]?.replaceAll('&amp;', '&');
const publish = (...components: Metadata[]) => app.registry.upsertLocal(components);
const card = (version: string, more: Partial<Metadata> = {}) =>
  component(`https://c.example/card/${version}.js`, { label: 'Card', version, ...more });
const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    component(`https://c.example/${String(i).padStart(4, '0')}.js`, { label: `Number ${i}`, tag: ['t'] }),
  );

describe('the list of components', () => {
  test('has an entry for each version, marks the latest, and follows every change', async () => {
    await publish(card('1.0.0'), card('2.0.0', { latest: true }), component('https://c.example/z.js'));
    const page = await text('/');
    expect(entries(page)).toEqual(['Card 1.0.0', 'Card 2.0.0 latest', 'Label of https://c.example/z.js']);
    expect(page).toMatch(/<h2 id="count"[^>]*>3 components<\/h2>/);
    await publish(card('1.1.0'));
    expect(entries(await text('/'))).toContain('Card 1.1.0');
  });

  test('comes in pages, one behind the other', async () => {
    await publish(...numbered(120));
    let page = await text('/?q=number');
    expect(page).toContain('120 components found');
    const seen = entries(page);
    expect([seen.length, page.includes('First page')]).toEqual([50, false]);
    for (const size of [50, 20]) {
      page = await text(next(page) ?? '');
      expect(entries(page)).toHaveLength(size);
      seen.push(...entries(page));
    }
    expect([new Set(seen).size, next(page), page.includes('href="/?q=number">First page')]).toEqual([
      120,
      undefined,
      true,
    ]);
    expect(await text('/?q=number&after=https://d.example/')).toContain('There is no such page');
  });

  test('names authors, shapes and tags, each of which leads to its components', async () => {
    const shapes = Array.from({ length: 12 }, (_, i) => `https://s.example/S${i}`);
    const author = ['https://ann.example/profile/card#me', 'Bob'];
    await publish(card('1.0.0', { author, shapes, tag: ['t'] }));
    const page = await text('/');
    const theirs = '/?author=https%3A%2F%2Fann.example%2Fprofile%2Fcard%23me';
    expect(page).toContain(`href="${theirs}"`);
    expect(page).toMatch(/>ann\.example<\/a>,\s*<a class="author"[^>]*>Bob</);
    expect(entries(await text(theirs))).toEqual(['Card 1.0.0']);
  });
});

test('a search finds a word in any case, with its accents or without, and as a part of others', async () => {
  const shapes = ['http://xmlns.com/foaf/0.1/PersonalProfileDocument'];
  const labels = ['A PERSON', 'La persóna', 'Salesperson', 'Pet'];
  await publish(...labels.map((label, i) => component(`https://c.example/${i}.js`, { label })));
  await publish(component('https://c.example/shape.js', { label: 'By its shape', shapes }));
  for (const written of ['person', 'PERSÓN'])
    expect(entries(await text(`/?q=${written}`))).toEqual([...labels.slice(0, 3), 'By its shape']);
});

test('what narrows a search down says how much would be left, of what most matches have', async () => {
  const rare = Array.from({ length: 25 }, (_, i) => `rare-${i}`);
  await publish(card('1.0.0', { tag: ['old', 'both', ...rare] }), card('2.0.0', { tag: ['both'] }));
  const page = await text('/');
  expect(page).toMatch(/title="both">\s*<span>both<\/span>\s*<small>2<\/small>/);
  expect(page.match(/<small>1<\/small>/g)).toHaveLength(19);
  expect(entries(await text('/?tag=both&tag=old'))).toEqual(['Card 1.0.0']);
});

test('what narrows a search down is not worked out of more matches than are read in a moment', async () => {
  await publish(...numbered(5001));
  expect(await text('/?tag=t')).toContain('too many to count');
  expect(await text('/?tag=t&q=4999')).not.toContain('too many to count');
});

test('a format of the listing can be linked to', async () => {
  await publish(card('1.0.0'));
  const typeOf = async (path: string) => (await get(path)).headers.get('content-type');
  expect(await typeOf('/component?format=ttl')).toBe('text/turtle; charset=utf-8');
  expect(await typeOf('/component?format=nt&limit=1')).toBe('application/n-triples');
  const unknown = await get('/component?format=pdf', { accept: '*/*' });
  expect([unknown.status, await unknown.json()]).toMatchObject([
    422,
    { errors: [{ pointer: '?format', detail: 'format must be one of json, jsonld, ttl, nt, nq, trig' }] },
  ]);
});
