import { beforeEach, describe, expect, it } from 'vitest';
import { Storage } from '../../../scripts/simulate/nodes/storage.js';
import { Life } from '../../../scripts/simulate/time/life.js';
import { NodeClock } from '../../../scripts/simulate/time/node-clock.js';
import { substream } from '../../../scripts/simulate/time/substream.js';
import { VirtualTime } from '../../../scripts/simulate/time/virtual-time.js';
import { createVocabulary } from '../../../src/component/vocabulary.js';
import { listingText } from '../../../src/component/writing/listing-text.js';
import { KeepUnavailable, LeaseLost } from '../../../src/keep/faults.js';
import type { Head, Keep, Lease } from '../../../src/keep/keep.js';
import { OutcomeUnknown } from '../../../src/lib/faults.js';
import { statementText } from '../../../src/registry/rows.js';

const POD = { kind: 'pod', url: 'https://pod.example/' } as const;

let time: VirtualTime;
let storage: Storage;
let overtaken: string[];

/** A process with the database open; `inWrite` is called in the middle of what it writes. */
async function open(inWrite: (life: Life) => void = () => undefined) {
  const life = new Life();
  const place = storage.open({
    ...{ clock: new NodeClock(time, life), isSlow: true, committed: () => undefined },
    onWrite: () => inWrite(life),
  });
  return { life, keep: await place.keep('registry') };
}

/** Stores that the pod was read, and that it says so of a component. */
function write(keep: Keep, label: string, parts: { since?: Head; lease?: Lease } = {}): Promise<Head> {
  const described = { uri: 'https://a.example/', label, author: [], tag: [], shapes: [] };
  const said = {
    ...{ source: POD, document: `${POD.url}a`, position: 1, at: 0, isUpdate: false },
    listed: listingText(described, createVocabulary('http://voc.example/#')),
  };
  const source = { source: POD, record: { lastAttempt: 1, failures: 0 } };
  const rows = [
    { table: 'statement', key: 'a', value: statementText(said) },
    { table: 'source', key: `pod ${POD.url}`, value: JSON.stringify(source) },
  ];
  return keep.commit(parts.since ?? storage.head, () => ({ rows }), parts.lease);
}

const labels = () => storage.stored.saidBy(POD).map(({ label }) => label);

describe('what a simulated node keeps its data in', () => {
  beforeEach(() => {
    time = new VirtualTime();
    overtaken = [];
    storage = new Storage({
      ...{ time, random: substream(1, 'storage'), isShared: true },
      overtaken: (source) => overtaken.push(source),
    });
  });

  it.each([
    { after: 0, stored: [] },
    { after: 8, stored: ['late'] },
  ])('has $stored of a write whose process ends $after ms after its middle', async ({ after, stored }) => {
    const { keep } = await open((life) => time.after(after, () => life.end()));
    let isTold = false;
    void write(keep, 'late').then(() => {
      isTold = true;
    });
    await time.runUntil(time.now + 100);
    expect(labels()).toEqual(stored);
    expect(isTold).toBe(false);
    const other = await open();
    await time.passUntil(write(other.keep, 'other'));
    expect(labels()).toEqual(['other']);
  });

  it('takes nothing of a process that stood still until another one had its lease', async () => {
    let isFirst = true;
    const paused = await open((life) => {
      if (isFirst) life.pause();
      isFirst = false;
    });
    const other = await open();
    const lease = await time.passUntil(paused.keep.lease(`pod ${POD.url}`));
    const late = write(paused.keep, 'late', lease ? { lease } : {});
    late.catch(() => undefined);
    await time.runUntil(time.now + 20_000);
    const next = await time.passUntil(other.keep.lease(`pod ${POD.url}`));
    await time.passUntil(write(other.keep, 'next', next ? { lease: next } : {}));
    paused.life.goOn(time);
    await expect(time.passUntil(late)).rejects.toThrow(LeaseLost);
    expect(labels()).toEqual(['next']);
    expect(overtaken).toEqual([]);
  });

  it('cannot be asked while another server takes its place, which has an older state', async () => {
    const { keep } = await open();
    await time.passUntil(write(keep, 'before'));
    const standby = storage.backup();
    await time.passUntil(write(keep, 'lost'));
    const unknown = write(keep, 'unknown');
    unknown.catch(() => undefined);
    await time.runUntil(time.now + 12);
    storage.failOver(standby);
    await expect(time.passUntil(unknown)).rejects.toThrow(OutcomeUnknown);
    expect(labels()).toEqual(['before']);
    await expect(time.passUntil(write(keep, 'after'))).rejects.toThrow(KeepUnavailable);
    expect(keep.trouble?.kind).toBe('unreachable');
    await time.runUntil(time.now + 10_000);
    await time.passUntil(write(keep, 'after'));
    expect(labels()).toEqual(['after']);
  });
});
