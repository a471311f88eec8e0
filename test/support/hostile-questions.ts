import type { AskedRoute, Body, Questions } from './every-request.js';
import { CLASSES, FILLINGS, HOSTILE_TAG, hostileComponent, hostileUri, PERSON } from './hostile-component.js';

/** Where what is asked about lies. */
interface Sources {
  /** URL of a pod that a node reads, and of a document in it. */
  readonly pod: string;
  readonly document: string;
  /** The number of a component that nobody has described yet. */
  readonly next: number;
}

const json = (name: string, value: unknown) => ({
  name,
  type: 'application/json',
  text: JSON.stringify(value),
});
/** As many properties as a question may have, as long as its body has room for. */
const PREDICATES = Array.from({ length: 250 }, (_, i) => `https://p.example/${i}/`.padEnd(440, 'p'));
const SOME_CLASSES = CLASSES.slice(0, 16);
/** Turtle whose blank nodes are as deep as a parser with 48 MB takes them. */
const DEEP = 10_000;
const DEEP_DOCUMENT = `<urn:a> <urn:b> ${'[<urn:b> '.repeat(DEEP)}1${']'.repeat(DEEP)}.`;
const ENTRY = `https://e.example/${'e'.repeat(1800)}`;

/** What strangers and operators ask of a node that knows the largest components, by parameter and by route. */
export function hostileQuestions({ pod, document, next }: Sources): Questions {
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  return {
    parameters: {
      ...{ uri: hostileUri(0), url: document, document, source: pod, entry: ENTRY, topic: document },
      ...{ shapes: PERSON, tag: HOSTILE_TAG, q: 'hostile', label: String(hostileComponent(0).label) },
      ...{ latest: 'true', trust: 'configured', limit: '100', version: '1.x' },
      ...{ action: 'odrl:display', invocation: 'ElementInvocation', accept: 'text/turtle' },
    },
    bodies: {
      'POST /match': [
        json('of one class', { types: [PERSON], predicates: PREDICATES, limit: 100 }),
        json('of all', {
          ...{ types: SOME_CLASSES, shapes: SOME_CLASSES, predicates: PREDICATES, limit: 100 },
        }),
        json('of nothing known', { predicates: PREDICATES, mediaType: 'text/turtle', limit: 100 }),
      ],
      'POST /component': [json('one', hostileComponent(next))],
      'POST /component/query': [json('all', {}), json('of a class', { shapes: [PERSON] })],
      'POST /hint': [json('a document', { topic: document })],
      'POST /publish': [{ name: 'a document', type: FORM, text: form({ url: document }) }],
      'POST /discovery': [json('an address', { url: 'https://x.example/', decision: 'approve' })],
      'POST /rehearse': [json('a pod', { url: pod, kind: 'pod' })],
    },
  };
}

const FORM = 'application/x-www-form-urlencoded';

/** What visitors of the pages ask for: the pages (design, section 10), and what their scripts send. */
export function hostilePages({ document }: Pick<Sources, 'document'>): AskedRoute[] {
  const named = (fields: Record<string, string>) => new URLSearchParams(fields);
  const data = named({ url: 'https://e.example/', shapes: PERSON });
  for (const predicate of PREDICATES.slice(0, 20)) data.append('predicates', predicate);
  const components = FILLINGS.map((filling, i) => ({ filling, path: encodeURIComponent(hostileUri(i)) }));
  const pages: [name: string, path: string][] = [
    ...['/', '/network', '/publish', '/docs', '/docs/operators'].map((path): [string, string] => [
      path,
      path,
    ]),
    ['/?q=', '/?q=hostile'],
    ['/?shapes=', `/?${named({ shapes: PERSON })}`],
    ['/?tag=', `/?${named({ tag: HOSTILE_TAG })}`],
    ...components.map(({ filling, path }): [string, string] => [`/c/ of ${filling}`, `/c/${path}`]),
    ...components.map(({ filling, path }): [string, string] => [
      `/c/ of ${filling}, with data`,
      `/c/${path}?${named({ entry: ENTRY })}`,
    ]),
    ['/data', `/data?${data}`],
    ['/why?uri=', `/why?${named({ uri: hostileUri(0) })}`],
    ['/why?document=', `/why?${named({ document })}`],
    ['/frame', `/frame?${named({ uri: hostileUri(0), entry: ENTRY })}`],
    ['/publish/client', '/publish/client'],
    ['/demo/examples', '/demo/examples/person.ttl'],
    ['/starter/index.json', '/starter/index.json'],
  ];
  const sent = (path: string, { name, type, text }: Body): AskedRoute => ({
    ...{ name: `POST ${path} ${name}`, method: 'POST', path, body: text },
    headers: { 'content-type': type, accept: 'application/json' },
  });
  return [
    ...pages.map(([name, path]) => ({ name: `page ${name}`, path, headers: { accept: 'text/html' } })),
    ...FILLINGS.map((filling, i) => sent('/publish/draft', json(filling, { put: hostileComponent(i) }))),
    sent('/publish/draft', json('a deep document', { before: DEEP_DOCUMENT, put: hostileComponent(0) })),
  ];
}
