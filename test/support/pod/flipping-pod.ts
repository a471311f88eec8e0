import { fakeServer } from '../fake-server.js';
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
 * hints: a node asks by HEAD for them, beside its polls. Gives the addresses of both.
 */
export async function flippingSources(): Promise<string[]> {
  const pod = new FakePod(await fakeServer());
  const states: Record<SourceName, State> = { one: 'B', many: 'B' };
  const flip = (source: SourceName) => {
    const state = states[source] === 'A' ? 'B' : 'A';
    states[source] = state;
    const names = namesIn(source, state);
    for (const path of pod.documents.keys()) if (path.startsWith(`/${source}`)) pod.delete(path);
    const size = source === 'one' ? names.length : PER_DOCUMENT;
    for (let first = 0; first < names.length; first += size) {
      const path = source === 'one' ? '/one.ttl' : `/many/${names[first]}.ttl`;
      pod.put(path, described(names.slice(first, first + size), state));
    }
  };
  pod.answerAll((request) => {
    if (request.method !== 'GET') return { status: 405 };
    if (request.url === '/one.ttl') flip('one');
    if (request.url === '/many/') flip('many');
    return pod.answer(request);
  });
  return ['/one.ttl', '/many/'].map((path) => pod.server.url(path));
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
