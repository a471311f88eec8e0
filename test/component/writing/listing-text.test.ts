import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../../../src/component/vocabulary.js';
import {
  inVocabulary,
  listingText,
  metadataOf,
  servedText,
} from '../../../src/component/writing/listing-text.js';
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
        const listed = listingText(component, naming.vocabulary);
        expect(servedText(listed, naming.baseUrl, '')).toBe(JSON.stringify(listingObject(component, naming)));
        expect(metadataOf(listed)).toEqual(component);
      }),
    );
  });

  it('is written anew in another vocabulary, and in the same one it stays as it is', () => {
    fc.assert(
      fc.property(metadata, (component) => {
        const other = createVocabulary('http://other.example/voc#');
        const listed = listingText(component, naming.vocabulary);
        expect(inVocabulary(listed, naming.vocabulary)).toBe(listed);
        expect(inVocabulary(listed, other)).toEqual(listingText(component, other));
      }),
    );
  });
});
