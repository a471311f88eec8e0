import { expect, it } from 'vitest';
import { NoStream, Stream } from '../../../src/sync/push/stream.js';
import { cleanup } from '../../support/cleanup.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;

/** A stream, and the other side of it. */
class Rig {
  readonly clock = new VirtualClock();
  readonly events: string[] = [];
  opened = 0;
  /** How long it may stay open, each time, in minutes. */
  readonly lives: number[] = [];
  /** Sends a hint, or ends the stream. */
  send: (what: 'hint' | 'end' | Error) => void = () => undefined;
  readonly stream: Stream;

  /** `answer`: what the other side does when the stream is opened. */
  constructor(public answer: () => Promise<void> = async () => undefined) {
    this.stream = new Stream({
      open: async (signal, life) => {
        this.opened += 1;
        this.lives.push(life / (60 * SECOND));
        await this.answer();
        return this.#hints(signal);
      },
      clock: this.clock,
      random: () => 0.5,
      onHint: () => this.events.push('hint'),
      onOpened: () => this.events.push('open'),
      onLost: (isBroken) => this.events.push(isBroken ? 'broken' : 'ended'),
      onRefused: () => this.events.push(this.stream.isRefused ? 'refused' : 'taken'),
    });
    cleanup(() => this.stream.stop());
  }

  /** After so much time it has been opened once more, and not before. */
  async opensAgainAfter(ms: number): Promise<void> {
    const { opened } = this;
    await new Promise((resolve) => setImmediate(resolve));
    this.clock.pass(ms - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(this.opened).toBe(opened);
    this.clock.pass(1);
    await waitFor(() => this.opened === opened + 1);
  }

  async *#hints(signal: AbortSignal): AsyncGenerator<undefined> {
    for (;;) {
      const what = await new Promise<'hint' | 'end' | Error>((resolve, reject) => {
        this.send = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      if (what === 'end') return;
      if (what instanceof Error) throw what;
      yield undefined;
    }
  }
}

it('tells that it has opened, because nobody knows what was missed, and then of each hint', async () => {
  const rig = new Rig();
  await waitFor(() => rig.stream.isOpen);
  rig.send('hint');
  await waitFor(() => rig.events.length === 2);
  await rig.stream.stop();
  expect(rig.events).toEqual(['open', 'hint', 'ended']);
  expect(rig.opened).toBe(1);
});

it('is opened again when it ends, after longer and longer waits up to five minutes', async () => {
  const rig = new Rig(() => Promise.reject(new Error('refused')));
  await waitFor(() => rig.clock.sleeping === 1);
  for (const seconds of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    await rig.opensAgainAfter(seconds * 750);
  }
});

it('after a stream that was good, the waits begin anew', async () => {
  const rig = new Rig();
  for (const _ of ['twice', 'three times']) {
    await waitFor(() => rig.stream.isOpen);
    rig.clock.pass(60 * SECOND);
    rig.send('end');
    await waitFor(() => !rig.stream.isOpen);
    await rig.opensAgainAfter(750);
  }
  expect(rig.events.filter((event) => event === 'broken')).toHaveLength(2);
});

it('who has no stream is asked again after a day, or when they say', async () => {
  const rig = new Rig(() => Promise.reject(new NoStream('404')));
  await waitFor(() => rig.clock.sleeping === 1);
  rig.answer = () => Promise.reject(new NoStream('busy', rig.clock.now() + 100 * SECOND));
  await rig.opensAgainAfter(DAY);
  await waitFor(() => rig.clock.sleeping === 1);
  expect(rig.events).toEqual(['refused']);
  rig.answer = async () => undefined;
  await rig.opensAgainAfter(100 * SECOND);
  await waitFor(() => rig.stream.isOpen);
  expect(rig.events).toEqual(['refused', 'taken', 'open']);
});

it('is opened again once in a while, because its connection may have died; that is no loss', async () => {
  const rig = new Rig();
  await waitFor(() => rig.stream.isOpen);
  rig.clock.pass(45 * 60 * SECOND);
  rig.send(new Error('its time is over'));
  await waitFor(() => !rig.stream.isOpen);
  await rig.opensAgainAfter(750);
  await waitFor(() => rig.stream.isOpen);
  rig.send('end');
  await waitFor(() => !rig.stream.isOpen);
  expect(rig.events).toEqual(['open', 'ended', 'open', 'broken']);
  expect(rig.lives).toEqual([45, 45]);
});
