import { beforeEach, expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import type { DocumentRecord } from '../../../src/core/document-record.js';
import type { SourceRecord } from '../../../src/core/source-record.js';
import { NO_CHANGE } from '../../../src/registry/change.js';
import { NoStream } from '../../../src/sync/push/stream.js';
import { Streams, type StreamsOptions } from '../../../src/sync/push/streams.js';
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
const MINUTE = 60_000;
const READ: SourceRecord = { failures: 0, lastSuccess: 1 };

function createLines(
  most: number,
  { clock = new VirtualClock() }: Partial<Pick<StreamsOptions, 'clock'>> = {},
): Streams {
  const streams = new Streams({
    ...{ most, clock },
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

it('there are none to what fails or is held, nor when none are wanted', async () => {
  const pod = listened('pod', 'https://a.example/');
  for (const [most, record] of [
    [9, { failures: 1, lastSuccess: 1 }],
    [9, { failures: 0 }],
    [9, { ...READ, heldUntil: 5 }],
    [9, { ...READ, unfinished: 1 }],
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

it('of a pod, fifty documents are listened to; an edit of another shows nothing', async () => {
  const pod = listened('pod', 'https://a.example/');
  const clock = new VirtualClock();
  const streams = createLines(200, { clock });
  streams.setSources([pod]);
  const documents = Array.from({ length: 80 }, (_, i) => [`https://a.example/${i}`, {}] as const);
  streams.polled(stored(pod.source, Object.fromEntries(documents)));
  await waitFor(() => streams.counts.open === 51);
  expect([streams.hears(pod.source), streams.hearsAll(pod.source)]).toEqual([true, false]);
  clock.pass(40 * MINUTE);
  for (const changed of [0, 1]) streams.reported(report(changed));
  await new Promise(setImmediate);
  expect(streams.counts.open).toBe(51);
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

const report = (changed: number) => ({
  source: { kind: 'pod', url: 'https://a.example/' } as const,
  ok: true,
  durationMs: 1,
  ...NO_CHANGE,
  changed,
});

it('a change that was found by a poll, and not hinted at, shows that streams are dead: they are opened anew', async () => {
  const pod = listened('pod', 'https://a.example/');
  const clock = new VirtualClock();
  const streams = createLines(9, { clock });
  streams.setSources([pod]);
  streams.polled(stored(pod.source, { 'https://a.example/doc': {} }));
  await waitFor(() => streams.counts.open === 2);
  clock.pass(20 * MINUTE);
  // That it opened is a hint: what is found then may have happened before.
  streams.reported(report(1));
  clock.pass(20 * MINUTE);
  streams.reported(report(0));
  expect(streams.counts.open).toBe(2);
  streams.reported(report(1));
  await waitFor(() => streams.counts.open === 0);
  // Of the container, and of its document.
  expect(lost).toEqual([pod.source.url, pod.source.url]);
});

it('what was missed before a stream opened is looked for when others of the source are open, too', async () => {
  const pod = listened('pod', 'https://a.example/');
  const streams = createLines(9);
  streams.setSources([pod]);
  streams.polled(stored(pod.source, { 'https://a.example/doc': {} }));
  await waitFor(() => streams.counts.open === 2);
  expect(waits).toEqual([2000, 2000]);
});

it('a pod is heard as a whole when there are streams to all of its documents', async () => {
  const pod = listened('pod', 'https://a.example/');
  const two = { 'https://a.example/one': {}, 'https://a.example/two': {} };
  for (const [most, isWhole] of [
    [3, true],
    [2, false],
  ] as const) {
    const streams = createLines(most);
    streams.setSources([pod]);
    streams.polled(stored(pod.source, two));
    await waitFor(() => streams.counts.open === most);
    expect([streams.hears(pod.source), streams.hearsAll(pod.source)]).toEqual([true, isWhole]);
  }
});

it('those that are refused take the place of no other, and documents of whoever refuses are not asked for', async () => {
  const refusing = listened('pod', 'https://static.example/');
  const asked: string[] = [];
  const stream = (document?: string) => async () => {
    asked.push(document ?? refusing.source.url);
    throw new NoStream('it offers none');
  };
  const pod = listened('pod', 'https://a.example/');
  const streams = createLines(3);
  streams.setSources([{ ...refusing, stream }, pod]);
  streams.polled(stored(refusing.source, { 'https://static.example/1': {}, 'https://static.example/2': {} }));
  streams.polled(stored(pod.source, { 'https://a.example/1': {}, 'https://a.example/2': {} }));
  await waitFor(() => streams.hearsAll(pod.source));
  expect(streams.counts.open).toBe(3);
  // Its documents were asked for before it was known that the pod itself has no streams, and not again.
  expect(asked).toEqual(['https://static.example/', 'https://static.example/1', 'https://static.example/2']);
});
