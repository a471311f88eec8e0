import { beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { type ListenedSource, Streams } from '../../../src/sync/push/streams.js';
import { NoStream } from '../../../src/sync/source-reader.js';
import { cleanup } from '../../support/cleanup.js';
import { VirtualClock } from '../../support/virtual-time.js';
import { waitFor } from '../../support/wait-for.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('a stream', () => {
  const SOURCE: Source = { kind: 'peer', url: 'https://peer.example' };
  let clock: VirtualClock;
  let streams: Streams;
  /** After how many ms the hints are to be followed. */
  let told: number[];
  /** How long it might stay open, each time, in minutes. */
  let lives: number[];
  /** What stops each of them. */
  let signals: AbortSignal[];
  let send: (what: 'hint' | 'end' | Error) => void;
  beforeEach(() => {
    clock = new VirtualClock();
    [told, lives, signals] = [[], [], []];
  });
  const isOpen = () => streams.hears(SOURCE);

  async function* hintsUntil(signal: AbortSignal): AsyncGenerator<undefined> {
    for (;;) {
      const what = await new Promise<'hint' | 'end' | Error>((resolve, reject) => {
        send = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      if (what === 'end') return;
      if (what instanceof Error) throw what;
      yield undefined;
    }
  }
  /** @param answer what the other side does when the stream is opened */
  function begin(answer: () => void = () => clock.pass(SECOND)): void {
    const open = async (signal: AbortSignal, life: number) => {
      lives.push(life / MINUTE);
      signals.push(signal);
      answer();
      return hintsUntil(signal);
    };
    const onHint = (_: Source, after: number) => told.push(after);
    streams = new Streams({ most: 1, clock, random: () => 0.5, onHint });
    cleanup(() => streams.stop());
    streams.setSources([{ source: SOURCE, trust: 'configured', stream: () => open }]);
    streams.polled({ source: SOURCE, record: { failures: 0, lastSuccess: 1 }, documents: new Map() });
  }
  /** After so much time it has been opened once more, and not before. */
  async function opensAgainAfter(ms: number): Promise<void> {
    const before = lives.length;
    await waitFor(() => clock.sleeping === 1);
    clock.pass(ms - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lives).toHaveLength(before);
    clock.pass(1);
    await waitFor(() => lives.length === before + 1);
  }

  // Node.js remembers what `AbortSignal.any` makes of a signal for as long as that is there: a source's has no end.
  it('has a signal of its own each time that it is opened, which is aborted with its source', async () => {
    begin();
    await waitFor(isOpen);
    send('end');
    await opensAgainAfter(1500);
    const [first, second] = signals;
    expect(second).not.toBe(first);
    await waitFor(isOpen);
    streams.stop();
    expect([first?.aborted, second?.aborted]).toEqual([false, true]);
  });

  it('hints when it opens, because nobody knows what was missed, at each hint, and when it breaks', async () => {
    begin();
    await waitFor(isOpen);
    send('hint');
    await waitFor(() => told.length === 2);
    send('end');
    await waitFor(() => !isOpen());
    expect(told).toEqual([2000, 0, 0]);
  });

  it.each([
    ['at once', 0],
    ['after minutes without a word', 3 * MINUTE],
  ])('that is refused %s is tried after longer and longer waits up to five minutes', async (_, ms) => {
    begin(() => {
      clock.pass(ms);
      throw new Error('refused');
    });
    for (const seconds of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) await opensAgainAfter(seconds * 750);
  });

  it('after one that was good, waits as at first', async () => {
    begin();
    for (const _ of ['twice', 'three times']) {
      await waitFor(isOpen);
      clock.pass(MINUTE);
      send('end');
      await waitFor(() => !isOpen());
      await opensAgainAfter(750);
    }
  });

  it('that is not offered is asked for again after a day, or when the other side says', async () => {
    let failure: NoStream | undefined = new NoStream('404');
    begin(() => {
      if (failure) throw failure;
    });
    await waitFor(() => clock.sleeping === 1);
    failure = new NoStream('busy', clock.now() + 24 * 60 * MINUTE + 100 * SECOND);
    await opensAgainAfter(24 * 60 * MINUTE);
    failure = undefined;
    await opensAgainAfter(100 * SECOND);
    await waitFor(isOpen);
    expect(told).toEqual([2000]);
  });

  it('is opened again once in a while, because its connection may have died; that is no loss', async () => {
    begin();
    await waitFor(isOpen);
    clock.pass(45 * MINUTE - SECOND);
    send(new Error('its time is over'));
    await waitFor(() => !isOpen());
    await opensAgainAfter(750);
    await waitFor(isOpen);
    expect([told, lives]).toEqual([
      [2000, 2000],
      [45, 45],
    ]);
  });
});

describe('the streams of a node', () => {
  /** Topics to which a stream is open. */
  let open: Set<string>;
  let hints: string[];
  beforeEach(() => {
    [open, hints] = [new Set(), []];
  });

  const pod = listened('pod', 'https://a.example/');
  const learned = listened('pod', 'https://learned.example/', 'learned');
  const peer = listened('peer', 'https://peer.example');

  function streamsOf(most: number, ...sources: ListenedSource[]): Streams {
    const onHint = ({ url }: Source) => hints.push(url);
    const streams = new Streams({ most, clock: new VirtualClock(), random: () => 0.5, onHint });
    cleanup(() => streams.stop());
    streams.setSources(sources);
    return streams;
  }
  function listened(kind: Source['kind'], url: string, trust: 'configured' | 'learned' = 'configured') {
    const stream = (document?: string) => async (signal: AbortSignal) => {
      open.add(document ?? url);
      return (async function* () {
        yield* [];
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      })();
    };
    return { source: { kind, url }, trust, stream };
  }
  /** @param documents how many components each of them describes, by their names */
  function stored({ source }: ListenedSource, documents: Record<string, number> = {}, record = {}) {
    const named = Object.entries(documents).map(
      ([name, components]) => [`${source.url}${name}`, { components }] as const,
    );
    return { source, record: { failures: 0, lastSuccess: 1, ...record }, documents: new Map(named) };
  }

  it('follow what the sources consist of, and end with them', async () => {
    const streams = streamsOf(9, pod, peer);
    streams.polled(stored(learned));
    expect(open).toEqual(new Set());
    streams.polled(stored(pod, { one: 1, two: 1 }));
    streams.polled(stored(peer));
    await waitFor(() => streams.counts.open === 4 && open.size === 4);
    streams.polled(stored(pod, { one: 1 }));
    await waitFor(() => streams.counts.open === 3 && streams.hears(peer.source));
    expect(hints).toContain(peer.source.url);
    streams.setSources([peer]);
    await waitFor(() => streams.counts.open === 1);
    expect(streams.hears(pod.source)).toBe(false);
  });

  it('are none to what fails, nor where none are wanted', async () => {
    for (const [most, record] of [
      [9, { failures: 1 }],
      [9, { lastSuccess: undefined }],
      [0, {}],
    ] as const)
      streamsOf(most, pod).polled(stored(pod, {}, record));
    await new Promise((resolve) => setImmediate(resolve));
    expect(open.size).toBe(0);
  });

  it('take no slot for who has none to give, and none is asked for documents of such a pod', async () => {
    const asked: string[] = [];
    const refusing = Array.from({ length: 5 }, (_, i) => ({
      ...listened('pod', `https://static${i}.example/`),
      stream: (document?: string) => async () => {
        asked.push(document ?? '');
        throw new NoStream('it offers none');
      },
    }));
    const streams = streamsOf(3, ...refusing, learned);
    for (const one of refusing) streams.polled(stored(one, { doc: 1 }));
    streams.polled(stored(learned, { 1: 1, 2: 1 }));
    await waitFor(() => streams.counts.open === 3);
    expect([...open].sort()).toEqual(['', '1', '2'].map((name) => `https://learned.example/${name}`));
    const documents = asked.filter((url) => url !== '');
    // What was asked for before it was known that the pod itself has no streams is not asked for again.
    expect(new Set(documents).size).toBe(documents.length);
  });
});
