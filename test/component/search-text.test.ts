import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { compileQuery } from '../../src/component/query.js';
import { searchWords } from '../../src/component/search-text.js';
import { LOCAL } from '../../src/component/source.js';
import { candidateOf } from '../support/candidate.js';
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
});

test('folding is final, and blind to case and composition', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const folded = searchWords(text);
      expect(searchWords(text.normalize('NFD'))).toEqual(searchWords(text.normalize('NFC')));
      expect(searchWords(folded.join(' '))).toEqual(folded);
    }),
  );
});
