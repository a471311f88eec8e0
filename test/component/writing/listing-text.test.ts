import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../../../src/component/vocabulary.js';
import { listingText, readFacets, readPlain } from '../../../src/component/writing/listing-text.js';
import { metadata } from '../../support/arbitrary.js';
import { listingObject } from '../../support/listing-object.js';

const naming = {
  baseUrl: 'https://nöde.example',
  vocabulary: createVocabulary('http://semcom.digita.ai/voc#'),
};

describe('listingText', () => {
  it('is the listing object, and can be read in parts', () => {
    fc.assert(
      fc.property(metadata, (component) => {
        const { text, plain, facets } = listingText(component, naming);
        expect(text).toBe(JSON.stringify(listingObject(component, naming)));
        const bytes = Buffer.from(text);
        expect(readPlain(bytes.toString('utf8', plain))).toEqual(component);
        const { version, latest, author, tag, shapes } = component;
        const rest = { version, latest, author, tag, shapes };
        expect(readFacets(text.slice(-facets))).toEqual(JSON.parse(JSON.stringify(rest)));
      }),
    );
  });

  it('can be read in parts where there is nothing but a uri and a label', () => {
    const least = { uri: 'https://c.example/a.js', label: 'A', author: [], tag: [], shapes: [] };
    const { text, plain, facets } = listingText(least, naming);
    const bytes = Buffer.from(text);
    expect(readPlain(bytes.toString('utf8', plain))).toEqual(least);
    expect(readFacets(text.slice(-facets))).toEqual({ author: [], tag: [], shapes: [] });
  });
});
