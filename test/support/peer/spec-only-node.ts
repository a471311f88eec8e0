import { cleanup } from '../cleanup.js';
import { type FakeAnswer, type FakeServer, fakeServer, inTurtle, type SeenRequest } from '../fake-server.js';

const VOCABULARY = 'http://semcom.digita.ai/voc#';
const XSD_BOOLEAN = 'http://www.w3.org/2001/XMLSchema#boolean';

/** The metadata of one component, with the fields of the specification. */
export interface SpecComponent {
  readonly uri: string;
  readonly label?: string;
  readonly description?: string;
  readonly version?: string;
  readonly latest?: boolean;
  readonly author?: readonly string[];
  readonly tag?: readonly string[];
  readonly shapes?: readonly string[];
}

export interface SpecOnlyNodeOptions {
  readonly components?: readonly SpecComponent[];
  readonly peers?: readonly string[];
  readonly storage?: readonly string[];
}

/**
 * A registry node of another make, written from the specification alone. It has the endpoints that are not optional and nothing else:
 * no `ETag` and no `Last-Modified`, no lists of media types in `Accept`, no parameters, no plain names in its JSON, no
 * pages, no problem documents. Where the specification shows nothing, it does the least that can be called an answer.
 * It lets pages of other sites read (CORS), because a host application could not use it otherwise.
 */
export class SpecOnlyNode {
  /** What it holds, by uri; a test may change it. */
  readonly components: Map<string, SpecComponent>;
  peers: readonly string[];
  storage: readonly string[];

  constructor(
    readonly server: FakeServer,
    options: SpecOnlyNodeOptions,
  ) {
    this.components = new Map((options.components ?? []).map((component) => [component.uri, component]));
    this.peers = options.peers ?? [];
    this.storage = options.storage ?? [];
    server.everything((request) => withCors(this.#answer(request)));
  }

  get url(): string {
    return this.server.origin;
  }

  #answer(request: SeenRequest): FakeAnswer {
    const path = request.url.replace(/\?.*/s, '');
    switch (`${request.method} ${path}`) {
      case 'GET /component':
        return this.#listing(request, [...this.components.values()]);
      case 'POST /component/query':
        return withJson(request, (body) => this.#listing(request, this.#matching(body)));
      case 'GET /peers':
        return json(this.peers);
      case 'GET /storage':
        return json(this.storage);
      default:
        return request.method === 'OPTIONS' ? { status: 204 } : { status: 404 };
    }
  }

  #listing({ headers }: SeenRequest, components: readonly SpecComponent[]): FakeAnswer {
    if (headers.accept !== 'text/turtle') return json(components.map(objectOf));
    return inTurtle(components.map(turtleOf).join(''));
  }

  /** The specification names `uri` alone as a constraint, and calls it an instance: it ignores all others. */
  #matching(constraints: unknown): SpecComponent[] {
    const { uri } = constraints as { uri?: unknown };
    return [...this.components.values()].filter((one) => uri === undefined || one.uri === uri);
  }
}

/** Starts one on a free port of 127.0.0.1; it goes with the test. */
export async function specOnlyNode(options: SpecOnlyNodeOptions = {}): Promise<SpecOnlyNode> {
  const server = await fakeServer();
  cleanup(() => server.close());
  return new SpecOnlyNode(server, options);
}

/** The object of the specification's table "Component metadata", which has no key for the uri itself. */
function objectOf(component: SpecComponent): Record<string, unknown> {
  const { uri, latest, tag, shapes, label, description, version, author } = component;
  const object: Record<string, unknown> = { '@id': `/c/${uri}`, '@type': [`${VOCABULARY}component`] };
  for (const [name, value] of Object.entries({ label, description, version, author })) {
    if (value !== undefined) object[VOCABULARY + name] = [value].flat().map((text) => ({ '@id': text }));
  }
  if (latest !== undefined)
    object[`${VOCABULARY}latest`] = [{ '@value': String(latest), '@type': XSD_BOOLEAN }];
  // How these two are written is not shown: as they are, and a single tag by itself.
  if (tag) object[`${VOCABULARY}tag`] = tag.length === 1 ? tag[0] : tag;
  if (shapes) object[`${VOCABULARY}shapes`] = shapes;
  return object;
}

function turtleOf(component: SpecComponent): string {
  const { uri, shapes = [], latest, ...texts } = component;
  const lines = [`</c/${uri}> a <${VOCABULARY}component>`];
  const add = (name: string, object: string) => lines.push(`<${VOCABULARY}${name}> ${object}`);
  add('uri', `<${uri}>`);
  for (const [name, value] of Object.entries(texts)) {
    for (const text of [value].flat()) add(name, JSON.stringify(text));
  }
  if (latest !== undefined) add('latest', String(latest));
  for (const shape of shapes) add('shapes', `<${shape}>`);
  return `${lines.join(';\n  ')} .\n`;
}

function json(body: unknown): FakeAnswer {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function withJson({ headers, body }: SeenRequest, answer: (body: unknown) => FakeAnswer): FakeAnswer {
  if (headers['content-type'] !== 'application/json') return { status: 400 };
  try {
    return answer(JSON.parse(body));
  } catch {
    return { status: 400 };
  }
}

function withCors(answer: FakeAnswer): FakeAnswer {
  const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type, accept' };
  return { ...answer, headers: { ...answer.headers, ...cors } };
}
