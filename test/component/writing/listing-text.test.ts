import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../../../src/component/vocabulary.js';
import { listingText, readPlain } from '../../../src/component/writing/listing-text.js';
import { metadata } from '../../support/arbitrary.js';
import { listingObject } from '../../support/listing-object.js';

const naming = {
  baseUrl: 'https://nöde.example',
  vocabulary: createVocabulary('http://semcom.digita.ai/voc#'),
};

describe('listingText', () => {
  it('is the listing object, and can be read back', () => {
    fc.assert(
      fc.property(metadata, (component) => {
        const { text, plain } = listingText(component, naming);
        expect(text).toBe(JSON.stringify(listingObject(component, naming)));
        const bytes = Buffer.from(text);
        expect(readPlain(bytes.toString('utf8', plain))).toEqual(component);
      }),
    );
  });

  it('can be read back where there is nothing but a uri and a label', () => {
    const least = { uri: 'https://c.example/a.js', label: 'A', author: [], tag: [], shapes: [] };
    const { text, plain } = listingText(least, naming);
    const bytes = Buffer.from(text);
    expect(readPlain(bytes.toString('utf8', plain))).toEqual(least);
  });
});
