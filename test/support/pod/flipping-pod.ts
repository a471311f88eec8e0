import { type FakeServer, fakeServer } from '../fake-server.js';
import type { ListedComponent } from '../node/node-reader.js';
import { inTorture } from '../torture.js';
import { FakePod, turtle, VOC } from './fake-pod.js';

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
  readonly #pod: FakePod;
  readonly #states: Record<SourceName, State> = { one: 'B', many: 'B' };

  constructor(server: FakeServer) {
    this.#pod = new FakePod(server);
    this.#pod.answerAll((request) => {
      if (request.method !== 'GET') return { status: 405 };
      if (request.url === '/one.ttl') this.#flip('one');
      if (request.url === '/many/') this.#flip('many');
      return this.#pod.answer(request);
    });
  }

  get sources(): string[] {
    return ['/one.ttl', '/many/'].map((path) => this.#pod.server.url(path));
  }

  #flip(source: SourceName): void {
    const state = this.#states[source] === 'A' ? 'B' : 'A';
    this.#states[source] = state;
    const names = namesIn(source, state);
    if (source === 'one') this.#pod.put('/one.ttl', described(names, state));
    else this.#writeMany(names, state);
  }

  #writeMany(names: readonly string[], state: State): void {
    for (const path of this.#pod.documents.keys()) if (path.startsWith('/many/')) this.#pod.delete(path);
    for (let first = 0; first < names.length; first += PER_DOCUMENT) {
      const part = names.slice(first, first + PER_DOCUMENT);
      this.#pod.put(`/many/${part[0]}.ttl`, described(part, state));
    }
  }
}

export async function flippingPod(): Promise<FlippingPod> {
  return new FlippingPod(await fakeServer());
}

/** The states that a listing shows a source in: one, or none before the first poll; more is a torn commit. */
export function statesShown(source: SourceName, components: readonly ListedComponent[]): string[] {
  const shown = components.filter(({ label }) => label.startsWith(`${source}-`));
  if (shown.length === 0) return [];
  const found = shown.map(({ label, tag }) => `${label} ${tag?.join()}`).sort();
  const expected = (state: State) => namesIn(source, state).map((name) => `${name} ${state}`);
  const whole = (['A', 'B'] as const).filter((state) => found.join() === expected(state).sort().join());
  return whole.length > 0 ? whole : [...new Set(shown.map(({ tag }) => `part of ${tag?.join()}`))];
}

function namesIn(source: SourceName, state: State): string[] {
  const [from, to] = RANGES[source][state];
  return Array.from({ length: to - from }, (_, i) => `${source}-${from + i}`);
}

/** These components, all tagged with the state. */
function described(names: readonly string[], state: State): string {
  return names.map((name) => turtle(name, `; <${VOC}tag> "${state}" `)).join('\n');
}
