import { cleanup } from '../cleanup.js';
import { type FakeAnswer, type FakeServer, fakeServer, inTurtle } from '../fake-server.js';
import type { ListedComponent } from '../node/node-reader.js';
import { inTorture } from '../torture.js';

type State = 'A' | 'B';

/** Components of the large document. */
const LARGE = inTorture ? 1000 : 300;

/** What a source says in a state: components `from` to `to`, all tagged with the state. */
const RANGES = {
  one: { A: [0, LARGE], B: [100, LARGE + 100] },
  many: { A: [0, 200], B: [20, 220] },
} as const;
type SourceName = keyof typeof RANGES;

const PER_DOCUMENT = 10;

/**
 * Two sources that flip between state A and state B with every poll: one large document, and a
 * container of twenty documents. Each state adds, changes and removes components, documents too. A source
 * flips when it is asked for its first page, so that whatever one poll reads belongs to one state. It has no lines of
 * hints: a node asks by HEAD for them, beside its polls.
 */
export class FlippingPod {
  readonly #server: FakeServer;
  readonly #states: Record<SourceName, State> = { one: 'B', many: 'B' };
  #flips = 0;

  constructor(server: FakeServer) {
    this.#server = server;
    server.everything(({ method, url }) => (method === 'GET' ? this.#answer(url) : { status: 405 }));
  }

  get sources(): string[] {
    return [this.#server.url('/one.ttl'), this.#server.url('/many/')];
  }

  #answer(path: string): FakeAnswer {
    if (path === '/one.ttl') return inTurtle(componentsOf('one', this.#flip('one')));
    if (path === '/many/') return inTurtle(this.#listing(this.#flip('many')));
    const number = Number(/^\/many\/(\d+)\.ttl$/.exec(path)?.[1]);
    const [from, to] = RANGES.many[this.#states.many];
    const first = number * PER_DOCUMENT;
    if (!(first >= from && first < to)) return { status: 404 };
    return inTurtle(componentsOf('many', this.#states.many, first, first + PER_DOCUMENT));
  }

  #flip(source: SourceName): State {
    this.#flips++;
    this.#states[source] = this.#states[source] === 'A' ? 'B' : 'A';
    return this.#states[source];
  }

  #listing(state: State): string {
    const [from, to] = RANGES.many[state];
    // A new time for every flip: each member has changed.
    const modified = new Date(Date.UTC(2026, 0, 1) + this.#flips * 1000).toISOString();
    const members = [];
    for (let first = from; first < to; first += PER_DOCUMENT) members.push(`<${first / PER_DOCUMENT}.ttl>`);
    return `
      @prefix ldp: <http://www.w3.org/ns/ldp#> . @prefix dc: <http://purl.org/dc/terms/> .
      @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
      <> a ldp:Container, ldp:BasicContainer ; ldp:contains ${members.join(', ')} .
      ${members.map((member) => `${member} a ldp:Resource ; dc:modified "${modified}"^^xsd:dateTime .`).join('\n')}`;
  }
}

export async function flippingPod(): Promise<FlippingPod> {
  const server = await fakeServer();
  cleanup(() => server.close());
  return new FlippingPod(server);
}

/** The states that a listing shows a source in: one, or none before the first poll; more is a torn commit. */
export function statesShown(source: SourceName, components: readonly ListedComponent[]): string[] {
  const prefix = `https://${source}.example/`;
  const shown = components.filter(({ uri }) => uri.startsWith(prefix));
  const found = shown
    .map(({ uri, tag }) => `${tag?.join()} ${uri.slice(prefix.length, -3)}`)
    .sort()
    .join();
  if (found === '') return [];
  const whole = (['A', 'B'] as const).filter((state) => found === expected(source, state));
  return whole.length > 0 ? whole : [...new Set(shown.map(({ tag }) => `part of ${tag?.join()}`))];
}

function expected(source: SourceName, state: State): string {
  const [from, to] = RANGES[source][state];
  return Array.from({ length: to - from }, (_, i) => `${state} ${from + i}`)
    .sort()
    .join();
}

function componentsOf(source: SourceName, state: State, from?: number, to?: number): string {
  const [first, last] = RANGES[source][state];
  const lines = ['@prefix semcom: <http://semcom.digita.ai/voc#> .'];
  for (let i = from ?? first; i < (to ?? last); i++) {
    lines.push(
      `<https://${source}.example/${i}.js> a semcom:component ; semcom:label "Component ${i}" ; semcom:tag "${state}" .`,
    );
  }
  return lines.join('\n');
}
