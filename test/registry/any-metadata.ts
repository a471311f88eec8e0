import fc from 'fast-check';
import type { Invocation } from '../../src/component/capability.js';
import type { Metadata } from '../../src/component/metadata.js';
import type { Query } from '../../src/component/query.js';
import { LOCAL } from '../../src/component/source.js';
import { metadata } from '../support/arbitrary.js';
import { component } from '../support/registry.js';
import { POD_A } from './sources.js';

/** What documents say in random histories (`histories.ts`), and what is asked of it. */

export const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
/** Names that are longer than keys may be, and end otherwise; where keys cut them off, a character begins. */
export const longNames = (beginning: string) =>
  ['x', 'y'].map((end) => `${beginning}${'\u{1f984}'.repeat(400)}${end}`);
/** Uris that bytes and characters order differently. */
const NAMES = ['a', 'A', 'é', 'a%20b', 'b', 'c', 'd', '\uff5e', '\u{1f984}', ...longNames('l')];
/** Those whose modules have pins are described more often. */
export const PINNED = NAMES.slice(0, 3);
export const pinned = { name: pick(...PINNED), version: pick(undefined, '1.0.0') };
export const INTEGRITY = ['p', 'q'].map((letter) => `sha384-${letter.repeat(64)}`);

/** Written as JSON, it has what another label is searched by. */
const QUOTING = 'x","label":"one';
const SHAPES = ['http://s/1', 'http://schema.org/Person', 'https://schema.org/Person', 'schema:Person'];

const anyCapability = fc.record(
  {
    action: pick('odrl:display' as const, 'odrl:modify' as const),
    accept: pick(['text/turtle'], ['text/html', 'text/turtle']),
    invocation: pick<Invocation[]>(
      [{ type: 'ac:UriTemplateInvocation', template: '#' }],
      [{ type: 'FragmentInvocation', fragment: '', module: [] }],
    ),
  },
  { requiredKeys: [] },
);
const plain = fc
  .record({
    label: pick('one', 'two', 'Ärger', QUOTING),
    version: pick(undefined, '1.0.0', '1.0.0', '1.2.0', '2.0.0-beta.1'),
    latest: pick(undefined, true, false),
    tag: fc.subarray(['t', 'u', 'v']),
    author: fc.subarray(['Ann', 'Bob']),
    shapes: fc.subarray(SHAPES),
    capability: fc.array(anyCapability, { maxLength: 2 }).map((all) => (all.length > 0 ? all : undefined)),
    integrity: pick(undefined, undefined, INTEGRITY[0]),
    // A few are so large that they need several runs of bytes.
    description: pick(
      ...[...Array<number>(30).fill(5), 40_000].map((length) => `schema:Thing ${'é'.repeat(length)}`),
    ),
  })
  .map((said) => {
    const given = Object.entries(said).filter(([, value]) => value !== undefined);
    return component('', Object.fromEntries(given));
  });
const anyMetadata = fc
  .tuple(
    pick(...NAMES, ...PINNED),
    fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: metadata }),
  )
  .map(([name, said]): Metadata => ({ ...said, uri: component(name).uri }));
export const someMetadata = fc.array(anyMetadata, { maxLength: 6 });
export const someUris = fc.subarray(NAMES).map((names) => names.map((name) => component(name).uri));

const constraints = {
  uri: pick(component('a').uri, component('z').uri),
  label: pick('one', 'none', QUOTING),
  version: pick('^1.0.0', '1.2.0', '*', 'latest', '>=2.0.0-alpha'),
  latest: fc.boolean(),
  tag: fc.subarray(['t', 'u', 'w']),
  author: fc.subarray(['Ann', 'Bob']),
  shapes: fc.subarray(SHAPES),
  source: pick(POD_A.url, LOCAL.url),
  trust: pick('own', 'configured', 'learned'),
  action: pick('odrl:display', 'odrl:modify'),
  accept: pick('text/turtle', 'text/html'),
  invocation: pick('ac:UriTemplateInvocation', 'FragmentInvocation', 'none'),
  q: pick('arger', 'one', 'ann one', 'schema:Person', 'schema:Thing', 'nothing', ' '),
};
/** A few constraints: hardly anything meets many. Those that are answered by lists come more often. */
export const anyQuery = fc
  .tuple(
    fc.record(constraints),
    fc.uniqueArray(
      pick<keyof typeof constraints>(
        ...(Object.keys(constraints) as (keyof typeof constraints)[]),
        ...(['tag', 'author', 'shapes', 'q'] as const),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([values, keys]) => Object.fromEntries(keys.map((key) => [key, values[key]])) as Query);
export const anyQuestion = fc.record({ query: anyQuery, limit: fc.integer({ min: 1, max: 5 }) });
