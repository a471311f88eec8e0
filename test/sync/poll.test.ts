import { getEventListeners, once } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { takenFrom } from '../../src/component/provenance.js';
import type { Batch } from '../../src/core/reading.js';
import type { StoredSource } from '../../src/core/source-record.js';
import { StorageFailure } from '../../src/lib/faults.js';
import { withoutPause } from '../../src/lib/pace.js';
import { pollOnce } from '../../src/sync/poll.js';
import { Room } from '../../src/sync/room.js';
import { PollTimeout } from '../../src/sync/source-reader.js';
import { component, named } from '../support/registry.js';
import { MINUTE, SchedulerRig } from '../support/scheduler-rig.js';
import { waitFor } from '../support/wait-for.js';

const NO_READING = { put: [], gone: [], isLast: true, complete: true } as const;

describe('a poll', () => {
  let rig: SchedulerRig;
  let url: string;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
    url = `${rig.a.source.url}d`;
    await rig.scheduler.setSources([rig.a, rig.b]);
  });

  const many = (prefix: string, count: number) =>
    named(...Array.from({ length: count }, (_, i) => `${prefix}${i}`));
  const read = (name: string, components: readonly Metadata[], record = {}) => ({
    ...{ url: `${rig.a.source.url}${name}`, components, record },
  });
  const served = () => rig.registry.labels();
  const record = () => rig.record(rig.a);
  async function* signalOf(signal: AbortSignal, then: () => Batch): AsyncGenerator<Batch> {
    await once(signal, 'abort');
    yield then();
  }

  it('stores what it found together with what is remembered of the source', async () => {
    const memo = { memo: { cursor: 'c' }, introduced: { peers: [], storage: [] } };
    const report = await rig.poll({ put: [read('d', named('x'), { etag: '"1"' })], unread: 2, memo });
    const examples = { added: [{ uri: component('x').uri, label: 'x' }], changed: [], removed: [] };
    const [counts, source] = [{ added: 1, changed: 0, removed: 0, examples }, rig.a.source];
    expect(report).toEqual({ source, ok: true, durationMs: 0, ...counts });
    const [at, planned] = [rig.clock.now(), rig.timetable.next() + 1.25 * MINUTE];
    const times = { lastAttempt: at, firstSuccess: at, lastSuccess: at, nextAttempt: planned };
    expect(await record()).toEqual({ ...times, failures: 0, unread: 2, ...memo });
    expect(rig.commits).toHaveLength(1);
  });

  it('stores what comes in several batches at once: what is gone goes with all that is said', async () => {
    await rig.poll({ put: [read('old', named('old'))] });
    const last = { put: [read('y', named('y'))], gone: [`${rig.a.source.url}old`] };
    await rig.poll([{ put: [read('x', named('x'))] }, last]);
    expect(rig.commits[1]?.documents).toHaveLength(3);
    expect(await served()).toEqual(['x', 'y']);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['throws', 'x is not a function', () => Promise.reject(new TypeError('x is not a function'))],
    ['has no end', 'it has no end', async () => undefined],
  ])('survives a reader that %s, and keeps what others have noted meanwhile', async (_, error, fault) => {
    await rig.poll({ memo: { memo: { seen: 'old' } } });
    rig.a.read = async function* (): AsyncGenerator<Batch> {
      const { source } = rig.a;
      const note = (current: object) => ({ failures: 0, ...current, memo: { seen: 'new' } });
      await rig.registry.commit({ source, documents: [], record: note });
      await fault();
    };
    const [one, other] = await rig.scheduler.pollNow();
    expect([one?.ok, other?.ok]).toEqual([false, true]);
    expect((await record())?.error).toContain(error);
    expect(await record()).toMatchObject({ failures: 1, memo: { seen: 'new' } });
  });

  it.each([
    ['learned', 2],
    ['configured', 10],
  ] as const)(
    'of a %s source has an end after %i minutes: what was read until then counts',
    async (trust, minutes) => {
      rig.a.trust = trust;
      rig.a.read = (_, _limits, signal) =>
        signalOf(signal, () => {
          expect(signal.reason).toBeInstanceOf(PollTimeout);
          return { ...NO_READING, put: [read('d', named('x'))], failure: { message: 'cut short' } };
        });
      const polled = rig.scheduler.pollNow(rig.a.source.url);
      await waitFor(() => rig.underWay === 1);
      rig.clock.pass(minutes * MINUTE);
      await polled;
      expect(await served()).toEqual(['x']);
      expect(await record()).toMatchObject({ failures: 1, error: 'cut short' });
    },
  );

  // With a signal, Node.js remembers all those that `AbortSignal.any` made of it, for as long as it is there.
  it('leaves nothing behind with the signal that stops all polls of its source', async () => {
    const { registry, clock, limits } = rig;
    const stop = new AbortController().signal;
    const room = new Room({ limits, sources: () => registry.sources(), isConfigured: () => true });
    const planned = () => ({ due: clock.now() + MINUTE, notBefore: 0 });
    const parts = {
      registry,
      commit: registry.commit,
      room,
      rules: () => undefined,
      clock,
      pace: withoutPause,
    };
    await pollOnce(rig.a, { ...parts, acceptsShrink: false, plan: planned }, stop);
    const symbol = Object.getOwnPropertySymbols(stop).find((one) => /dependant/i.test(`${one.description}`));
    expect((symbol && Reflect.get(stop, symbol))?.size ?? 0).toBe(0);
    expect(getEventListeners(stop, 'abort')).toEqual([]);
  });

  it('of digests that do not agree drops what is not taken any more all the same', async () => {
    await rig.poll({
      put: [read('d', named('a')), read('e', named('e'), { of: 'pod https://pod.example/' })],
    });
    const isE = (graph: string) => (graph.endsWith('/e') ? graph : undefined);
    rig.rules = { peer: 'https://a.example/', isMirror: false, read: isE };
    const digests = new Map([['local urn:x', 'other']]);
    await rig.poll({ put: [read('d', named('x'), { of: 'local urn:x' })], digests });
    expect(await served()).toEqual(['a']);
  });

  it('reads all of a peer of which more is taken than was, until that has been stored', async () => {
    const PEER = 'https://a.example/';
    const cursors: unknown[] = [];
    const { read: readNext } = rig.a;
    rig.a.read = (stored, limits, signal) => {
      cursors.push((stored as StoredSource | undefined)?.record.memo?.cursor);
      return readNext.call(rig.a, stored, limits, signal);
    };
    const far = { ...read('far', named('far')), url: takenFrom(PEER, 'https://pod.example/far') };
    const isRead = (graph: string) => (graph.startsWith('https://pod.') ? 'https://pod.example/' : undefined);
    rig.rules = { peer: PEER, isMirror: false, read: isRead };
    await rig.poll({ put: [far], memo: { memo: { cursor: 1 } } });
    await rig.poll({ memo: { memo: { cursor: 2 } } });
    rig.rules = { peer: PEER, isMirror: false, read: () => undefined };
    rig.full = true;
    await rig.poll();
    rig.full = false;
    await rig.poll({ failure: { message: 'down' } });
    await rig.poll({ put: [far], isWhole: true, memo: { memo: { cursor: 3 } } });
    await rig.poll({});
    expect(cursors).toEqual([undefined, 1, undefined, undefined, undefined, 3]);
    expect(await served()).toEqual(['far']);
  });

  it('whose removals are pending is polled again when the operator accepts them while it is decided already', async () => {
    await rig.poll({ put: [read('d', many('d', 60)), read('e', many('e', 40))] });
    for (let i = 0; i < 2; i++) expect(await rig.poll({ gone: [url] })).toMatchObject({ held: { to: 40 } });
    expect(rig.lines.filter((line) => line.includes('held'))).toHaveLength(1);
    rig.a.result = undefined;
    const held = rig.poll();
    await rig.settled();
    const { answer } = rig.a;
    rig.a.result = { gone: [url] };
    let accepted: Promise<unknown> | undefined;
    const commit = rig.registry.commit.bind(rig.registry);
    Object.assign(rig.registry, {
      commit: (change: Parameters<typeof commit>[0]) => {
        accepted ??= rig.poll(undefined, { acceptShrink: true });
        return commit(change);
      },
    });
    answer({ gone: [url] });
    expect(await held).toMatchObject({ held: { to: 40 } });
    expect(await accepted).toMatchObject({ removed: 60 });
  });

  describe('of learned sources', () => {
    it('is bound by what all of them bring, and gives back the room of those that are dropped', async () => {
      rig.limits.maxLearnedComponents = 6;
      await rig.scheduler.setSources([]);
      for (const [i, reader] of [rig.a, rig.b].entries()) {
        reader.trust = 'learned';
        reader.result = { put: [{ url: `${reader.source.url}d`, components: many(`${i}-`, 4), record: {} }] };
      }
      await rig.scheduler.setSources([rig.a, rig.b]);
      await rig.scheduler.pollNow();
      const kept = async (reader = rig.b) =>
        [...((await rig.registry.source(reader.source))?.documents.values() ?? [])].map(
          ({ components }) => components,
        );
      expect([...(await kept(rig.a)), ...(await kept())].sort()).toEqual([2, 4]);
      await rig.registry.forget(rig.a.source);
      await rig.scheduler.pollNow(rig.b.source.url);
      expect(await kept()).toEqual([4]);
    });
  });

  describe('when the registry', () => {
    it('is full, has failed: what is served stays, and the next one finds the same again', async () => {
      await rig.poll({ put: [read('d', named('x'))] });
      rig.full = true;
      expect(await rig.poll({ gone: [url] })).toMatchObject({
        ok: false,
        unstored: true,
        error: expect.stringContaining('ENOSPC'),
      });
      expect(rig.lines.at(-1)).toBe('warn source fails https://a.example/');
      expect(await served()).toEqual(['x']);
      rig.full = false;
      expect(await rig.poll()).toMatchObject({ ok: true, removed: 1 });
    });

    it('is full while a peer lists other addresses, those who are told of the poll learn that it does', async () => {
      await rig.poll({ memo: { introduced: { peers: [], storage: [] } } });
      vi.spyOn(rig.registry.keep, 'commit').mockRejectedValue(new StorageFailure('The disk is full'));
      const introduced = { peers: [], storage: [{ url: 'https://pod.example/', hops: 0, via: [] }] };
      expect(await rig.poll({ memo: { introduced } })).toMatchObject({ ok: false, unstored: true });
      expect(await record()).toMatchObject({ introduced });
      const { before, after } = rig.outcomes.at(-1) ?? {};
      expect([before?.introduced?.storage, after?.introduced]).toEqual([[], introduced]);
    });
  });
});
