import { beforeEach, expect, it, test } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import type { DocumentRecord } from '../../../src/core/document-record.js';
import type { SourceRecord } from '../../../src/core/source-record.js';
import { NoStream } from '../../../src/sync/push/stream.js';
import { Streams } from '../../../src/sync/push/streams.js';
import { cleanup } from '../../support/cleanup.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

/** Topics to which a stream is open. */
let open: Set<string>;
let hints: string[];
/** After how many ms each of these hints is to be followed. */
let waits: (number | undefined)[];
let lost: string[];
beforeEach(() => {
  open = new Set();
  hints = [];
  waits = [];
  lost = [];
});

const LEARNED = ['https://learned.example/', 'https://learned.example/doc'];
const READ: SourceRecord = { failures: 0, lastSuccess: 1 };

function createLines(most: number): Streams {
  const streams = new Streams({
    ...{ most, clock: new VirtualClock() },
    random: () => 0.5,
    onHint: ({ url }) => {
      hints.push(url);
      waits.push(undefined);
    },
    onOpened: ({ url }, after) => {
      hints.push(url);
      waits.push(after);
    },
    onLost: ({ url }) => lost.push(url),
  });
  cleanup(() => streams.stop());
  return streams;
}

function listened(kind: Source['kind'], url: string, trust: 'configured' | 'learned' = 'configured') {
  const stream = (document?: string) => async (signal: AbortSignal) => {
    const topic = document ?? url;
    open.add(topic);
    return (async function* () {
      yield* [];
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    })();
  };
  const stop = async () => undefined;
  return { source: { kind, url }, trust, stream, stop };
}

function stored(source: Source, documents: Record<string, DocumentRecord> = {}, record = READ) {
  const held = Object.entries(documents).map(([url, one]) => [url, { ...one, components: 1 }] as const);
  return { source, record, documents: new Map(held) };
}

it('there are streams to what could be read, first to sources, then to documents, learned ones last', async () => {
  const pod = listened('pod', 'https://a.example/');
  const learned = listened('pod', 'https://learned.example/', 'learned');
  const peer = listened('peer', 'https://peer.example');
  const streams = createLines(5);
  streams.setSources([learned, pod, peer]);
  expect(open).toEqual(new Set());
  streams.polled(stored(learned.source, { 'https://learned.example/doc': {} }));
  await waitFor(() => open.size === 2);
  const old = { modified: '2026-01-01T00:00:00Z' };
  const recent = { modified: '2026-11-01T00:00:00Z' };
  streams.polled(stored(pod.source, { 'https://a.example/old': old, 'https://a.example/new': recent }));
  streams.polled(stored(peer.source));
  await waitFor(() => streams.counts.open === 5);
  expect([...open].slice(2)).toEqual([
    'https://a.example/',
    'https://a.example/new',
    'https://a.example/old',
    'https://peer.example',
  ]);
  expect(streams.hears(peer.source)).toBe(true);
  expect(hints).toContain(peer.source.url);
});

it('there are none to what fails, nor when none are wanted', async () => {
  const pod = listened('pod', 'https://a.example/');
  for (const [most, record] of [
    [9, { failures: 1, lastSuccess: 1 }],
    [9, { failures: 0 }],
    [0, READ],
  ] as const) {
    const streams = createLines(most);
    streams.setSources([pod]);
    streams.polled(stored(pod.source, {}, record));
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(open.size).toBe(0);
});

it('documents that describe nothing are listened to last: a fault in them may be corrected', async () => {
  const pod = listened('pod', 'https://a.example/');
  const learned = listened('pod', 'https://learned.example/', 'learned');
  const streams = createLines(5);
  streams.setSources([learned, pod]);
  const documents = new Map([
    ['https://a.example/broken', { components: 0 }],
    ['https://a.example/good', { components: 1 }],
    ['https://a.example/other', { components: 0 }],
  ]);
  streams.polled({ ...stored(pod.source), documents });
  streams.polled(stored(learned.source, { 'https://learned.example/doc': {} }));
  await waitFor(() => streams.counts.open === 5);
  const all = ['https://a.example/', 'https://a.example/good', 'https://a.example/broken'];
  expect(open).toEqual(new Set([...all, 'https://a.example/other', ...LEARNED]));
  streams.polled(
    stored(learned.source, { 'https://learned.example/doc': {}, 'https://learned.example/2': {} }),
  );
  await waitFor(() => open.has('https://learned.example/2'));
  expect(streams.counts.open).toBe(5);
});

it('of a pod, fifty documents are listened to', async () => {
  const pod = listened('pod', 'https://a.example/');
  const streams = createLines(200);
  streams.setSources([pod]);
  const documents = Array.from({ length: 80 }, (_, i) => [`https://a.example/${i}`, {}] as const);
  streams.polled(stored(pod.source, Object.fromEntries(documents)));
  await waitFor(() => streams.counts.open === 51);
});

it('a stream that is not wanted any more is closed, and what is lost by itself is told', async () => {
  const [one, other] = [listened('peer', 'https://one.example'), listened('peer', 'https://other.example')];
  const streams = createLines(9);
  streams.setSources([one, other]);
  for (const { source } of [one, other]) streams.polled(stored(source));
  await waitFor(() => streams.counts.open === 2);
  streams.setSources([other]);
  await waitFor(() => lost.length === 1);
  expect([streams.counts.open, streams.hears(one.source)]).toEqual([1, false]);
});

it('where there are few, those of peers come before those of documents, and of learned pods', async () => {
  const pod = listened('pod', 'https://a.example/');
  const [learnedPod, learnedPeer] = [
    listened('pod', 'https://learned.example/', 'learned'),
    listened('peer', 'https://learned-peer.example', 'learned'),
  ];
  const streams = createLines(2);
  streams.setSources([pod, learnedPod, learnedPeer]);
  streams.polled(stored(learnedPod.source, { 'https://learned.example/doc': {} }));
  streams.polled(stored(pod.source, { 'https://a.example/doc': {} }));
  streams.polled(stored(learnedPeer.source));
  await waitFor(() => streams.hears(pod.source) && streams.hears(learnedPeer.source));
  expect(streams.counts.open).toBe(2);
});

it('what was missed before a stream opened is looked for when others of the source are open, too', async () => {
  const pod = listened('pod', 'https://a.example/');
  const streams = createLines(9);
  streams.setSources([pod]);
  streams.polled(stored(pod.source, { 'https://a.example/doc': {} }));
  await waitFor(() => streams.counts.open === 2);
  expect(waits).toEqual([2000, 2000]);
});

test.each<[what: string, () => Error]>([
  ['offers none', () => new NoStream('it offers none')],
  ['has none to give now', () => new NoStream('busy', 600_000)],
  ['does not answer', () => new Error('connect ECONNREFUSED')],
])(
  'who %s takes no slot of those who do, and documents of such a pod are not asked for',
  async (_, failure) => {
    const asked: string[] = [];
    const refusing = Array.from({ length: 5 }, (_, i) => listened('pod', `https://static${i}.example/`)).map(
      (pod) => ({
        ...pod,
        stream: (document?: string) => async () => {
          asked.push(document ?? pod.source.url);
          throw failure();
        },
      }),
    );
    const pod = listened('pod', 'https://z.example/', 'learned');
    const streams = createLines(3);
    streams.setSources([...refusing, pod]);
    for (const { source } of refusing) streams.polled(stored(source, { [`${source.url}1`]: {} }));
    streams.polled(stored(pod.source, { 'https://z.example/1': {}, 'https://z.example/2': {} }));
    await waitFor(() => streams.counts.open === 3);
    expect(open).toEqual(new Set(['https://z.example/', 'https://z.example/1', 'https://z.example/2']));
    const documents = asked.filter((url) => url.endsWith('1'));
    // What was asked for before it was known that the pod itself has no streams is not asked for again.
    expect(new Set(documents).size).toBe(documents.length);
  },
);
