import { createHash } from 'node:crypto';
import { DataFactory, type Quad, Writer } from 'n3';
import type { Metadata } from '../../../src/component/metadata.js';
import { type FakeAnswer, type FakeServer, fakeServer, type SeenRequest } from '../fake-server.js';

const { defaultGraph, literal, namedNode, quad } = DataFactory;
const VOC = 'http://semcom.digita.ai/voc#';
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const XSD_BOOLEAN = 'http://www.w3.org/2001/XMLSchema#boolean';
const OWN = 'urn:registry:local';

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
  readonly graphs = new Map<string, Metadata[]>([[OWN, []]]);
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

  constructor(readonly server: FakeServer) {
    server.everything((request) => withCors(this.#answer(request)));
  }

  get url(): string {
    return this.server.origin;
  }

  /** Replaces what the node says itself. */
  says(...components: Metadata[]): void {
    this.graphs.set(OWN, components);
  }

  /** What it was asked for since the last look. */
  seen(): string[] {
    return this.server.requests.splice(0).map(({ url }) => url);
  }

  /** How many answers had a body since the last look. */
  bodies(): number {
    return this.server.answered.splice(0).filter((line) => !line.endsWith(' 304')).length;
  }

  #answer(request: SeenRequest): FakeAnswer {
    const { method, url, headers } = request;
    const path = url.replace(/\?.*/s, '');
    const fault = this.faults.get(path);
    if (fault) return fault;
    if (method === 'OPTIONS') return { status: 204 };
    if (this.stumbles && /[,;]/.test(headers.accept ?? '')) return { status: 500 };
    if (url.includes('graphs=') && this.parameters === 'refused') return { status: 422 };
    const answer = this.#found(path);
    const { lastModified } = this;
    if (lastModified !== undefined) {
      const dated = { ...answer.headers, 'last-modified': lastModified };
      return headers['if-modified-since'] === lastModified
        ? { status: 304, headers: dated }
        : { ...answer, headers: dated };
    }
    const etag = `"${createHash('md5').update(String(answer.body)).digest('hex')}"`;
    return this.etags ? { ...answer, etag } : answer;
  }

  #found(path: string): FakeAnswer {
    if (path === '/peers') return { body: JSON.stringify(this.peers) };
    if (path === '/storage') return { body: JSON.stringify(this.storage) };
    if (path !== '/component' && path !== '/component/query') return { status: 404 };
    const [type, write] = DIALECTS[this.dialect];
    // Those that list their graphs have a feed, even if nobody can reach it.
    const state = this.dialect === 'n-quads' ? { 'feed-cursor': 'peer.1.00000000' } : undefined;
    const body = write(this.graphs.get(OWN) ?? [], `${this.alias ?? this.url}/c/`, this.graphs);
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

/** @param base the address below which the node has its components, and what it has from others, too */
type Write = (own: readonly Metadata[], base: string, graphs: FakePeer['graphs']) => string;

const DIALECTS: Record<Dialect, readonly [type: string, write: Write]> = {
  'n-quads': [
    'application/n-quads',
    (_own, _base, graphs) =>
      written(
        'N-Quads',
        [...graphs].flatMap(([graph, all]) => quadsOf(all, '', namedNode(graph))),
      ),
  ],
  turtle: ['text/turtle', (own) => written('Turtle', quadsOf(own))],
  'turtle-c': ['text/turtle; charset=utf-8', (own, base) => written('Turtle', quadsOf(own, base))],
  'json-ld': ['application/ld+json', (own) => JSON.stringify(own.map((one) => listed(one, '')))],
  plain: ['application/json', (own) => JSON.stringify(own.map((one) => ({ ...one, tag: 'a tag' })))],
  listing: ['application/json', (own, base) => JSON.stringify(own.map((one) => listed(one, base)))],
  compact: [
    'application/ld+json',
    (own) =>
      JSON.stringify({
        '@context': { '@vocab': VOC, uri: { '@type': '@id' } },
        '@graph': own.map(({ uri, label }) => ({ '@id': uri, uri, label })),
      }),
  ],
};

/** The fields but for the uri, each with its values. */
const fieldsOf = ({ uri: _, ...fields }: Metadata) =>
  Object.entries(fields).map(([field, value]) => [field, [value].flat().map(String)] as const);

/** In the listing of the specification even text stands under `@id`. */
function listed(component: Metadata, base: string): object {
  const said = fieldsOf(component).map(([field, values]) => [
    VOC + field,
    values.map((one) => (field === 'latest' ? { '@value': one, '@type': XSD_BOOLEAN } : { '@id': one })),
  ]);
  return { '@id': base + component.uri, '@type': [`${VOC}component`], ...Object.fromEntries(said) };
}

function quadsOf(all: readonly Metadata[], base = '', graph: Quad['graph'] = defaultGraph()): Quad[] {
  return all.flatMap((component) => {
    const subject = namedNode(base + component.uri);
    const said = fieldsOf(component).flatMap(([field, values]) =>
      values.map((one) => quad(subject, namedNode(VOC + field), term(field, one), graph)),
    );
    return [quad(subject, namedNode(RDF_TYPE), namedNode(`${VOC}component`), graph), ...said];
  });
}

function term(field: string, value: string) {
  if (field === 'shapes') return namedNode(value);
  return field === 'latest' ? literal(value, namedNode(XSD_BOOLEAN)) : literal(value);
}

const written = (format: string, quads: Quad[]) => new Writer({ format }).quadsToString(quads);
