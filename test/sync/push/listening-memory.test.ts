import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import type { FetchRequest } from '../../../src/lib/fetch/guarded-fetch.js';
import { listen } from '../../../src/sync/push/listening.js';
import { STREAM_LIFE } from '../../../src/sync/push/stream.js';
import { VirtualClock } from '../../support/virtual-clock.js';

it('listening takes no more memory the longer it lives', async () => {
  const clock = new VirtualClock();
  let speak: (piece: Uint8Array) => void = () => undefined;
  const body = (async function* () {
    for (;;) yield await new Promise<Uint8Array>((resolve) => (speak = resolve));
  })();
  const answer = { status: 200, url: '', headers: new Headers(), body };
  const bytes = async () => new Uint8Array(0);
  let isOver = () => true;
  const fetch = async (_: string, { signal }: FetchRequest) => {
    isOver = () => signal?.aborted ?? true;
    return { ...answer, bytes, text: async () => '', discard: async () => undefined };
  };
  const abort = new AbortController();
  const life = { signal: abort.signal, life: STREAM_LIFE, silence: 1000 };
  const listened = await listen({ fetch, clock }, 'https://peer.example', { trust: 'configured' }, life);
  void (async () => {
    for await (const _ of listened.body);
  })();
  const hear = async (times: number) => {
    for (let i = 0; i < times; i++) {
      clock.pass(900);
      speak(new Uint8Array(1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return queryObjects(Promise, { format: 'count' });
  };
  const before = await hear(10);
  expect(await hear(1000)).toBeLessThan(before + 100);
  expect(isOver()).toBe(false);
  abort.abort();
});
