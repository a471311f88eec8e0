import { describe, expect, test } from 'vitest';
import { parseRdf } from '../../../src/component/rdf/rdf-parse.js';
import { parseRdf as parseInPage } from '../../../src/host/rdf.js';

const BASE = 'https://pod.example/';

describe('what a parser finds wrong is said in words for authors, with the text as they have written it', () => {
  test.each([
    ['<a> <b>\n"Weather" <c> .', 'a point, a comma or a semicolon is missing behind "Weather" on line 2'],
    ['<a> <b> "Wetter"@de <c>.', 'a point, a comma or a semicolon is missing behind "Wetter"@de on line 1'],
    ['<a> <b> <c>', 'a point, a comma or a semicolon is missing behind "https://pod.example/c" on line 1'],
    ['<a> <b> Weather.', '"Weather." is not understood on line 1'],
    ['<a> <b> "Weather', '"Weather is not understood on line 1'],
    ['<a> <b> "\\q" .', '"\\q" is not understood on line 1'],
    ['<a> <b> .', 'something is missing before "." on line 1'],
    ['<a> <b>', 'something is missing before the end on line 1'],
    ['<a> x:b <c> .', 'Undefined prefix "x:" on line 1'],
  ])('%j', async (text, words) => {
    const document = { text, mediaType: 'text/turtle', baseIri: BASE, namespace: `${BASE}voc#` };
    await expect(parseRdf(document)).rejects.toThrow(new RegExp(`^${escaped(words)}$`));
    await expect(parseInPage(text, 'text/turtle', BASE)).rejects.toThrow(
      `${BASE} is not valid text/turtle: ${words}`,
    );
  });
});

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
