import { beforeEach, describe, expect, test } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { systemPace } from '../../../src/lib/pace.js';
import { homePage } from '../../../src/pages/home/home.js';
import { searchResults } from '../../../src/pages/home/results.js';
import { readSearch } from '../../../src/pages/home/search.js';
import { BASE, component, createTestApp, type TestApp } from '../../acceptance/adapters/registry-app.js';
import { browse } from '../../support/explorer-pages.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const FOAF = 'http://xmlns.com/foaf/0.1/';
const get = (path: string, headers?: Record<string, string>) => browse(app, path, headers);
const text = async (path: string) => (await get(path)).text();
/** The names of the entries that a page lists, with their versions. */
const entries = (page: string) =>
  [...page.matchAll(/<h3>(.*?)<\/h3>/gs)].map(([, heading = '']) =>
    heading
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
const link = (page: string, relation: string) =>
  page.match(new RegExp(`rel="${relation}" href="([^"]*)"`))?.[1]?.replaceAll('&amp;', '&');
const publish = (...components: Metadata[]) => app.registry.upsertLocal(components);
const card = (version: string, more: Partial<Metadata> = {}) =>
  component(`https://c.example/card/${version}.js`, { label: 'Card', version, ...more });

describe('the list of components', () => {
  test('has an entry for each version, and marks the latest', async () => {
    await publish(
      card('1.0.0'),
      card('2.0.0', { latest: true }),
      card('3.0.0-beta.1'),
      component('https://c.example/z.js'),
    );
    const page = await text('/');
    expect(entries(page)).toEqual([
      ...['Card 1.0.0', 'Card 2.0.0 latest', 'Card 3.0.0-beta.1'],
      'Label of https://c.example/z.js',
    ]);
    expect(page).toContain('<h2 id="count" tabindex="-1">4 components</h2>');
  });

  test('puts what is learned behind what was posted or is configured, under the same name', async () => {
    await app.say({ kind: 'pod', url: 'https://stranger.example/' }, [
      component('https://a.example/card.js', { label: 'Card', version: '9.9.9', latest: true }),
    ]);
    await publish(card('1.0.0'), component('https://z.example/a.js', { label: 'Box' }));
    expect(entries(await text('/?order=name'))).toEqual(['Box', 'Card 1.0.0', 'Card 9.9.9 latest learned']);
  });

  test('is in pages that know their place', async () => {
    const number = (i: number) => String(i).padStart(3, '0');
    await publish(...Array.from({ length: 120 }, (_, i) => component(`https://c.example/${number(i)}.js`)));
    const first = await text('/?q=label');
    expect(entries(first)).toHaveLength(50);
    expect(first).toContain('120 components found');
    expect(first).toContain('1–50 of 120');
    expect(link(first, 'prev')).toBeUndefined();
    const second = await text(link(first, 'next') ?? '');
    expect(second).toContain('51–100 of 120');
    expect(link(second, 'prev')).toBe('/?q=label&page=1');
    const last = await text(link(second, 'next') ?? '');
    expect(last).toContain('101–120 of 120');
    expect(entries(last)).toHaveLength(20);
    expect(link(last, 'next')).toBeUndefined();
    expect(await text('/?q=label&page=9')).toContain('There is no such page');
    for (const odd of ['0', '-1', 'x', '1e99', '1.5'])
      expect(await text(`/?q=label&page=${odd}`)).toContain('1–50');
  });

  test('is in the order of names, or of how well they fit the words', async () => {
    await publish(
      component('https://c.example/1.js', { label: 'Zebra', tag: ['note'] }),
      component('https://c.example/2.js', { label: 'A recipe', description: 'Makes note of ingredients' }),
      component('https://c.example/3.js', { label: 'Note' }),
      component('https://c.example/4.js', { label: 'Élan note' }),
      component('https://c.example/5.js', { label: 'a nothing' }),
    );
    expect(entries(await text('/'))).toEqual(['a nothing', 'A recipe', 'Élan note', 'Note', 'Zebra']);
    expect(entries(await text('/?q=note'))).toEqual(['Note', 'Zebra', 'Élan note', 'A recipe']);
    expect(entries(await text('/?q=note&order=name'))).toEqual(['A recipe', 'Élan note', 'Note', 'Zebra']);
    expect(await text('/?q=note')).toMatch(/aria-current="true">relevance<.*order=name">name</s);
    // Nothing can be relevant to no words.
    expect(entries(await text('/?order=relevance'))).toEqual(entries(await text('/')));
  });

  test('says when each was updated, and can begin with the newest', async () => {
    const publishAt = (hour: number, ...components: Metadata[]) => {
      app.node.now = Date.UTC(2026, 0, 1, hour);
      return publish(...components);
    };
    await publishAt(12, card('1.0.0'), component('https://c.example/z.js', { label: 'Zebra' }));
    await publishAt(13, component('https://c.example/b.js', { label: 'Bear' }));
    await publishAt(14, card('0.9.0', { latest: false }));
    // What is said again in the same form is no news.
    await publishAt(15, component('https://c.example/b.js', { label: 'Bear' }));
    const page = await text('/?order=newest');
    expect(entries(page)).toEqual(['Card 0.9.0', 'Bear', 'Card 1.0.0', 'Zebra']);
    expect(page.match(/updated <time datetime="[^"]*"/g)).toEqual(
      [14, 13, 12, 12].map((hour) => `updated <time datetime="2026-01-01T${hour}:00:00.000Z"`),
    );
    await publishAt(16, component('https://c.example/z.js', { label: 'Zebra', tag: ['new'] }));
    expect(entries(await text('/?order=newest'))[0]).toBe('Zebra');
  });

  test('beyond what is sorted, is in the order of addresses, and says so', async () => {
    const many = Array.from({ length: 101 }, (_, i) =>
      component(`https://c.example/${String(i).padStart(3, '0')}.js`, { label: `${101 - i}`, tag: ['t'] }),
    );
    await publish(...many);
    const { catalog, pins } = app.registry;
    const modules = { pins, reports: { moduleFailure: () => undefined } };
    const find = searchResults({ catalog, ...modules }, 100);
    const node = { baseUrl: BASE, version: '1.0.0', health: 'serving' } as const;
    const pageOf = async (asked: string) => {
      const search = readSearch(new URLSearchParams(asked));
      return homePage({ node, search, results: await find(search, systemPace) });
    };
    const page = await pageOf('page=2');
    expect(page).toContain('101 components');
    expect(page).toContain('51–100 of 101');
    expect(page).toContain('too many to sort');
    expect(entries(page)[0]).toBe('51');
    expect(page).toMatch(/title="t">\s*<span>t<\/span>\s*<small>101</);
    expect(await pageOf('q=99')).not.toContain('too many to sort');
    app.node.now += 1000;
    await publish(component('https://c.example/zzz.js', { label: 'Last' }));
    const newest = await pageOf('order=newest');
    expect(entries(newest).slice(0, 2)).toEqual(['Last', '101']);
    expect(newest).not.toContain('too many to sort');
    expect(entries(await pageOf('order=newest&page=2'))[0]).toBe('52');
    await publish(card('1.0.0'));
    const second = await pageOf('page=2');
    const far = await pageOf(link(second, 'next')?.slice(2) ?? '');
    expect(entries(far)).toContain('Card 1.0.0');
    // A page that is far behind is found behind the one before it, and not by reading all that comes before.
    expect([link(second, 'prev'), link(far, 'prev')]).toEqual(['/?page=1', undefined]);
    expect(await pageOf('page=3')).toContain('There is no such page');
  });

  test('counts components beside the values, and says what its order means', async () => {
    await publish(
      card('1.0.0', { tag: ['old', 'both'] }),
      card('2.0.0', { tag: ['both'] }),
      component('https://c.example/z.js', { tag: ['both'] }),
    );
    const page = await text('/');
    expect(page).toMatch(/title="both">\s*<span>both<\/span>\s*<small>3</);
    expect(page).toMatch(/title="old">\s*<span>old<\/span>\s*<small>1</);
    expect(page).toContain('From A to Z by name. Each version of a component is an entry');
    expect(entries(await text('/?tag=old'))).toHaveLength(1);
  });

  test('follows every change', async () => {
    await publish(card('1.0.0'));
    expect(entries(await text('/'))).toEqual(['Card 1.0.0']);
    await publish(card('1.1.0'));
    expect(entries(await text('/'))).toEqual(['Card 1.0.0', 'Card 1.1.0']);
  });

  test('names authors, shapes and tags, each of which leads to its components', async () => {
    const shapes = Array.from({ length: 12 }, (_, i) => `https://s.example/S${i}`);
    await publish(
      card('1.0.0', { author: ['https://ann.example/profile/card#me', 'Bob'], shapes, tag: ['t'] }),
    );
    const page = await text('/');
    expect(page).toContain('href="/?author=https%3A%2F%2Fann.example%2Fprofile%2Fcard%23me"');
    expect(page).toMatch(/>ann\.example<\/a>,\s*<a class="author"[^>]*>Bob</);
    expect(page).toContain('4 more');
    const theirs = await text('/?author=https%3A%2F%2Fann.example%2Fprofile%2Fcard%23me');
    expect(theirs).toContain('<h1>Components by <bdi>ann.example</bdi>');
    expect(theirs).toContain('href="https://ann.example/profile/card#me"');
  });
});

describe('a search', () => {
  beforeEach(() =>
    publish(
      component('https://c.example/1.js', {
        shapes: [`${FOAF}Person`],
        tag: ['person-card'],
        author: ['Persis'],
      }),
      component('https://c.example/2.js', { shapes: [`${FOAF}PersonalProfileDocument`] }),
      component('https://c.example/3.js', { shapes: ['https://schema.org/Person'] }),
    ),
  );

  test('for a shape finds what the shape itself finds, however it is written', async () => {
    const found = entries(await text(`/?shapes=${encodeURIComponent(`${FOAF}Person`)}`));
    expect(found).toHaveLength(1);
    for (const q of ['foaf:Person', `${FOAF}Person`])
      expect(entries(await text(`/?q=${encodeURIComponent(q)}`)), q).toEqual(found);
    expect(entries(await text('/?q=person'))).toHaveLength(3);
  });

  test('suggests the shapes, tags and authors of that name', async () => {
    const page = await text('/?q=label+perso');
    const [, list = ''] = page.match(/<ul class="chips suggestions"[^>]*>(.*?)<\/ul>/s) ?? [];
    const suggested = [...list.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(suggested).toEqual([
      `/?q=label&amp;shapes=${encodeURIComponent(`${FOAF}Person`)}`,
      `/?q=label&amp;shapes=${encodeURIComponent(`${FOAF}PersonalProfileDocument`)}`,
      `/?q=label&amp;shapes=${encodeURIComponent('https://schema.org/Person')}`,
      '/?q=label&amp;tag=person-card',
    ]);
    expect(await text('/?q=persi')).toContain('href="/?author=Persis"');
    expect(await text('/?q=p')).not.toContain('suggestions');
  });
});

test('a name that fills a screen is cut in lists', async () => {
  await publish(component('https://c.example/1.js', { label: 'W'.repeat(900), shapes: [`${FOAF}Person`] }));
  for (const page of [await text('/'), await text('/data?url=https://pod.example/&shapes=foaf:Person')])
    expect(page).toContain(`<bdi>${'W'.repeat(120)} …</bdi>`);
});

test('where nothing is found there is nothing to narrow down', async () => {
  await publish(component('https://c.example/1.js'));
  for (const page of [await text('/?q=nothing'), await text('/?page=9')]) {
    expect(page).not.toContain('id="facets"');
    expect(page).not.toContain('Narrow down');
  }
  // To compare a word with all tags that there are takes seconds.
  await publish(component('https://c.example/tagged.js', { tag: ['nothink'] }));
  expect(await text('/?q=nothing')).not.toMatch(/did you mean|nothink/i);
  const page = await text('/');
  for (const part of ['id="facets"', 'Narrow down']) expect(page).toContain(part);
});

describe('an error', () => {
  test('is a page for a browser, and a problem for programs', async () => {
    for (const path of ['/nothing', '/component?limit=x', '/component/query']) {
      const [page, data] = [await get(path), await get(path, { accept: '*/*' })];
      expect([path, page.status]).toEqual([path, data.status]);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(data.headers.get('content-type')).toBe('application/problem+json');
      expect(page.headers.get('allow')).toBe(data.headers.get('allow'));
    }
    const page = await text('/component?limit=x');
    expect(page).toContain('<h1>This address cannot be answered</h1>');
    expect(page).toMatch(/<code>\?limit<\/code>\s*limit must be a whole number/);
    expect(await text('/nothing')).toContain('There is nothing at this path.');
  });
});

test('a format of the listing can be linked to', async () => {
  await publish(component('https://c.example/1.js'));
  const typeOf = async (path: string) => (await get(path)).headers.get('content-type');
  expect(await typeOf('/component?format=ttl')).toBe('text/turtle; charset=utf-8');
  expect(await typeOf('/component?format=nt&limit=1')).toBe('application/n-triples');
  const unknown = await get('/component?format=pdf', { accept: '*/*' });
  expect([unknown.status, await unknown.json()]).toMatchObject([
    422,
    { errors: [{ pointer: '?format', detail: 'format must be one of json, jsonld, ttl, nt, nq, trig' }] },
  ]);
});
