import { beforeEach, describe, expect, test } from 'vitest';
import { browse } from '../../../support/explorer-pages.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';
const VCARD = 'http://www.w3.org/2006/vcard/ns#';
const OWN = { kind: 'pod', url: 'https://own.example/' } as const;
const LEARNED = { kind: 'pod', url: 'https://learned.example/' } as const;
/** What every node has to show data with. */
const TABLE = 'Data table';
const DATA = 'https://pod.example/profile/card#me';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp({}, {}, { order: { pods: [OWN.url], peers: [] } });
});

const page = (shapes: string[], url = DATA) =>
  browse(
    app,
    `/data?${new URLSearchParams([['url', url], ...shapes.map((shape): [string, string] => ['shapes', shape])])}`,
  );
const ask = async (parameters: [string, string][]) =>
  (await browse(app, `/data?${new URLSearchParams([['url', DATA], ...parameters])}`)).text();
const text = async (shapes: string[], url?: string) => (await page(shapes, url)).text();
const entries = (html: string) =>
  [...html.matchAll(/<h3><a [^>]*><bdi>(.*?)<\/bdi>/g)].flatMap(([, name]) => (name === TABLE ? [] : name));
const reasons = (html: string) =>
  [...html.matchAll(/<ul class="reasons">(.*?)<\/ul>/gs)].map(([, list = '']) =>
    [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, reason]) => reason),
  );

describe('what renders data', () => {
  beforeEach(async () => {
    await app.say(OWN, [
      component('https://c.example/one.js', { label: 'One shape', shapes: [`${FOAF}Person`], latest: true }),
      component('https://c.example/old.js', { label: 'Outdated', shapes: [`${FOAF}Person`], latest: false }),
      component('https://c.example/1.js', { label: 'Newest', version: '1.0.0', shapes: [`${FOAF}Person`] }),
      component('https://c.example/2.js', { label: 'Newest', version: '2.0.0', shapes: [`${FOAF}Person`] }),
      component('https://c.example/no.js', { label: 'Something else' }),
    ]);
    await app.say(LEARNED, [
      component('https://d.example/a.js', { label: 'A stranger', shapes: [`${FOAF}Person`], latest: true }),
      component('https://d.example/both.js', {
        label: 'Both shapes',
        shapes: [`${FOAF}Person`, `${VCARD}Individual`],
      }),
    ]);
  });

  test('is ranked also where it is more than is read, in whatever order of addresses', async () => {
    const many = Array.from({ length: 600 }, (_, i) =>
      component(`https://m.example/${i}.js`, { label: `Many ${i}`, shapes: ['https://s.example/Many'] }),
    );
    const last = component('https://z.example/z.js', { label: 'Last', shapes: ['https://s.example/Many'] });
    const both = component('https://z.example/b.js', {
      label: 'Both',
      shapes: ['https://s.example/Many', 'https://s.example/Other'],
    });
    for (const [host, said] of [
      ['old', [both]],
      ['learned', many],
      ['new', [last]],
    ] as const) {
      await app.say({ kind: 'pod', url: `https://${host}.example/` }, said);
      app.node.now += 60_000;
    }
    expect(entries(await text(['https://s.example/Many']))[0]).toBe('Last');
    expect(entries(await text(['https://s.example/Many', 'https://s.example/Other']))[0]).toBe('Both');
  });

  test('is ranked, with the reasons, one click away from being tried', async () => {
    const html = await text([`${FOAF}Person`, `${VCARD}Individual`]);
    expect(entries(html)).toEqual(['One shape', 'Newest', 'Outdated', 'Both shapes', 'A stranger']);
    expect(reasons(html)).toEqual([
      [
        'renders foaf:Person: 1 of 2 that it is',
        'its latest version',
        'described by a source that this node was told to trust',
        'says nothing of vcard:Individual',
      ],
      [
        'renders foaf:Person: 1 of 2 that it is',
        'the newest of 2 versions',
        'described by a source that this node was told to trust',
        'says nothing of vcard:Individual',
      ],
      [
        'renders foaf:Person: 1 of 2 that it is',
        'its author says that it is not the latest version',
        'described by a source that this node was told to trust',
        'says nothing of vcard:Individual',
      ],
      [
        'renders foaf:Person and vcard:Individual: all that it is',
        'described by a source that other nodes know',
      ],
      [
        'renders foaf:Person: 1 of 2 that it is',
        'its latest version',
        'described by a source that other nodes know',
        'says nothing of vcard:Individual',
      ],
      ['shows any data', 'its latest version', 'a sample that comes with this node'],
    ]);
    expect(html).toContain('5 components render it');
    expect(html).toContain(
      'href="/c/https%3A%2F%2Fd.example%2Fboth.js?entry=https%3A%2F%2Fpod.example%2Fprofile%2Fcard%23me"',
    );
  });

  test('is rendered in the page by the first six, where the script of the page puts their frames', async () => {
    const more = [1, 2, 3, 4].map((n) =>
      component(`https://c.example/more-${n}.js`, { label: `More ${n}`, shapes: [`${FOAF}Person`] }),
    );
    await app.say({ kind: 'pod', url: 'https://more.example/' }, more);
    const html = await text([`${FOAF}Person`]);
    expect(entries(html)).toHaveLength(9);
    const frames = [...html.matchAll(/data-frame="\/frame\?uri=([^&]*)[^>]*>/g)];
    // Three stand by for those that fail or are slow; and the table is shown, too, because all others may fail.
    const isLater = ([place]: RegExpExecArray) => place.includes('data-later');
    expect(frames.map(isLater)).toEqual([...Array(6).fill(false), true, true, true, false]);
    expect(frames.at(-1)?.[1]).toBe(encodeURIComponent('https://node.example/data-table.js'));
    expect(html).not.toContain('<iframe');
  });

  test('is said of shapes that are named by their prefix, too', async () => {
    expect(entries(await text(['foaf:Person']))).toHaveLength(5);
    expect(await text(['Person'])).toContain(
      'Person is neither an IRI nor a prefixed name that is known here',
    );
    expect(await text(['Person'])).toContain('href="/?q=Person"');
  });

  test('may be nothing: this node shows it as a table', async () => {
    const html = await text(['urn:x:Nothing']);
    expect(html).toContain('No component here renders it');
    expect(html.match(/data-frame=/g)).toHaveLength(1);
    expect(html).toContain(`title="${TABLE}, with your data"`);
  });

  test('is not the table where somebody has described what shows anything, nor for what is not RDF', async () => {
    const shapes = ['http://www.w3.org/2000/01/rdf-schema#Resource'];
    await app.say(OWN, [component('https://c.example/any.js', { label: 'Anything', shapes })]);
    const html = await text(['urn:x:Nothing']);
    expect([html.includes(TABLE), entries(html)]).toEqual([false, ['Anything']]);
    const picture = await ask([['type', 'image/png']]);
    expect(picture).toContain('No component here renders it');
    expect(picture).not.toContain(TABLE);
  });

  test('is ranked by the names of properties, and found by them where no class is named', async () => {
    const has = (name: string): [string, string] => ['predicates', `${FOAF}${name}`];
    const html = await ask([['shapes', `${FOAF}Person`], has('name'), ['predicates', 'urn:x:pet']]);
    expect(html).toContain('says nothing of ');
    expect(html).toContain('the names of classes and properties, and never a value');
    const guessed = await ask(['name', 'knows', 'mbox', 'img'].map(has));
    expect(reasons(guessed)[0]?.[0]).toMatch(/^renders foaf:Person, and the data has \d of its/);
  });

  test('is shown by a table that has a page and a description as every other, and is in no list', async () => {
    const uri = encodeURIComponent('https://node.example/data-table.js');
    const described = await (await app.app.request(`/c/${uri}`)).json();
    expect(described).toMatchObject({ label: TABLE, integrity: expect.stringMatching(/^sha384-/) });
    expect(await (await browse(app, `/c/${uri}`)).text()).toContain(`<bdi>${TABLE}</bdi>`);
    expect(await (await app.app.request('/component?q=table')).json()).toEqual([]);
  });
});

describe('data that was not read yet', () => {
  test('is read by the script of the page, which may reach it; the node asks nobody', async () => {
    const answer = await page([], 'http://pod.example:3000/x');
    const html = await answer.text();
    expect(html).toContain('src="/assets/data.js"');
    expect(html).toContain('data-url="http://pod.example:3000/x"');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self' https: http://pod.example:3000;");
    expect(policy).toContain("script-src 'self';");
  });

  test.each(['http://*/', `http://a;script-src/`])('lets no host name write the policy: %s', async (url) => {
    const policy = (await page([], url)).headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self' https: https://refused.invalid;");
  });

  test('is asked for by a form where nothing is named, and must be on the web', async () => {
    const form = await browse(app, '/data');
    expect(await form.text()).toContain('<input id="url" name="url" type="url" required');
    expect(form.headers.get('content-security-policy')).toContain("connect-src 'self';");
    expect((await page([], 'file:///etc/passwd')).status).toBe(422);
  });
});
