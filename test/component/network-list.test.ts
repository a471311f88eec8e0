import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressesFromJson,
  type ListedAddress,
  listIn,
  networkQuads,
} from '../../src/component/network-list.js';
import { parseRdf } from '../../src/component/rdf/rdf-parse.js';
import { createQuadWriter } from '../../src/component/rdf/rdf-write.js';
import { BASE_URL, NAMING, VOCABULARY } from '../support/registry.js';

const url = fc.webUrl({ withQueryParameters: true });
const entries: fc.Arbitrary<ListedAddress[]> = fc.uniqueArray(
  fc.record({ url, hops: fc.nat(16), via: fc.uniqueArray(url, { maxLength: 3 }) }),
  { selector: (entry) => entry.url, maxLength: 6 },
);

async function read(text: string, term: 'peer' | 'storage' = 'peer') {
  const { namespace } = VOCABULARY;
  const document = { text, mediaType: 'text/turtle', baseIri: 'http://peer.example/peers', namespace };
  return listIn(await parseRdf(document), term, VOCABULARY);
}

describe('the list of a node in Turtle', () => {
  it('is read as it was written, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.constantFrom('peer', 'storage'), async (written, term) => {
        const writer = createQuadWriter('text/turtle', VOCABULARY);
        const turtle = writer.write(networkQuads(term, written, NAMING)) + writer.end();
        expect(await read(turtle, term)).toEqual({ listed: written, node: BASE_URL });
      }),
    );
  });

  it('counts hops that make no sense as none', async () => {
    const hops = ['-3', '1.5', 'many', '1e400', ''];
    const lines = hops.map(
      (text, i) =>
        `<> <${VOCABULARY.network.peer}> <http://p${i}>. <http://p${i}> <${VOCABULARY.network.hops}> "${text}".`,
    );
    const { listed } = await read(lines.join('\n'));
    expect(listed.map((entry) => entry.hops)).toEqual([0, 0, 0, 0, 0]);
  });

  it('holds IRIs only: literals are no addresses', async () => {
    expect((await read(`<> <${VOCABULARY.network.peer}> "http://p.example", _:b.`)).listed).toEqual([]);
  });
});

describe('the list of a node in JSON', () => {
  it('is an array of strings, each of which counts once', () => {
    expect(addressesFromJson(['http://a', 'http://b', 'http://a'])?.map(({ url }) => url)).toEqual([
      'http://a',
      'http://b',
    ]);
    expect(addressesFromJson([])).toEqual([]);
  });

  it.each([{}, null, 'http://a', ['http://a', 1], [{ url: 'http://a' }], [['http://a']]])(
    'is not %j',
    (body) => {
      expect(addressesFromJson(body)).toBeUndefined();
    },
  );
});
