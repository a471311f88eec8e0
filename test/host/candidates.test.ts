import { describe, expect, test } from 'vitest';
import type { CandidatesOptions } from '../../src/host/registry-client.js';
import { RegistryClient } from '../../src/host/registry-client.js';

const [ONE, TWO, THREE] = ['https://one.example', 'https://two.example', 'https://three.example'] as const;
const SHAPE = 'https://s.example/Person';
const DATA = 'https://data.example/ann';
const PIN = (letter: string) => ({ pin: { integrity: `sha384-${letter.repeat(64)}` } });

type Trust = 'own' | 'configured' | 'learned';
type Kind = 'pod' | 'peer' | 'local';

const from = (trust: Trust, url: string, kind: Kind = 'pod') => ({
  source: { url, document: `${url}doc`, kind, trust },
});

const component = (name: string, more: object = {}) => ({
  uri: `https://${name.toLowerCase()}.example/card.js`,
  label: name,
  shapes: [SHAPE],
  ...more,
});

/** A client of nodes that list these components, whatever they are asked; a node without a list is down. */
function clientOf(nodes: Record<string, readonly object[] | string | undefined>) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    if (url === DATA) return new Response(`<> a <${SHAPE}>.`, { headers: { 'content-type': 'text/turtle' } });
    const { origin } = new URL(url);
    asked.push(origin);
    const list = nodes[origin];
    if (list === undefined) throw new TypeError('Failed to fetch');
    return typeof list === 'string' ? new Response(list) : Response.json(list);
  };
  const client = new RegistryClient({ nodes: Object.keys(nodes), fetch, maxBytes: 20_000 });
  return { nodes, asked, client, labels: (options?: CandidatesOptions) => labels(client, options) };
}

async function labels(client: RegistryClient, options: CandidatesOptions = {}) {
  return (await client.componentsFor(DATA, options)).map(({ label }) => label);
}

const ann = { ...from('configured', 'https://ann.example/') };
const stranger = { ...from('learned', 'https://stranger.example/') };

describe('the spellings of schema.org', () => {
  test('are one shape, also for nodes that compare texts', async () => {
    const [http, https] = ['http://schema.org/Person', 'https://schema.org/Person'];
    const stored = [component('Http', { shapes: [http] }), component('Https', { shapes: [https] })];
    const fetch = async (url: string, init?: RequestInit) => {
      if (url === DATA)
        return new Response(`<> a <${http}>.`, { headers: { 'content-type': 'text/turtle' } });
      const [wanted] = JSON.parse(String(init?.body)).shapes;
      return Response.json(stored.filter(({ shapes }) => shapes.includes(wanted)));
    };
    const found = await new RegistryClient({ nodes: [ONE], fetch }).componentsFor(DATA);
    expect(found.map(({ label, because }) => [label, because.shapes])).toEqual([
      ['Http', [http]],
      ['Https', [http]],
    ]);
  });
});

describe('whom a page listens to', () => {
  test('what nobody answers for is left out, unless the page asks for it', async () => {
    const { client, labels } = clientOf({
      [ONE]: [
        component('AAA', stranger),
        component('Card', ann),
        component('Own', from('own', 'urn:registry:local', 'local')),
      ],
    });
    expect(await labels()).toEqual(['Card', 'Own']);
    expect(await labels({ trust: 'own' })).toEqual(['Own']);
    expect(await labels({ trust: 'any', minimumAge: 0 })).toEqual(['Card', 'Own', 'AAA']);
    expect(await client.candidatesFor(DATA)).toMatchObject({ untrusted: 1 });
  });

  test('what a stranger says must have been known for three days, or as long as the page wants; the version before is used', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const { labels } = clientOf({
      [ONE]: [
        component('New', { ...stranger, version: '2.0.0', since: ago(2.9) }),
        component('Before', { ...stranger, version: '1.0.0', since: ago(3.1) }),
        component('Dateless', stranger),
        component('Card', { ...ann, since: ago(0) }),
      ],
    });
    expect(await labels({ trust: 'any' })).toEqual(['Card', 'Before']);
    expect(await labels({ trust: 'any', minimumAge: 2 })).toHaveLength(3);
    expect(await labels({ trust: 'any', minimumAge: 0 })).toHaveLength(4);
    expect(await labels({ sources: ['https://stranger.example'] })).toHaveLength(3);
    await expect(labels({ minimumAge: -1 })).rejects.toThrow('minimumAge must be a number of days, not -1');
  });

  test('sources that the page names are trusted, and no others', async () => {
    const { labels } = clientOf({
      [ONE]: [
        component('AAA', stranger),
        component('Card', ann),
        component('Own', from('own', 'urn:registry:local', 'local')),
      ],
    });
    expect(await labels({ sources: ['https://stranger.example'] })).toEqual(['AAA']);
    expect(await labels({ sources: ['https://stranger.example/'], trust: 'configured' })).toEqual([]);
    expect(await labels({ sources: ['HTTPS://ann.example:443/', `${ONE}/`] })).toEqual(['Card', 'Own']);
    expect(await labels({ sources: [] })).toEqual([]);
  });

  test('a node of another make, which does not say who says so, is the source itself: the page has named it', async () => {
    const { client, labels } = clientOf({ [ONE]: [component('Card')] });
    expect(await labels()).toEqual(['Card']);
    expect(await labels({ sources: [ONE] })).toEqual(['Card']);
    expect(await labels({ trust: 'own' })).toEqual([]);
    expect((await client.componentsFor(DATA))[0]?.because).toEqual({
      shapes: [SHAPE],
      trust: 'configured',
      saidBy: [{ node: ONE }],
    });
  });

  test('each candidate tells why it is offered', async () => {
    const { client } = clientOf({ [ONE]: [component('Card', { ...ann, ...PIN('a') })] });
    const [candidate] = await client.componentsFor(DATA);
    expect(candidate).toMatchObject({ uri: 'https://card.example/card.js', source: ann.source });
    expect(candidate?.because).toEqual({
      shapes: [SHAPE],
      trust: 'configured',
      saidBy: [{ node: ONE, source: ann.source }],
      pinned: { integrity: PIN('a').pin.integrity, by: 'node' },
    });
  });

  test.each<[CandidatesOptions, RegExp]>([
    [{ agree: 0 }, /agree must be between 1 and the number of nodes, 1, not 0/],
    [{ agree: 2 }, /number of nodes, 1, not 2/],
    [{ agree: 1.5 }, /not 1.5/],
    [{ trust: 'learned' as 'any' }, /no trust learned; there are own, configured, any/],
  ])('%j is refused', async (options, message) => {
    await expect(clientOf({ [ONE]: [] }).labels(options)).rejects.toThrow(message);
  });
});

describe('the order of candidates', () => {
  test('a stranger who says that his is the newest version of Ann’s does not come before it', async () => {
    const card = (uri: string, version: string, more: object) => ({
      uri,
      label: 'Profile card',
      author: ['Ann Author'],
      version,
      shapes: [SHAPE],
      ...more,
    });
    const list = [
      card('https://evil.example/9.js', '9.9.9', {
        latest: true,
        ...stranger,
        since: '2026-02-01T00:00:00.000Z',
      }),
      card('https://ann.example/1.js', '1.2.0', { ...ann, since: '2026-01-01T00:00:00.000Z' }),
      card('https://ann.example/2.js', '1.10.0', { ...ann, since: '2026-03-01T00:00:00.000Z' }),
    ];
    const versions = async (components: readonly object[], options: CandidatesOptions) =>
      (await clientOf({ [ONE]: components }).client.componentsFor(DATA, options)).map(
        ({ version }) => version,
      );
    expect(await versions(list, {})).toEqual(['1.10.0', '1.2.0']);
    expect(await versions(list, { trust: 'any', minimumAge: 0 })).toEqual(['1.10.0', '1.2.0', '9.9.9']);
    // Nor where both are strangers, or both are trusted: those come first who have been known longer.
    for (const trust of ['learned', 'configured'] as const) {
      const equal = list.map((one) => ({ ...one, source: { ...Object(one).source, trust } }));
      expect(await versions(equal, { trust: 'any', minimumAge: 0 })).toEqual(['1.10.0', '1.2.0', '9.9.9']);
    }
  });

  test('trust comes before the number of shapes', async () => {
    const { labels } = clientOf({
      [ONE]: [component('More', { ...stranger, latest: true }), component('Less', ann)],
    });
    expect(await labels({ trust: 'any', minimumAge: 0 })).toEqual(['Less', 'More']);
  });
});

describe('several nodes that must agree', () => {
  const card = (more: object) => component('Card', { version: '1.0.0', ...more });
  const pinned = card({ ...ann, ...PIN('a') });

  test('offer what two of them have read themselves, with the same pin', async () => {
    const { client, asked } = clientOf({
      [ONE]: [pinned],
      [TWO]: [component('AAA', { ...ann, ...PIN('b') })],
      [THREE]: [pinned],
    });
    const [candidate, ...others] = await client.componentsFor(DATA, { agree: 2 });
    expect(others).toEqual([]);
    expect(candidate?.because.saidBy.map(({ node }) => node)).toEqual([ONE, THREE]);
    expect(new Set(asked)).toEqual(new Set([ONE, TWO, THREE]));
  });

  test.each<[string, readonly object[], readonly object[]]>([
    ['the other does not list it', [pinned], []],
    ['the pins differ', [pinned], [card({ ...ann, ...PIN('b') })]],
    ['the versions differ', [pinned], [{ ...pinned, version: '1.0.1' }]],
    ['there is no pin', [card(ann)], [card(ann)]],
    [
      'one has it from the other',
      [pinned],
      [card({ ...from('configured', `${ONE}/`, 'peer'), ...PIN('a') })],
    ],
    [
      'both have it from the same peer',
      [card({ ...from('configured', THREE, 'peer'), ...PIN('a') })],
      [card({ ...from('configured', `${THREE}/`, 'peer'), ...PIN('a') })],
    ],
    [
      'one lists it twice, as if somebody else said it, too',
      [pinned, card({ ...from('configured', THREE, 'peer'), ...PIN('a') })],
      [],
    ],
    ['one has only learned of it', [pinned], [card({ ...stranger, ...PIN('a') })]],
    ['the shapes differ', [pinned], [{ ...pinned, shapes: ['https://s.example/Other'] }]],
  ])('offer nothing when %s', async (_why, one, two) => {
    expect(await clientOf({ [ONE]: one, [TWO]: two }).labels({ agree: 2 })).toEqual([]);
  });

  test('pins are the same when they ask for the same bytes', async () => {
    const [a, b] = [`sha384-${'a'.repeat(64)}`, `sha384-${'b'.repeat(64)}`];
    const { labels } = clientOf({
      [ONE]: [card({ ...ann, integrity: `${a} ${b}` })],
      [TWO]: [card({ ...ann, integrity: `sha256-${'c'.repeat(44)} ${b} ${a}` })],
    });
    expect(await labels({ agree: 2 })).toEqual(['Card']);
  });

  test('a node cannot make others say what they do not say: trust is that of the one that trusts least', async () => {
    const { client } = clientOf({
      [ONE]: [card({ ...from('own', 'urn:registry:local', 'local'), ...PIN('a') })],
      [TWO]: [card({ ...stranger, ...PIN('a') })],
    });
    const [candidate] = await client.componentsFor(DATA, { agree: 2, trust: 'any', minimumAge: 0 });
    expect(candidate?.because.trust).toBe('learned');
  });

  test('nodes that are down, or answer without end, are no witnesses; too few is an error, not an empty list', async () => {
    const huge = JSON.stringify([pinned, { padding: 'x'.repeat(30_000) }]);
    const web = clientOf({ [ONE]: [pinned], [TWO]: huge, [THREE]: [pinned] });
    expect(await web.labels({ agree: 2 })).toEqual(['Card']);
    expect(web.client.nodes).toMatchObject([
      {},
      { error: expect.stringContaining('larger than 20000 bytes') },
      {},
    ]);
    // What a node answered before still counts when it is down.
    web.nodes[THREE] = undefined;
    expect(await web.labels({ agree: 2 })).toEqual(['Card']);
    await expect(clientOf({ [ONE]: [pinned], [TWO]: huge }).labels({ agree: 2 })).rejects.toThrow(
      /only 1 of 2 registry nodes that must agree answer: .*larger than 20000 bytes/,
    );
  });
});

test('a query can name the source and its trust, in the words of the nodes', async () => {
  const { client } = clientOf({
    [ONE]: [component('AAA', stranger), component('Card', ann), component('Plain')],
  });
  const found = async (constraints: object) => (await client.query(constraints)).map(({ label }) => label);
  expect(await found({ trust: 'learned' })).toEqual(['AAA']);
  expect(await found({ trust: 'configured' })).toEqual(['Card', 'Plain']);
  expect(await found({ source: 'https://stranger.example/' })).toEqual(['AAA']);
  await expect(found({ trust: 'any' })).rejects.toThrow(/no trust any; there are own, configured, learned/);
});
