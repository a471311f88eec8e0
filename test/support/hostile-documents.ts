import { inTorture } from './torture.js';

/** Documents within all limits of size that once kept a node busy for seconds, or killed it. */
const VOC = 'http://semcom.digita.ai/voc#';

export interface HostileDocument {
  readonly type: string;
  readonly body: string;
}

const turtle = (body: string): HostileDocument => ({ type: 'text/turtle', body });
const jsonLd = (document: unknown): HostileDocument => ({
  type: 'application/ld+json',
  body: typeof document === 'string' ? document : JSON.stringify(document),
});

/** What sources answer is as large as a node reads; in `npm test` an eighth of that. */
const share = (full: number) => Math.floor(inTorture ? full : full / 8);

/** Written anew each time that it is asked for: all of these together are 100 MB. */
const large = (type: string, write: () => string): HostileDocument => ({
  type,
  get body() {
    return write();
  },
});
const numbers = <T>(count: number, item: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));

const termsOf = (count: number) => Object.fromEntries(numbers(count, (i) => [`a${i}`, `e:${i}`] as const));

/** Contexts within the contexts of terms. */
function scopedContexts(terms: number, depth: number): HostileDocument {
  const inner = termsOf(terms);
  const context = Object.fromEntries(
    Object.entries(inner).map(([name, id]) => [name, { '@id': id, '@context': inner }]),
  );
  let node: object = { '@id': 'http://e.example/' };
  for (let i = 0; i < depth; i++) node = { [`a${i % terms}`]: [node, node] };
  return jsonLd({ '@context': context, ...node });
}

/** A list of contexts scoped to a term, all of which are processed, and add to all others, wherever the term is used. */
function scopedLists(terms: number, contexts: number, depth: number): HostileDocument {
  const scoped = numbers(contexts, (i) => ({ [`b${i}`]: 'e:b' }));
  let node: object = { '@id': 'http://e.example/' };
  for (let i = 0; i < depth; i++) node = { p: node };
  return jsonLd({ '@context': { ...termsOf(terms), p: { '@id': 'e:p', '@context': scoped } }, ...node });
}

/** Small enough to be posted by anybody where writing is open, or to be checked by anybody. */
export const SMALL: Readonly<Record<string, HostileDocument>> = {
  'contexts scoped to terms': scopedContexts(30, 8),
  // Expanded without a bound: 10 s; the second one ends a heap of 600 MB.
  'lists of scoped contexts, 9 kB': scopedLists(500, 100, 90),
  'lists of scoped contexts, 22 kB': scopedLists(600, 400, 400),
  // Within the bound for contexts: these take all the time that a worker has.
  'scoped contexts among many terms': scopedLists(40_000, 16, 90),
  'values of one property': jsonLd({
    '@id': 'http://x.example/',
    'http://p.example/': numbers(9900, String),
  }),
  'a base of 0.9 MB': turtle(
    `@base <http://h.example/${'a/'.repeat(450_000)}>.\n${'<x> <y> <z>.\n'.repeat(340)}`,
  ),
  'a base of 0.9 MB in JSON-LD': jsonLd({
    '@context': { '@base': `http://h.example/${'a/'.repeat(400_000)}` },
    '@graph': numbers(1000, (i) => `${i}`).map((id) => ({
      '@id': id,
      'http://p.example/': { '@id': `${id}x` },
    })),
  }),
  'a namespace of 0.9 MB': turtle(
    `@prefix a: <http://h.example/${'a/'.repeat(450_000)}>.\n${'a:x a:y a:z.\n'.repeat(340)}`,
  ),
  'deep JSON': jsonLd(`${'{"http://p":'.repeat(60_000)}1${'}'.repeat(60_000)}`),
};

const TURTLE = 'text/turtle';
const JSON_TYPE = 'application/json';
/** The same with each number, one behind the other. */
const each = (count: number, item: (i: number) => string) => numbers(count, item).join('');

/** What a pod, or the source of a holder, may answer. */
export const LARGE: Readonly<Record<string, HostileDocument>> = {
  'a listing of many members': large(TURTLE, () => {
    const members = `<http://www.w3.org/ns/ldp#contains> <x>${each(share(900_000), (i) => `,<${i}>`)}`;
    return `<> a <http://www.w3.org/ns/ldp#Container>; ${members}.`;
  }),
  'a literal without an end': large(
    TURTLE,
    () => `<http://c.example/x.js> <${VOC}label> """${'x'.repeat(share(9_800_000))}`,
  ),
  // It takes the memory of one term in a thread, and 100 MB as the node would be told of it.
  'one long term as 6,000 descriptions': jsonLd({
    '@context': {
      ...{ label: `${VOC}label`, description: { '@id': `${VOC}description`, '@type': '@vocab' } },
      long: `http://c.example/${'x'.repeat(16_300)}`,
    },
    '@graph': numbers(6_000, (i) => ({ '@id': `http://c.example/${i}.js`, label: 'x', description: 'long' })),
  }),
  'many triples': large(TURTLE, () => `<a> <b> 0${each(share(1_200_000), (i) => `,${i}`)}.`),
};

interface PeerAnswers {
  readonly peers?: HostileDocument;
  readonly component?: HostileDocument;
}

/** What a peer may answer. */
export const OF_PEERS: Readonly<Record<string, PeerAnswers>> = {
  'an entry with many introducers': {
    peers: large(TURTLE, () => {
      const via = `<http://q.example> <${VOC}via> <x:x>${each(share(800_000), (i) => `,<x:${i}>`)}.`;
      return `<http://p.example> <${VOC}peer> <http://q.example>. ${via}`;
    }),
  },
  'many peers': {
    peers: large(JSON_TYPE, () => {
      const peers = numbers(share(700_000), (i) => `http://${i}`);
      return JSON.stringify(peers).slice(0, share(9_900_000));
    }),
  },
  'hosts of 240 letters': {
    peers: large(JSON_TYPE, () => {
      const host = `${'a'.repeat(60)}.`.repeat(4);
      return JSON.stringify(numbers(share(9000), (i) => `http://${host}x${i}.denied.example`));
    }),
  },
  'graphs of 2,000 slashes': {
    component: large('application/n-quads', () => {
      const graph = `http://h/${'/'.repeat(2000)}`;
      // In full this is more than is kept of a peer; each document that is kept costs a millisecond.
      return each(
        inTorture ? 4500 : 150,
        (i) => `<http://c.example/${i}.js> <${VOC}label> "x" <${graph}${i}>.\n`,
      );
    }),
  },
  'deep JSON': {
    component: large(JSON_TYPE, () => '['.repeat(share(4_900_000)) + ']'.repeat(share(4_900_000))),
  },
};
