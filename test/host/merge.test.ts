import { Parser } from 'n3';
import { describe, expect, test } from 'vitest';
import { mergeEdit } from '../../src/host/invocation/merge.js';
import type { Quad } from '../../src/host/quad.js';
import { toTriples } from '../../src/host/rdf.js';
import { processorTime } from '../support/processor-time.js';

const PREFIX = '@prefix : <urn:x:>. ';
const parse = (text: string): Quad[] => new Parser({ format: 'text/turtle' }).parse(PREFIX + text);
/** N-Triples, sorted. */
const lines = (quads: readonly Quad[]) => {
  const text = (names: ReadonlyMap<string, string>) =>
    toTriples(quads)
      .trim()
      .split('\n')
      .map((line) => line.replace(/_:\w+/g, (label) => names.get(label) ?? '_'))
      .sort();
  const labels = new Set(toTriples(quads).match(/_:\w+/g));
  // Named after what they say, which is enough here.
  const named = (names: ReadonlyMap<string, string>) =>
    new Map(
      [...labels].map((label) => [
        label,
        `[${toTriples(quads)
          .split('\n')
          .filter((line) => line.startsWith(`${label} `))
          .map((line) => line.replace(/_:\w+/g, (one) => names.get(one) ?? '_').replace(/^\S+/, ''))
          .sort()
          .join('')}]`,
      ]),
    );
  return text(named(named(named(new Map()))));
};
const merged = (document: string, before: string, after: string) =>
  lines(mergeEdit(parse(document), parse(before), parse(after)));

describe('an edit', () => {
  test('changes what the part has changed, and keeps all else in the document', () => {
    expect(
      merged(
        ':me :name "Ann"; :age 30; :note "kept". :you :name "Bob".',
        ':me :name "Ann"; :age 30.',
        ':me :name "Anna"; :new "x".',
      ),
    ).toEqual(lines(parse(':me :name "Anna"; :note "kept"; :new "x". :you :name "Bob".')));
  });

  test('adds nothing that is there, and takes nothing away that the part has never had', () => {
    const document = ':me :name "Ann", "Annie".';
    expect(merged(document, ':me :name "Ann".', ':me :name "Ann", "Annie".')).toEqual(lines(parse(document)));
    expect(merged(document, '', '')).toEqual(lines(parse(document)));
  });

  const PHONES = ':me :tel [ :value "1"; :kind "home" ], [ :value "2" ], [ :value "2"; :kind "work" ].';

  test('finds the blank nodes of the part by what they say', () => {
    expect(merged(PHONES, ':me :tel _:p. _:p :value "1".', ':me :tel _:p. _:p :value "9".')).toEqual(
      lines(parse(PHONES.replace('"1"', '"9"'))),
    );
  });

  test('tells alike blank nodes apart, and changes one of them', () => {
    const before = ':me :tel _:p, _:q. _:p :value "2". _:q :value "2".';
    const result = merged(PHONES, before, ':me :tel _:p, _:q. _:p :value "2". _:q :value "3".');
    expect(
      [PHONES.replace(/"2"/, '"3"'), PHONES.replace(/"2"; :kind/, '"3"; :kind')].map((one) =>
        lines(parse(one)),
      ),
    ).toContainEqual(result);
  });

  test('finds blank nodes again that have no name', () => {
    const before = ':me :tel [ :value "1" ], [ :value "2" ].';
    expect(merged(PHONES, before, ':me :tel [ :value "2" ], [ :value "7" ].')).toEqual(
      lines(parse(PHONES.replace('"1"', '"7"'))),
    );
  });

  test('takes a blank node away as a whole, with what the part did not know of it', () => {
    expect(merged(PHONES, ':me :tel _:p. _:p :value "1".', '')).toEqual(
      lines(parse(':me :tel [ :value "2" ], [ :value "2"; :kind "work" ].')),
    );
  });

  test('follows blank nodes within blank nodes, and round in circles', () => {
    expect(
      merged(
        ':me :a [ :b [ :c "1"; :d "kept" ] ]. :x :y _:z. _:z :y _:z.',
        ':me :a _:a. _:a :b _:b. _:b :c "1". :x :y _:z. _:z :y _:z.',
        ':me :a _:a. _:a :b _:b. _:b :c "2". :x :y _:z. _:z :y _:z.',
      ),
    ).toEqual(lines(parse(':me :a [ :b [ :c "2"; :d "kept" ] ]. :x :y _:z. _:z :y _:z.')));
  });

  test('gives new blank nodes names that the document has not', () => {
    const document = mergeEdit(
      parse(':me :tel _:p. _:p :value "1".'),
      [],
      parse(':me :tel _:p. _:p :value "2".'),
    );
    expect(new Set(document.map(({ object }) => object.value)).size).toBe(4);
    expect(lines(document)).toHaveLength(4);
  });

  test('is refused when what goes is written in another way than in the document', () => {
    expect(() => merged(':me :born "2001-01-01".', ':me :born "01.01.2001".', '')).toThrow(/is not found/);
  });

  test('is refused when its blank nodes cannot be told apart in bounded time', () => {
    const many = Array.from({ length: 600 }, (_, i) => `:s :p _:b${i}. _:b${i} :q _:b${(i + 1) % 600}.`).join(
      ' ',
    );
    const busyMs = processorTime();
    expect(() => merged(many.replaceAll(':q', ':r'), many, '')).toThrow();
    expect(busyMs()).toBeLessThan(5_000);
  });
});
