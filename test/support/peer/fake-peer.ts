import { createHash } from 'node:crypto';
import type { Metadata } from '../../../src/component/metadata.js';
import { type FakeAnswer, type FakeServer, fakeServer, type SeenRequest } from '../fake-server.js';

const VOC = 'http://semcom.digita.ai/voc#';
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const XSD_BOOLEAN = 'http://www.w3.org/2001/XMLSchema#boolean';

/** How a node answers `/component`: the ways in which nodes that others run do it, and our own. */
export type Dialect = 'n-quads' | 'turtle' | 'turtle-c' | 'json-ld' | 'plain' | 'listing' | 'compact';

/** A component with nothing but what it takes. */
export function simple(name: string, label = name): Metadata {
  return { uri: `https://c.example/${name}.js`, label, author: [], tag: [], shapes: [] };
}

/**
 * A node that somebody else runs, and that does what a test says. Pages of other sites may read it, as the host library does
 * in browsers; it ignores every constraint of a query.
 */
export class FakePeer {
  /** By named graph; other dialects than n-quads know only the node's own. */
  readonly graphs = new Map<string, Metadata[]>([['urn:registry:local', []]]);
  peers: readonly string[] = [];
  storage: readonly string[] = [];
  dialect: Dialect = 'n-quads';
  /** What it takes for its own URL, where it knows itself by another name than its peers do. */
  alias: string | undefined;
  etags = true;
  /** Sent as `Last-Modified`, by which it answers conditional requests. */
  lastModified: string | undefined;
  /** What it makes of `?graphs=all`: it knows no parameters, or refuses those that it does not know. */
  parameters: 'ignored' | 'refused' = 'ignored';
  /** Answers 500 to lists of media types, as some nodes do. */
  stumbles = false;
  /** What a path answers instead, whatever it should. */
  readonly faults = new Map<string, FakeAnswer>();
  #bodies = 0;

  constructor(readonly server: FakeServer) {
    server.everything((request) => withCors(this.#answer(request)));
  }

  get url(): string {
    return this.server.origin;
  }

  /** Replaces what the node says itself. */
  says(...components: Metadata[]): void {
    this.graphs.set('urn:registry:local', components);
  }

  /** Answers of this path since the last look. */
  seen(): string[] {
    return this.server.requests.splice(0).map(({ url }) => url);
  }

  /** How many answers had a body since the last look. */
  bodies(): number {
    const bodies = this.#bodies;
    this.#bodies = 0;
    return bodies;
  }

  #answer(request: SeenRequest): FakeAnswer {
    const path = request.url.replace(/\?.*/s, '');
    const fault = this.faults.get(path);
    if (fault) return fault;
    if (request.method === 'OPTIONS') return { status: 204 };
    if (this.stumbles && /[,;]/.test(request.headers.accept ?? '')) return { status: 500 };
    if (request.url.includes('graphs=') && this.parameters === 'refused') return { status: 422 };
    const isListing = path === '/component' || path === '/component/query';
    const answer = isListing ? this.#components() : this.#list(path);
    if (this.lastModified !== undefined) return this.#dated(answer, request, this.lastModified);
    const etag = `"${createHash('md5').update(String(answer.body)).digest('hex')}"`;
    if (!this.etags || request.headers['if-none-match'] !== etag) this.#bodies += 1;
    return this.etags ? { ...answer, etag } : answer;
  }

  #dated(answer: FakeAnswer, { headers }: SeenRequest, date: string): FakeAnswer {
    if (headers['if-modified-since'] === date) return { status: 304, headers: { 'last-modified': date } };
    this.#bodies += 1;
    return { ...answer, headers: { ...answer.headers, 'last-modified': date } };
  }

  #list(path: string): FakeAnswer {
    if (path === '/peers') return { body: JSON.stringify(this.peers) };
    return path === '/storage' ? { body: JSON.stringify(this.storage) } : { status: 404 };
  }

  #components(): FakeAnswer {
    const [type, body] = BODIES[this.dialect](this.graphs, this.alias ?? this.url);
    // Those that list their graphs have a feed, even if nobody can reach it.
    const state = this.dialect === 'n-quads' ? { 'feed-cursor': 'peer.1.00000000' } : undefined;
    return { headers: { 'content-type': type, ...state }, body };
  }
}

function withCors(answer: FakeAnswer): FakeAnswer {
  const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
  return { ...answer, headers: { ...answer.headers, ...cors } };
}

/** One that implements just the specification: no entity tags, no parameters, no feed, no plain names in its JSON. */
export async function specOnlyPeer(...components: Metadata[]): Promise<FakePeer> {
  const peer = await fakePeer();
  Object.assign(peer, { dialect: 'listing', etags: false });
  peer.says(...components);
  return peer;
}

export async function fakePeer(): Promise<FakePeer> {
  return new FakePeer(await fakeServer());
}

type Graphs = ReadonlyMap<string, readonly Metadata[]>;

const own = (graphs: Graphs) => graphs.get('urn:registry:local') ?? [];

const BODIES: Record<Dialect, (graphs: Graphs, url: string) => [type: string, body: string]> = {
  'n-quads': (graphs) => ['application/n-quads', nQuads(graphs)],
  turtle: (graphs) => ['text/turtle', turtle(own(graphs), '')],
  'turtle-c': (graphs, url) => ['text/turtle; charset=utf-8', turtle(own(graphs), `${url}/c/`)],
  'json-ld': (graphs) => [
    'application/ld+json',
    JSON.stringify(
      own(graphs).map(({ uri, label }) => ({ '@id': uri, [`${VOC}label`]: [{ '@id': label }] })),
    ),
  ],
  plain: (graphs) => [
    'application/json',
    JSON.stringify(own(graphs).map((component) => ({ ...component, tag: 'a tag' }))),
  ],
  listing: (graphs, baseUrl) => [
    'application/json',
    JSON.stringify(own(graphs).map((component) => listed(component, baseUrl))),
  ],
  compact: (graphs) => [
    'application/ld+json',
    JSON.stringify({
      '@context': { '@vocab': VOC, uri: { '@type': '@id' } },
      '@graph': own(graphs).map(({ uri, label }) => ({ '@id': uri, uri, label })),
    }),
  ],
};

/** In the listing of the specification even text stands under `@id`. */
function listed(component: Metadata, baseUrl: string): Record<string, unknown> {
  const object: Record<string, unknown> = {
    '@id': `${baseUrl}/c/${component.uri}`,
    '@type': [`${VOC}component`],
  };
  for (const [field, values] of fieldsOf(component)) {
    object[VOC + field] = values.map((value) =>
      field === 'latest' ? { '@value': value, '@type': XSD_BOOLEAN } : { '@id': value },
    );
  }
  return object;
}

/** The fields that have values, but for the uri, each with its values as text. */
function fieldsOf({ uri: _, ...fields }: Metadata): [field: string, values: string[]][] {
  const all = Object.entries(fields).map(([field, value]): [string, string[]] => [
    field,
    [value].flat().map(String),
  ]);
  return all.filter(([, values]) => values.length > 0);
}

function nQuads(graphs: Graphs): string {
  const lines: string[] = [];
  for (const [graph, components] of graphs) {
    for (const component of components) {
      const say = (predicate: string, object: string) =>
        lines.push(`<${component.uri}> <${predicate}> ${object} <${graph}> .`);
      say(RDF_TYPE, `<${VOC}component>`);
      for (const [field, values] of [['uri', [component.uri]] as const, ...fieldsOf(component)])
        for (const value of values) say(VOC + field, term(field, value));
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

function term(field: string, value: string): string {
  if (field === 'shapes' || field === 'uri') return `<${value}>`;
  return field === 'latest' ? `"${value}"^^<${XSD_BOOLEAN}>` : JSON.stringify(value);
}

function turtle(components: readonly Metadata[], base: string): string {
  const lines = components.map(
    ({ uri, label }) => `<${base}${uri}> a <${VOC}component> ; <${VOC}label> ${JSON.stringify(label)} .`,
  );
  return lines.join('\n');
}
