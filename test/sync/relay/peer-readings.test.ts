import { beforeEach, describe, expect, it } from 'vitest';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import type { PeerQuestion, PeerReading } from '../../../src/sync/peer/peer-request.js';
import { PeerReadings } from '../../../src/sync/relay/peer-readings.js';
import { pollProgress } from '../../support/poll-progress.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const A = 'https://a.example';
const B = 'https://b.example/';
const POD = 'https://pod.example/';
const OTHER = 'https://other.example/';
const MINUTE = 60_000;

let clock: VirtualClock;
let asked: PeerQuestion[];
let changes: number;
let answers: Record<string, () => PeerReading>;
let readings: PeerReadings;
beforeEach(() => {
  clock = new VirtualClock();
  asked = [];
  changes = 0;
  answers = {
    [A]: () => page({ [POD]: 1, [OTHER]: undefined }),
    'https://b.example': () => page({ [POD]: 2 }),
  };
  readings = new PeerReadings({
    peers: [A, B],
    request: async (question) => {
      asked.push(question);
      const answer = answers[question.url.replace('/feed/sources?kinds=pod', '')];
      return answer?.() ?? { kind: 'failed', message: 'nobody answers' };
    },
    parsing: (signal) => ({ pool: inProcess(withoutPause), lane: 'configured', signal }),
    clock,
    onChange: () => {
      changes += 1;
    },
  });
});

/** What a peer answers: its pods, and when it has seen them. */
function page(pods: Record<string, number | undefined>): PeerReading {
  const sources = Object.entries(pods).map(([url, observed]) => ({
    ...{ kind: 'pod', url, rank: 0, count: 1, position: 1, digest: '0'.repeat(32) },
    ...(observed === undefined ? {} : { observed }),
  }));
  const text = Buffer.from(JSON.stringify({ cursor: 'x.1.00000000', network: 1, sources }));
  const mark = { etag: 'W/"1"' };
  return { kind: 'whole', url: A, mediaType: 'application/json', text: new Uint8Array(text), mark };
}

const refresh = () => readings.refresh(pollProgress());

describe('which pods the configured peers read', () => {
  it('is what they say; a pod without a time is none that they read', async () => {
    expect(readings.readersOf(POD)).toEqual([]);
    await refresh();
    expect(readings.readersOf(POD)).toEqual([A, B]);
    expect(readings.readersOf(OTHER)).toEqual([]);
    expect(changes).toBe(2);
  });

  it('is asked once in a while, however many pods are polled, and with a condition', async () => {
    await Promise.all([refresh(), refresh(), refresh()]);
    expect(asked.map(({ known }) => known)).toEqual([{}, {}]);
    clock.pass(24 * MINUTE);
    await refresh();
    expect(asked.length).toBe(2);
    clock.pass(MINUTE);
    answers[A] = () => ({ kind: 'unchanged', mark: {} });
    await refresh();
    expect(asked.slice(2).map(({ known }) => known)).toEqual([{ etag: 'W/"1"' }, { etag: 'W/"1"' }]);
    expect(readings.readersOf(POD)).toEqual([A, B]);
    expect(changes).toBe(2);
  });

  it('is told when one reads another pod, or one no longer', async () => {
    await refresh();
    clock.pass(25 * MINUTE);
    answers[A] = () => page({ [OTHER]: 3 });
    await refresh();
    expect(readings.readersOf(POD)).toEqual([B]);
    expect(readings.readersOf(OTHER)).toEqual([A]);
    expect(changes).toBe(3);
  });

  it('is nothing any more of a peer that has not answered for long', async () => {
    await refresh();
    answers = {};
    for (let minutes = 0; minutes < 75; minutes += 25) {
      clock.pass(25 * MINUTE);
      await refresh();
      expect(readings.readersOf(POD)).toEqual([A, B]);
    }
    clock.pass(6 * MINUTE);
    expect(readings.readersOf(POD)).toEqual([]);
  });

  it('is nothing of one that has no feed, or says what is none', async () => {
    answers[A] = () => ({ kind: 'failed', message: 'answers 404', status: 404 });
    const text = new Uint8Array(Buffer.from('{"no": "feed"}'));
    answers['https://b.example'] = () => ({ ...page({}), kind: 'whole', text }) as PeerReading;
    await refresh();
    expect(readings.readersOf(POD)).toEqual([]);
  });

  it('is asked for again when the poll that has asked was stopped, and others do not end with it', async () => {
    const stop = new AbortController();
    answers[A] = () => {
      stop.abort(new Error('stopped'));
      throw stop.signal.reason;
    };
    const [stopped, other] = await Promise.allSettled([
      readings.refresh(pollProgress(stop.signal)),
      refresh(),
    ]);
    expect([stopped.status, other.status]).toEqual(['rejected', 'fulfilled']);
    answers[A] = () => page({ [POD]: 1 });
    await refresh();
    expect(readings.readersOf(POD)).toEqual([A, B]);
  });

  it('is asked anew when the clock was put back', async () => {
    await refresh();
    clock.pass(-60 * MINUTE);
    await refresh();
    expect(asked.length).toBe(4);
  });
});
