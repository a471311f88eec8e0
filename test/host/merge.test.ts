import jsonld from 'jsonld';
import { Parser } from 'n3';
import { describe, expect, test } from 'vitest';
import { mergeEdit } from '../../src/host/invocation/merge.js';
import type { Quad } from '../../src/host/quad.js';
import { toTriples } from '../../src/host/rdf.js';
import { growth } from '../support/growth.js';
import { processorTime } from '../support/processor-time.js';

const N_QUADS = 'application/n-quads';
const PREFIX = '@prefix : <urn:x:>. ';
const parse = (text: string): Quad[] => new Parser({ format: 'text/turtle' }).parse(PREFIX + text);
/** What graphs say, the same for all names of blank nodes (RDF Dataset Canonicalization). */
const canonical = (quads: readonly Quad[]) =>
  jsonld.canonize(toTriples(quads) as never, { inputFormat: N_QUADS, format: N_QUADS });
const said = (text: string) => canonical(parse(text));
/** What a document says when a part of it has been edited. */
const merged = async (document: string, before: string, after: string) =>
  canonical(mergeEdit(parse(document), parse(before), parse(after)));

const ANN = ':me :name "Ann"; :age 30; :note "kept". :you :name "Bob".';
const ANNA = ':me :name "Anna"; :note "kept"; :new "x". :you :name "Bob".';
const NAMES = ':me :name "Ann", "Annie".';
const PHONES = ':me :tel [ :value "1"; :kind "home" ], [ :value "2" ], [ :value "2"; :kind "work" ].';
const TWO = ':me :tel _:p, _:q. _:p :value "2". _:q :value "2".';
const [ALIKE, OTHER] = [PHONES.replace('"2"', '"3"'), PHONES.replace('"2"; :kind', '"3"; :kind')];
const deep = (value: number) => `:me :a _:a. _:a :b _:b. _:b :c ${value}. :x :y _:z. _:z :y _:z.`;
const deepWithMore = (value: number) => deep(value).replace(` :c ${value}.`, ` :c ${value}; :d "kept".`);

describe('an edit', () => {
  test.each<[what: string, document: string, before: string, after: string, ...expected: string[]]>([
    ['changes what it has changed', ANN, ':me :name "Ann"; :age 30.', ':me :name "Anna"; :new "x".', ANNA],
    ['adds nothing that is there', NAMES, ':me :name "Ann".', NAMES, NAMES],
    ['takes nothing away that it never had', NAMES, '', '', NAMES],
    [
      'finds the blank nodes of the part by what they say',
      PHONES,
      ':me :tel _:p. _:p :value "1".',
      ':me :tel _:p. _:p :value "9".',
      PHONES.replace('"1"', '"9"'),
    ],
    ['changes one of alike blank nodes', PHONES, TWO, TWO.replace('"2"', '"3"'), ALIKE, OTHER],
    [
      'finds blank nodes again that have no name',
      PHONES,
      ':me :tel [ :value "1" ], [ :value "2" ].',
      ':me :tel [ :value "2" ], [ :value "7" ].',
      PHONES.replace('"1"', '"7"'),
    ],
    [
      'takes a blank node away as a whole, with what the part did not know of it',
      PHONES,
      ':me :tel _:p. _:p :value "1".',
      '',
      ':me :tel [ :value "2" ], [ :value "2"; :kind "work" ].',
    ],
    [
      'follows blank nodes in blank nodes, round in circles',
      deepWithMore(1),
      deep(1),
      deep(2),
      deepWithMore(2),
    ],
  ])('%s, and keeps all else', async (_what, document, before, after, ...expected) => {
    expect(await Promise.all(expected.map(said))).toContain(await merged(document, before, after));
  });

  test('gives new blank nodes names that the document has not', () => {
    const document = mergeEdit(
      parse(':me :tel _:p. _:p :value "1".'),
      [],
      parse(':me :tel _:p. _:p :value "2".'),
    );
    expect(new Set(document.map(({ object }) => object.value)).size).toBe(4);
    expect(toTriples(document).trim().split('\n')).toHaveLength(4);
  });

  test('looks a few times at each node of a long list that is taken away', () => {
    const item = (i: number) => `_:q${i} :rest _:q${i + 1}. :me :list _:q0.`;
    const quadsOf = (count: number) => parse(Array.from({ length: count }, (_, i) => item(i)).join(' '));
    const withoutHead = (quads: readonly Quad[]) => mergeEdit(quads, quads.slice(1, 2), []);
    expect(withoutHead(quadsOf(400))).toEqual([]);
    expect(growth(quadsOf, withoutHead)).toBeLessThan(3);
  });

  test('is refused when what goes is written in another way than in the document', async () => {
    await expect(merged(':me :born "2001-01-01".', ':me :born "01.01.2001".', '')).rejects.toThrow(
      /is not found/,
    );
  });

  test('is refused when its blank nodes cannot be told apart in bounded time', async () => {
    const many = Array.from({ length: 600 }, (_, i) => `:s :p _:b${i}. _:b${i} :q _:b${(i + 1) % 600}.`).join(
      ' ',
    );
    const busyMs = processorTime();
    await expect(merged(many.replaceAll(':q', ':r'), many, '')).rejects.toThrow();
    expect(busyMs()).toBeLessThan(5_000);
  });
});
