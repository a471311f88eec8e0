import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { sizeOf } from '../../../src/component/component-size.js';
import type { Metadata } from '../../../src/component/metadata.js';
import { digestElement, payloadHash } from '../../../src/component/statement-digest.js';
import { LtHash } from '../../../src/lib/lt-hash.js';
import type { Objection, PollResult } from '../../../src/sync/sync-source.js';
import { component } from '../../support/registry.js';
import { SchedulerRig } from '../../support/scheduler-rig.js';

describe('documents of which a poll changes a part', () => {
  let rig: SchedulerRig;
  let url: string;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
    url = `${rig.a.source.url}d`;
    await rig.scheduler.setSources([rig.a]);
  });

  const named = (...names: string[]) => names.map((name) => component(name));
  const uris = (...names: string[]) => named(...names).map(({ uri }) => uri);
  async function poll(result: PollResult) {
    rig.a.result = result;
    const [report] = await rig.scheduler.pollNow(rig.a.source.url);
    return report;
  }
  const amend = (put: readonly Metadata[], remove: readonly string[] = [], more: Partial<PollResult> = {}) =>
    poll({ documents: [{ url, amend: { put, remove }, record: {} }], ...more });
  const document = async () => (await rig.registry.source(rig.a.source))?.documents.get(url);
  const served = () => rig.registry.labels();

  it('keep the rest, and are counted exactly', async () => {
    await amend(named('a', 'b', 'c'));
    const report = await amend([component('b', { label: 'B' }), component('d')], uris('a', 'z'));
    expect(report).toMatchObject({ added: 1, changed: 1, removed: 1 });
    expect(await served()).toEqual(['B', 'c', 'd']);
    const size = (await rig.registry.list()).reduce((sum, one) => sum + sizeOf(one), 0);
    expect(await document()).toMatchObject({ components: 3, size });
  });

  it('have the size of what they say, whatever came before', async () => {
    const text = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme-ascii' });
    const put = fc.array(fc.tuple(fc.nat(8), text), { maxLength: 4 });
    const change = fc.record({ put, remove: fc.array(fc.nat(8), { maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (history) => {
        for (const { put, remove } of history) {
          const distinct = new Map(put.map(([i, label]) => [i, component(`c${i}`, { label })]));
          await amend([...distinct.values()], uris(...remove.map((i) => `c${i}`)));
          const components = await rig.registry.list();
          const size = components.reduce((sum, one) => sum + sizeOf(one), 0);
          const known = await document();
          if (components.length === 0) expect(known).toBeUndefined();
          else expect(known).toMatchObject({ components: components.length, size });
        }
      }),
      { numRuns: 20 },
    );
  });

  it('are not kept when nothing is left of them', async () => {
    await amend(named('a', 'b'));
    await amend([], uris('a', 'b'));
    expect(await document()).toBeUndefined();
  });

  it('that do not fit are left to the source, which stores something else or nothing', async () => {
    rig.limits.maxComponents = 3;
    rig.scheduler = rig.create();
    await rig.scheduler.setSources([rig.a]);
    await amend(named('a', 'b'));
    const objections: Objection[] = [];
    const otherwise = async (objection: Objection) => {
      objections.push(objection);
      return { documents: [{ url, components: named('x'), record: {} }] };
    };
    expect(await amend(named('c', 'd'), [], { otherwise })).toMatchObject({ added: 1, removed: 2 });
    expect(objections).toEqual([{ reason: 'room' }]);
    expect(await served()).toEqual(['x']);
    expect(await amend(named('y', 'z'), [], { otherwise })).toMatchObject({ added: 2 });
    expect(objections).toHaveLength(1);
  });

  it('that do not fit, and for which there is nothing else, are cut: what is out of date goes', async () => {
    rig.limits.maxComponents = 3;
    rig.scheduler = rig.create();
    await rig.scheduler.setSources([rig.a]);
    await amend(named('a', 'b', 'z'));
    await amend([component('c'), component('z', { label: 'Z' })], [], { otherwise: async () => undefined });
    expect(await served()).toEqual(['a', 'b', 'c']);
    expect(await document()).toMatchObject({ components: 3, omitted: 1 });
  });

  describe('and that are to have a digest', () => {
    const of = 'pod https://pod.example/';
    const digestOf = (...components: Metadata[]) => {
      const hash = LtHash.empty();
      for (const one of components) {
        hash.add(digestElement({ document: url, uri: one.uri, hash: payloadHash(one) }));
      }
      return new Map([[of, hash.digest()]]);
    };
    const change = (...names: string[]): PollResult['documents'] => [
      { url, components: named(...names), record: { of } },
    ];

    it('are stored when they have it', async () => {
      const expected = digestOf(...named('a', 'b'));
      expect(await poll({ documents: change('a', 'b'), expected })).toMatchObject({ ok: true, added: 2 });
    });

    it('are not stored otherwise: the source is told what differs, until it has nothing else', async () => {
      const objections: Objection[] = [];
      const expected = digestOf(...named('a', 'b'));
      const otherwise = async (objection: Objection) => {
        objections.push(objection);
        return { documents: change('a', 'b'), expected, remember: () => ({ memo: { second: true } }) };
      };
      const remember = () => ({ memo: { first: true } });
      expect(await poll({ documents: change('a'), expected, remember, otherwise })).toMatchObject({
        added: 2,
      });
      expect(objections).toEqual([{ reason: 'digest', differing: [of] }]);
      expect((await rig.record(rig.a))?.memo).toEqual({ second: true });
      const nothing = async () => undefined;
      const report = await poll({ documents: change('a'), expected, otherwise: nothing });
      expect(report).toMatchObject({ ok: false, removed: 0, error: expect.stringContaining('contradicts') });
      expect(await served()).toEqual(['a', 'b']);
    });

    it('are not compared when a part of them is left out', async () => {
      rig.limits.maxComponents = 1;
      rig.scheduler = rig.create();
      await rig.scheduler.setSources([rig.a]);
      const expected = digestOf(...named('a', 'b'));
      expect(await poll({ documents: change('a', 'b'), expected })).toMatchObject({ ok: true, added: 1 });
    });
  });
});
