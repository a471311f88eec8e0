import { describe, expect, test } from 'vitest';
import type { CandidatesOptions } from '../../src/host/registry-client.js';
import { RegistryClient } from '../../src/host/registry-client.js';

const ONE = 'https://one.example';
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

/** A client of nodes that list these components, whatever they are asked. */
function clientOf(nodes: Record<string, readonly object[]>) {
  const fetch = async (url: string) => {
    if (url === DATA) return new Response(`<> a <${SHAPE}>.`, { headers: { 'content-type': 'text/turtle' } });
    return Response.json(nodes[new URL(url).origin]);
  };
  const client = new RegistryClient({ nodes: Object.keys(nodes), fetch });
  return { client, labels: (options?: CandidatesOptions) => labels(client, options) };
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
    expect(await labels({ trust: 'any' })).toEqual(['Card', 'Own', 'AAA']);
    expect(await client.candidatesFor(DATA)).toMatchObject({ untrusted: 1 });
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
    });
  });

  test('each candidate tells why it is offered', async () => {
    const { client } = clientOf({ [ONE]: [component('Card', { ...ann, ...PIN('a') })] });
    const [candidate] = await client.componentsFor(DATA);
    expect(candidate).toMatchObject({ uri: 'https://card.example/card.js', source: ann.source });
    expect(candidate?.because).toEqual({
      shapes: [SHAPE],
      trust: 'configured',
      pinned: { integrity: PIN('a').pin.integrity, by: 'node' },
    });
  });

  test('a trust that there is not is refused', async () => {
    await expect(clientOf({ [ONE]: [] }).labels({ trust: 'learned' as 'any' })).rejects.toThrow(
      'no trust learned; there are own, configured, any',
    );
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
    expect(await versions(list, { trust: 'any' })).toEqual(['1.10.0', '1.2.0', '9.9.9']);
    // Nor where both are strangers, or both are trusted: those come first who have been known longer.
    for (const trust of ['learned', 'configured'] as const) {
      const equal = list.map((one) => ({ ...one, source: { ...Object(one).source, trust } }));
      expect(await versions(equal, { trust: 'any' })).toEqual(['1.10.0', '1.2.0', '9.9.9']);
    }
  });

  test('trust comes before the number of shapes', async () => {
    const { labels } = clientOf({
      [ONE]: [component('More', { ...stranger, latest: true }), component('Less', ann)],
    });
    expect(await labels({ trust: 'any' })).toEqual(['Less', 'More']);
  });
});
