import { expect, test } from 'vitest';
import { fakeServer } from '../../support/fake-server.js';
import { configured, door, failure, learned } from '../../support/guarded-doors.js';
import { VirtualClock } from '../../support/virtual-time.js';
import { waitFor } from '../../support/wait-for.js';

/** Requests that strangers can have made at once. */
const BURST = 60;

test('of one host, strangers can have so much asked at once, and then one request a second', async () => {
  const [server, other] = await Promise.all([fakeServer(), fakeServer()]);
  server.everything({ body: 'x' });
  other.everything({ status: 302, headers: { location: server.url('/redirected') } });
  const clock = new VirtualClock();
  const fetch = door({ allowPrivate: true, clock, timeoutMs: 60_000 });
  const read = async (url: string, how: Parameters<typeof fetch>[1]) => (await fetch(url, how)).text();
  // The last two come from others, whom nobody counts: one that a stranger has named, one that the operator has.
  const named = Promise.all([
    ...Array.from({ length: BURST }, (_, i) => read(server.url(`/${i}`), learned)),
    read(other.url('/'), { ...learned, isCounted: false }),
    read(other.url('/'), configured),
  ]);
  // Both wait, and their time runs.
  await waitFor(() => server.requests.length === BURST && clock.sleeping === 4);
  await read(server.url('/configured'), configured);
  for (let i = 0; i < 3; i++) await read(server.url(`/listed/${i}`), { ...learned, isCounted: false });
  expect(server.requests).toHaveLength(BURST + 4);
  clock.pass(1000);
  await waitFor(() => server.requests.length === BURST + 5 && clock.sleeping === 2);
  const gone = new AbortController();
  const many = Array.from({ length: 2 * BURST }, () =>
    read(server.url('/given-up'), { ...learned, signal: gone.signal }),
  );
  await waitFor(() => clock.sleeping === 2 + 2 * BURST);
  gone.abort();
  await Promise.all(many.map((one) => expect(one).rejects.toThrow(failure('aborted'))));
  clock.pass(1000);
  await named;
  expect(server.requests).toHaveLength(BURST + 6);
  // Nobody waits for those who have given up, nor for times that were noted before the clock was set back.
  for (const back of [0, 3_600_000]) {
    clock.pass(-back);
    const next = read(server.url('/next'), learned);
    await waitFor(() => clock.sleeping === 1);
    clock.pass(1000);
    await next;
  }
});
