import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import type { GuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import { decoded, inProcess, type TaskPool } from '../../src/lib/pool/task.js';
import { PollTimeout, type SourceReader } from '../../src/sync/source-reader.js';
import { type FakeAnswer, type FakeServer, fakeServer, inTurtle, redirect } from '../support/fake-server.js';
import { door } from '../support/guarded-doors.js';
import { type PollCircumstances, pollReader, type WholeReading } from '../support/read-source.js';
import { memoryRegistry, type TestRegistry } from '../support/registry.js';
import { waitFor } from '../support/wait-for.js';

/** A pod or a peer that does what a test wants. */
export interface OtherSide {
  /** Makes it have exactly these documents, with so many components each: `d0`, `d1`, … for a document `d`. */
  say(documents: Readonly<Record<string, number>>): Promise<void>;
  /** Everything that it is asked for answers this; nothing does any more when it is absent. */
  break(fault?: FakeAnswer): void;
  /** A part of its answer does not come any more: what this is about must not be taken for removed. */
  breakPart?(): void;
  /** The reader, as after a start of the node. */
  reader(parts: { fetch: GuardedFetch; pool: TaskPool }): SourceReader;
  /** Answers with a body since the last call, except of listings that have to be read each time. */
  bodies(): number;
}

const FAULTS: readonly (readonly [what: string, fault: FakeAnswer])[] = [
  ...[301, 401, 404, 406, 410, 429, 500].map((status) => [`answers ${status}`, { status }] as const),
  ['closes the connection', { drop: true }],
  ['says nothing', { hang: 'answer' }],
  ['stops in the middle', { ...inTurtle('<a> <b> <c>.'), hang: 'body' }],
  ['breaks off', { ...inTurtle('<a> <b> <c>.'), truncate: 'length' }],
  ['never ends', { ...inTurtle('# more\n'), endless: true }],
  ['is HTML', { body: '<p>Log in</p>', headers: { 'content-type': 'text/html' } }],
  ['has no content type', { body: 'x' }],
  ['is not Turtle', inTurtle('<> <')],
  ['is not UTF-8', inTurtle(Buffer.from([0x23, 0xff, 0xfe]))],
  ['is not JSON', { body: '{', headers: { 'content-type': 'application/ld+json' } }],
  ['leads in a circle', redirect('/again')],
];

/**
 * What every reader does: `SourceReader`, sentence by sentence. Call it in the test file of a reader. `hasParts`: does the source come
 * in more than one answer?
 */
export function sourceContract(
  name: string,
  createSide: (server: FakeServer) => Promise<OtherSide>,
  hasParts = true,
): void {
  describe(`the contract of readers: ${name}`, () => {
    let registry: TestRegistry;
    let side: OtherSide;
    let server: FakeServer;
    const fetch = door({ allowPrivate: true, maxBytes: 1e7, timeoutMs: 60_000 });
    const hasty = door({ allowPrivate: true, timeoutMs: 200 });

    beforeEach(async () => {
      server = await fakeServer();
      registry = await memoryRegistry();
      side = await createSide(server);
      await side.say({ a: 1, b: 1 });
    });

    /** Polls as after a start of the node, and gives what was read. `pollReader` holds it to the order of batches. */
    async function poll({
      pool = inProcess,
      time,
      signal,
      ...more
    }: Pick<PollCircumstances, 'signal' | 'time'> & {
      fetch?: GuardedFetch;
      pool?: TaskPool;
    } = {}): Promise<WholeReading> {
      const reader = side.reader({ fetch: more.fetch ?? fetch, pool });
      return (await pollReader(registry, reader, systemClock, { signal, time })).reading;
    }
    const served = () => registry.labels();
    /** A pool that does not come to the end of some bodies, and tells how many it is at. */
    function slowPool(isSlow: (body: string) => boolean) {
      const state = { slow: 0, running: 0 };
      const pool: TaskPool = {
        async run(task, input, options) {
          if (isSlow(JSON.stringify(decoded(input)))) {
            state.slow += 1;
            await new Promise((_, reject) => {
              options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
            });
          }
          state.running += 1;
          const result = await inProcess.run(task, input, options);
          state.running -= 1;
          return result;
        },
      };
      return { pool, state };
    }

    it('says what the other side says', async () => {
      expect(await poll()).toMatchObject({ complete: true, gone: [] });
      expect(await served()).toEqual(['a0', 'b0']);
    });

    it('gives as gone what a complete answer does not name any more', async () => {
      await poll();
      await side.say({ b: 2, c: 1 });
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['b0', 'b1', 'c0']);
    });

    it.each(FAULTS)('does not throw, and nothing is gone, when the other side %s', async (_, fault) => {
      await poll();
      side.break(fault);
      const reading = await poll({ fetch: hasty });
      expect(reading).toMatchObject({ complete: false, gone: [] });
      expect(reading.failure?.message).toEqual(expect.stringMatching(/\w/));
      expect(await served()).toEqual(['a0', 'b0']);
      side.break();
      await side.say({ a: 2, b: 1 });
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['a0', 'a1', 'b0']);
    });

    if (hasParts) {
      it('gives nothing as gone that the part which did not come may hold', async () => {
        await poll();
        side.breakPart?.();
        expect((await poll({ fetch: hasty })).gone).toEqual([]);
        expect(await served()).toEqual(expect.arrayContaining(['a0', 'b0']));
      });
    }

    it('moves no bodies and says nothing when nothing is new, also after a restart', async () => {
      await poll();
      side.bodies();
      expect(await poll()).toMatchObject({ put: [], gone: [], complete: true });
      expect(side.bodies()).toBe(0);
    });

    it('ends soon when its time is over, and leaves what was under way as it was', async () => {
      await poll();
      await side.say({ b: 2, c: 1 });
      const { pool, state } = slowPool((body) => body.includes('/c0.js'));
      const time = new AbortController();
      const polled = poll({ pool, time: time.signal });
      await waitFor(() => state.slow > 0 && state.running === 0);
      time.abort(new PollTimeout('over'));
      const reading = await polled;
      expect(reading.failure?.message).toContain('the poll was cut short; the next one goes on from here');
      expect(reading).toMatchObject({ complete: false, gone: [] });
      expect(JSON.stringify(reading.put)).not.toContain('"error"');
      expect(await served()).toEqual(expect.arrayContaining(['b0']));
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['b0', 'b1', 'c0']);
    });

    it.each(['waits for an answer', 'waits for its parser', 'has not begun'])(
      'throws the reason at once when it is stopped while it %s',
      async (when) => {
        const stop = new AbortController();
        const { pool, state } = slowPool(() => when === 'waits for its parser');
        if (when === 'waits for an answer') side.break({ hang: 'answer' });
        if (when === 'has not begun') stop.abort(new Error('stopping'));
        const polled = poll({ pool, signal: stop.signal });
        const rejected = expect(polled).rejects.toThrow('stopping');
        if (when === 'waits for an answer') await waitFor(() => server.requests.length > 0);
        if (when === 'waits for its parser') await waitFor(() => state.slow > 0);
        stop.abort(new Error('stopping'));
        await rejected;
      },
    );

    it('reads everything when it cannot use what is remembered', async () => {
      const { source } = side.reader({ fetch, pool: inProcess });
      const record = { failures: 0, memo: { readAs: 'something else' } };
      await registry.commit({ source, documents: [], record: () => record });
      await poll();
      expect(await served()).toEqual(['a0', 'b0']);
    });
  });
}
