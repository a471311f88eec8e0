import { beforeEach, describe, expect, it } from 'vitest';
import type { DocumentChange } from '../../src/core/document-change.js';
import { systemClock } from '../../src/lib/clock.js';
import { createGuardedFetch, type GuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import { withoutPause } from '../../src/lib/pace.js';
import { decoded } from '../../src/lib/pool/handed-text.js';
import { inProcess, type TaskPool } from '../../src/lib/pool/task.js';
import { pollOnce } from '../../src/sync/schedule/poll.js';
import { StorageQuota } from '../../src/sync/schedule/storage-quota.js';
import {
  type PollProgress,
  type PollResult,
  PollTimeout,
  type SyncSource,
} from '../../src/sync/sync-source.js';
import { cleanup } from '../support/cleanup.js';
import { type FakeAnswer, type FakeServer, fakeServer, inTurtle, redirect } from '../support/fake-server.js';
import { pollProgress } from '../support/poll-progress.js';
import { memoryRegistry, type TestRegistry } from '../support/registry.js';
import { waitFor } from '../support/wait-for.js';

/** A kind of source and, behind it, somebody on a real server who says what a test wants. */
export interface OtherSide {
  /** Makes it have exactly these documents, with so many components each: `d0`, `d1`, … for a document `d`. */
  say(documents: Readonly<Record<string, number>>): void;
  /** Everything that it is asked for answers this; nothing does any more when it is absent. */
  break(fault?: FakeAnswer): void;
  /** A part of its answer does not come any more: what this is about must not be taken for removed. */
  breakPart(): void;
  /** The source, as after a start of the node. */
  source(parts: { fetch: GuardedFetch; pool: TaskPool }): SyncSource;
  /** Does the result hold what could be read while a document `c` was still parsed? */
  hasReadTheRest(result: PollResult): boolean;
  /** Answers with a body since the last call, except of listings that have to be read each time. */
  bodies(): number;
}

const FAULTS: readonly (readonly [what: string, fault: FakeAnswer])[] = [
  ...[301, 400, 401, 403, 404, 406, 410, 418, 429, 500, 503].map(
    (status) => [`answers ${status}`, { status }] as const,
  ),
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

/** What every kind of source does: `SyncSource`, sentence by sentence. Call it in the test file of a source. */
export function sourceContract(name: string, createSide: (server: FakeServer) => OtherSide): void {
  describe(`the contract of sources: ${name}`, () => {
    let registry: TestRegistry;
    let side: OtherSide;
    let server: FakeServer;
    const fetch = createGuardedFetch({
      userAgent: 't',
      allowPrivate: true,
      maxBytes: 1e7,
      timeoutMs: 20_000,
    });
    const hasty = createGuardedFetch({ userAgent: 't', allowPrivate: true, maxBytes: 1e5, timeoutMs: 200 });

    beforeEach(async () => {
      server = await fakeServer();
      cleanup(() => server.close());
      registry = await memoryRegistry();
      side = createSide(server);
      side.say({ a: 1, b: 1 });
    });
    cleanup(() => fetch.close());
    cleanup(() => hasty.close());

    interface Circumstances {
      readonly fetch?: GuardedFetch;
      readonly pool?: TaskPool;
      readonly signal?: AbortSignal;
      readonly progress?: Partial<PollProgress>;
    }
    /** Polls as after a start of the node, and stores the result. */
    async function poll({
      pool = inProcess(withoutPause),
      signal,
      progress,
      ...more
    }: Circumstances = {}): Promise<PollResult> {
      const source = side.source({ fetch: more.fetch ?? fetch, pool });
      const result = await source.poll(await registry.source(source.source), pollProgress(signal, progress));
      const record = result.remember ?? ((current) => current);
      await registry.commit({
        source: source.source,
        documents: result.documents,
        record: (current) => ({ ...current, ...record(current) }),
      });
      return result;
    }
    const served = () => registry.labels();
    const removals = ({ documents }: PollResult) => documents.filter(({ record }) => record === null);
    /** A pool that does not come to the end of some bodies, and tells how many it is at. */
    function slowPool(isSlow: (body: string) => boolean) {
      const state = { slow: 0, running: 0 };
      const pool: TaskPool = {
        async *run(task, input, options) {
          if (isSlow(JSON.stringify(decoded(input)))) {
            state.slow += 1;
            await new Promise((_, reject) => {
              options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
            });
          }
          state.running += 1;
          yield* inProcess(withoutPause).run(task, input, options);
          state.running -= 1;
        },
      };
      return { pool, state };
    }

    it('finds what the other side says, and stores nothing by itself', async () => {
      const source = side.source({ fetch, pool: inProcess(withoutPause) });
      const { documents } = await source.poll(undefined, pollProgress());
      expect(documents.flatMap(({ components = [] }) => components.map(({ label }) => label)).sort()).toEqual(
        ['a0', 'b0'],
      );
      expect(await served()).toEqual([]);
    });

    it('removes what a complete answer does not name any more', async () => {
      await poll();
      side.say({ b: 2, c: 1 });
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['b0', 'b1', 'c0']);
    });

    it.each(FAULTS)('does not reject, and removes nothing, when the other side %s', async (_, fault) => {
      await poll();
      side.break(fault);
      const result = await poll({ fetch: hasty });
      expect(result.failure?.message).toEqual(expect.stringMatching(/\w/));
      expect(removals(result)).toEqual([]);
      expect(await served()).toEqual(['a0', 'b0']);
      side.break();
      side.say({ a: 2, b: 1 });
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['a0', 'a1', 'b0']);
    });

    it('removes nothing that the part which did not come may hold', async () => {
      await poll();
      side.breakPart();
      expect(removals(await poll({ fetch: hasty }))).toEqual([]);
      expect(await served()).toEqual(expect.arrayContaining(['a0', 'b0']));
    });

    it('moves no bodies and changes nothing when nothing is new, also after a restart', async () => {
      await poll();
      side.bodies();
      expect(await poll()).toMatchObject({ documents: [] });
      expect(side.bodies()).toBe(0);
    });

    it('announces each body before it is parsed', async () => {
      const events: string[] = [];
      const pool: TaskPool = {
        run(task, input, options) {
          events.push(`parse ${options.size}`);
          return inProcess(withoutPause).run(task, input, options);
        },
      };
      const beforeParsing = async (characters: number) => {
        await Promise.resolve();
        events.push(`announce ${characters}`);
      };
      await poll({ pool, progress: { beforeParsing } });
      const parsed = events.filter((event) => event.startsWith('parse'));
      expect(parsed.length).toBeGreaterThan(0);
      for (const event of parsed) {
        const announced = events.indexOf(event.replace('parse', 'announce'));
        expect(announced).toBeGreaterThanOrEqual(0);
        expect(announced).toBeLessThan(events.indexOf(event));
      }
    });

    it('keeps what it has read when its time is over, and leaves the rest as it was', async () => {
      await poll();
      side.say({ b: 2, c: 1 });
      const { pool, state } = slowPool((body) => body.includes('/c0.js'));
      const time = new AbortController();
      const polled = poll({ pool, signal: time.signal });
      await waitFor(() => state.slow > 0 && state.running === 0);
      time.abort(new PollTimeout('over'));
      const result = await polled;
      expect(result.failure?.message).toEqual(expect.stringMatching(/\w/));
      expect(side.hasReadTheRest(result)).toBe(true);
      expect(JSON.stringify(result.documents)).not.toContain('"error"');
      expect(await served()).toEqual(expect.arrayContaining(['b0']));
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['b0', 'b1', 'c0']);
    });

    it.each(['waits for an answer', 'waits for its parser', 'has not begun'])(
      'rejects at once with the reason when it is stopped while it %s',
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

    it('counts what is more than the node keeps of it', async () => {
      side.say({ a: 1, b: 1, c: 1, d: 2 });
      const source = side.source({ fetch, pool: inProcess(withoutPause) });
      const quota = new StorageQuota({ maxComponents: 3, maxLearnedComponents: 3 });
      quota.set(source.source, source.trust, undefined);
      const polling = {
        ...{ registry, catalog: registry.catalog, clock: systemClock, pace: withoutPause, quota },
        ...{ nextAttempt: () => 0, acceptsShrink: () => false },
      };
      const { after } = await pollOnce(source, polling, new AbortController().signal);
      const stored = await registry.source(source.source);
      const omitted = [...(stored?.documents.values() ?? [])].reduce(
        (sum, one) => sum + (one.omitted ?? 0),
        0,
      );
      expect(await served()).toEqual(['a0', 'b0', 'c0']);
      expect(omitted + (after.unread ?? 0)).toBeGreaterThan(0);
    });

    it('hands over each document once, whole, in portions or with the result', async () => {
      side.say({ a: 5000, b: 5000, c: 1000 });
      const handed: DocumentChange[] = [];
      const store = async (documents: readonly DocumentChange[]) => {
        handed.push(...documents);
      };
      const { documents } = await poll({ progress: { store } });
      handed.push(...documents);
      const described = handed.filter(({ components = [] }) => components.length > 0);
      const sizes = described.map(({ components }) => components?.length ?? 0);
      expect(sizes.sort((one, other) => other - one)).toEqual([5000, 5000, 1000]);
      expect(new Set(handed.map(({ url }) => url)).size).toBe(handed.length);
    }, 30_000);
  });
}
