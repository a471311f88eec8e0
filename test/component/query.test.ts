import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { compileQuery, readQuery, readQueryParameters } from '../../src/component/query.js';
import { LOCAL, type SourceTrust } from '../../src/component/source.js';
import { candidateOf } from '../support/candidate.js';
import { component } from '../support/registry.js';

const own = (metadata: Metadata) => candidateOf(metadata, { source: LOCAL, trust: 'own' });

const invalid = (faults: unknown[]) => expect.objectContaining({ name: 'InvalidInput', faults });

const card = component('card', {
  version: '1.2.3',
  latest: true,
  author: ['Ann', 'Bob'],
  tag: ['card', 'contact'],
  shapes: ['http://s.example/Person'],
});

describe('queries', () => {
  it.each<[object, boolean]>([
    [{}, true],
    [{ label: 'card', latest: 'true' }, true],
    [{ label: 'card', latest: false }, false],
    [{ description: 'anything' }, false],
    [{ version: '1.2.3' }, true],
    [{ version: '^1.0.0' }, true],
    [{ version: '1.x' }, true],
    [{ version: '>=2' }, false],
    [{ version: 'nonsense' }, false],
    [{ version: '1 || 2 || 3' }, true],
    // So many alternatives are no range that anybody means, only work.
    [{ version: '1||'.repeat(9) }, false],
  ])('%j is %s of the card', (body, expected) => {
    expect(compileQuery(readQuery(body))(own(card))).toBe(expected);
  });

  it.each<[unknown, SourceTrust, boolean]>([
    [{ source: 'https://pod.example/' }, 'learned', true],
    [{ source: 'https://other.example/' }, 'learned', false],
    [{ trust: 'own' }, 'own', true],
    [{ trust: 'own' }, 'configured', false],
    [{ trust: 'configured' }, 'own', true],
    [{ trust: 'configured' }, 'configured', true],
    [{ trust: 'configured' }, 'learned', false],
    [{ trust: 'learned' }, 'learned', true],
    [{ trust: 'learned' }, 'configured', false],
  ])('%j of a description that is %s: %s', (body, trust, expected) => {
    const source = { kind: 'pod', url: 'https://pod.example/' } as const;
    expect(compileQuery(readQuery(body))(candidateOf(card, { source, trust }))).toBe(expected);
  });

  it('judges the version of each component by itself', () => {
    const matches = compileQuery(readQuery({ version: 'spring' }));
    expect(matches(own(component('a', { version: 'spring' })))).toBe(true);
    expect(matches(own(component('b', { version: '1.0.0' })))).toBe(false);
    expect(compileQuery(readQuery({ version: '*' }))(own(component('c')))).toBe(false);
    expect(compileQuery(readQuery({ version: '1' }))(own(component('d', { version: 'not semver' })))).toBe(
      false,
    );
  });

  /** Each fault as its pointer, and what its words match. */
  it.each<[body: unknown, ...faults: string[]]>([
    [[], ' object'],
    [null, ' object'],
    ['x', ' object'],
    [{ form: 'x', lable: 'y' }, '/form uri, label.*shapes', '/lable unknown'],
    [{ shape: [1] }, '/shape string or an array'],
    [{ label: 3 }, '/label string'],
    [{ label: 'x'.repeat(1025) }, '/label 1024 characters'],
    [{ tag: Array.from({ length: 65 }, () => 'x') }, '/tag at most 64'],
    [{ q: 'x'.repeat(201) }, '/q 200 characters'],
    [{ q: 'a b c d e f g h i j k l m' }, '/q 12 words'],
    [{ tag: [1] }, '/tag string or an array of at most 64 strings'],
    [{ latest: 'yes' }, '/latest true or false'],
    [JSON.parse('{"__proto__": "x"}'), '/__proto__ unknown'],
  ])('%j is refused', (body, ...expected) => {
    const faults = expected.map((one) => {
      const [, pointer, words = ''] = /^(\S*) (.*)$/.exec(one) ?? [];
      return { pointer, detail: expect.stringMatching(words) };
    });
    expect(() => readQuery(body)).toThrow(invalid(faults));
  });

  it.each<[object, object]>([
    [
      { tag: 'a', author: ['Ann', 'Bob'] },
      { tag: ['a'], author: ['Ann', 'Bob'] },
    ],
    [{ shape: 'foaf:Person' }, { shapes: ['http://xmlns.com/foaf/0.1/Person'] }],
    [{ shape: ['urn:a', 'urn:b'], shapes: 'urn:c' }, { shapes: ['urn:c', 'urn:a', 'urn:b'] }],
  ])('%j asks for %j', (body, expected) => expect(readQuery(body)).toEqual(expected));

  it('are read from a URL, where the singular shape may be repeated', () => {
    expect(readQueryParameters(new URLSearchParams('shape=urn:a&shapes=urn:b&shape=foaf:Person'))).toEqual({
      shapes: ['urn:b', 'urn:a', 'http://xmlns.com/foaf/0.1/Person'],
    });
  });

  it('are read from a URL', () => {
    const parameters = new URLSearchParams('shapes=http://s.example/Person&tag=a&tag=b&latest=true&label=x');
    expect(readQueryParameters(parameters)).toEqual({
      shapes: ['http://s.example/Person'],
      tag: ['a', 'b'],
      latest: true,
      label: 'x',
    });
    const refused = () => readQueryParameters(new URLSearchParams('label=a&label=b&page=2'));
    expect(refused).toThrow(invalid([expect.anything(), expect.anything()]));
  });
});
