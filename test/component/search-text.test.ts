import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { candidateOf, compileQuery } from '../../src/component/query.js';
import { fold, mayOccur, searchText, searchWords } from '../../src/component/search-text.js';
import { LOCAL } from '../../src/component/source.js';
import { hostileText } from '../support/arbitrary.js';
import { component } from '../support/registry.js';

const own = (metadata: Metadata) => candidateOf(metadata, { source: LOCAL, trust: 'own' });

const CARD = component('card', {
  label: 'Carte de visité',
  description: 'Zeigt, wer jemand ist: Straße und ﬁrst name',
  tag: ['人物', 'ΣΊΣΥΦΟΣ'],
  author: ['https://zoë.example/profile/card#me', 'Łukasz Żak'],
});

const finds = (q: string) => compileQuery({ q })(own(CARD));

describe('a search for words', () => {
  test.each([
    'carte',
    'CARTE visite',
    'visité',
    'strasse',
    'STRASSE',
    'first',
    'zeigt carte',
    '人物',
    'σισυφος',
    'zoe.example',
    'zak',
    '  ',
    '',
  ])('finds by %j', (q) => expect(finds(q)).toBe(true));

  test.each(['nothing', 'carte nothing', 'profile', 'card#me', 'c.example'])('does not find by %j', (q) =>
    expect(finds(q)).toBe(false),
  );

  test('joins the other constraints', () => {
    expect(compileQuery({ q: 'carte', tag: ['人物'] })(own(CARD))).toBe(true);
    expect(compileQuery({ q: 'carte', tag: ['x'] })(own(CARD))).toBe(false);
  });
});

test('folding is final, and blind to case and composition', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const folded = fold(text);
      expect(fold(text.normalize('NFD'))).toBe(fold(text.normalize('NFC')));
      expect(fold(folded)).toBe(folded);
    }),
  );
});

describe('a first look at the JSON of a component', () => {
  const text = fc.oneof(hostileText, fc.constantFrom('Carte', 'a quick test', 'STRASSE 100%', 'KK', 'fiﬁ'));
  const shape = fc.constantFrom(
    'http://www.w3.org/2006/vcard/ns#Individual',
    'http://purl.org/dc/terms/Agent',
    'https://schema.org/Person',
    'https://shapes.example/a%20b',
    'urn:x:y',
  );

  test('never rules out what a search finds', () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(shape),
        fc.nat(),
        fc.nat(30),
        (label, description, shapes, from, length) => {
          const said = component('c', { label, description, tag: [label], author: [description], shapes });
          const searched = searchText(said);
          const at = from % searched.length;
          const words = searchWords(searched.slice(at, at + 1 + length));
          if (!words.every((word) => searched.includes(word))) return;
          expect(mayOccur(words, Buffer.from(JSON.stringify(said)).toString('latin1'))).toBe(true);
        },
      ),
    );
    const plain = Buffer.from(JSON.stringify(component('c', { label: 'Plain' }))).toString('latin1');
    expect([mayOccur(['plain'], plain), mayOccur(['other'], plain)]).toEqual([true, false]);
  });
});
