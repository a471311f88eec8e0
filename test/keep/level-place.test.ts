import { EventEmitter, once } from 'node:events';
import {
  type FileHandle,
  mkdir,
  open as openFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeepDamaged, KeepUnusable } from '../../src/keep/faults.js';
import type { Head, Keep, Place } from '../../src/keep/keep.js';
import type { Level } from '../../src/keep/level/level-files.js';
import { rowKey, sealed } from '../../src/keep/level/row-keys.js';
import type { Salvage } from '../../src/keep/salvage.js';
import { sealedRow } from '../../src/keep/stored-row.js';
import { StorageFailure, StoreUnavailable } from '../../src/lib/faults.js';
import { tempDir } from '../support/temp-dir.js';
import { VirtualClock } from '../support/virtual-time.js';
import { waitFor } from '../support/wait-for.js';
import { A, headOf, quadsOf, row, rowsOf, says, write } from './contract.js';
import { onLevel, openedIn, repaired } from './level-engine.js';

let directory: string;
let place: Place;
let keep: Keep;

async function open(more: Parameters<typeof openedIn>[1] = {}): Promise<void> {
  place = await openedIn(directory, more);
  keep = await place.keep('registry');
}

beforeEach(async () => {
  directory = join(await tempDir(), 'data');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await place?.close();
});

/** Changes what LevelDB makes from now on. */
function onMaking<T>(
  what: 'batch' | 'iterator',
  change: (made: T, level: ClassicLevel, options: { readonly reverse?: boolean }) => void,
) {
  const make = ClassicLevel.prototype[what] as (...options: object[]) => T;
  function making(this: ClassicLevel, ...options: object[]): T {
    const made = make.apply(this, options);
    change(made, this, options[0] ?? {});
    return made;
  }
  return vi.spyOn(ClassicLevel.prototype, what).mockImplementation(making as never);
}

type Writing = (options?: object) => Promise<void>;
/** Has `write` do what writes a batch from now on. */
const onBatches = (
  write: (writing: Writing, options: object | undefined, level: ClassicLevel) => Promise<void>,
) =>
  onMaking<{ write: Writing }>('batch', (made, level) => {
    const writing = made.write.bind(made);
    made.write = (options) => write(writing, options, level);
  });

async function values(): Promise<Record<string, string | undefined>> {
  return Object.fromEntries((await rowsOf(keep)).map(({ key, value }) => [key, value]));
}
/** A failure of this kind, with such a message. */
const fault = ({ name }: { readonly name: string }, message: RegExp) =>
  expect.objectContaining({ name, message: expect.stringMatching(message) });
/** Its rows, and how many quads it has. */
const content = async () => [await values(), (await quadsOf(keep)).length];

describe('a directory', () => {
  it('is on disk with all directories that were made for it', async () => {
    const above = join(directory, 'a');
    directory = join(above, 'b');
    const flushed = new Set<number>();
    const handle = await openFile('.');
    await handle.close();
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    const { sync } = prototype;
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      flushed.add((await this.stat()).ino);
      await sync.call(this);
    });
    await open();
    for (const one of [dirname(dirname(above)), dirname(above), above])
      expect(flushed).toContain((await stat(one)).ino);
  });

  it('whose making was interrupted is made again', async () => {
    await open();
    await place.close();
    for (const name of await readdir(directory)) await rm(join(directory, name));
    await writeFile(join(directory, 'MANIFEST-000001'), '');
    await open();
    expect(await values()).toEqual({});
  });

  it.each([
    ['version 0.2.0', '!meta!schema', '5'],
    ['an unreleased version', 'schema', '3'],
  ])('of %s is refused in one line that names the way', async (_, key, layout) => {
    await onLevel(directory, (level) => level.put(key, layout));
    const way = /^The data in .* another version .*: export it .*, and import .*$/;
    await expect(openedIn(directory)).rejects.toEqual(fault(KeepUnusable, way));
  });

  it.each([
    ['is lost', (level: Level) => level.del('schema')],
    ['is damaged', (level: Level) => level.put('schema', 'x')],
  ])('of which the note of the layout %s names the repair, as one that cannot be read', async (_, change) => {
    await open();
    await place.close();
    await onLevel(directory, change);
    const way = /is damaged: .*component-registry-node repair/;
    await expect(openedIn(directory)).rejects.toEqual(fault(KeepDamaged, way));
    const error = Object.assign(new Error('Corruption: a block'), { code: 'LEVEL_CORRUPTION' });
    vi.spyOn(ClassicLevel.prototype, 'get').mockRejectedValueOnce(error);
    await expect(openedIn(directory)).rejects.toEqual(fault(KeepDamaged, way));
  });

  it('that has lost its latest commits is damaged', async () => {
    await open();
    await write(keep, { rows: [row('a', '1')] });
    const log = (await readdir(directory)).find((name) => name.endsWith('.log')) ?? '';
    const { size } = await stat(join(directory, log));
    await write(keep, { rows: [row('a', '2')] });
    await place.close();
    await truncate(join(directory, log), size);
    place = await openedIn(directory);
    await expect(place.keep('registry')).rejects.toThrow(/the last 1 commits of the registry .* missing/);
    await place.close();
    // After a power failure the file beside the database may know less, or nothing.
    await writeFile(join(directory, 'ACKNOWLEDGED-registry'), '99');
    await open();
    expect(await values()).toEqual({ a: '1' });
  });
});

describe('a commit', () => {
  it('is flushed to disk, one of rows alone and the first of a service included', async () => {
    const flushed: unknown[] = [];
    onBatches((writing, options) => {
      flushed.push(options);
      return writing(options);
    });
    await open();
    await write(keep, { rows: [row('a', '1')] });
    await write(keep, { quads: { put: [says('a')] } });
    await keep.exclusively(async () => ({ rows: [row('b', '1')], result: 0 }));
    expect(flushed).toEqual(Array(4).fill({ sync: true }));
  });

  it('of many quads gives way to other work while it is put together', async () => {
    const pauses = vi.fn(() => undefined);
    await open({ pace: () => pauses });
    pauses.mockClear();
    const put = Array.from({ length: 5_000 }, (_, i) => says(String(i)));
    await write(keep, { quads: { put } });
    // A slice of a hundred quads is about a millisecond.
    expect(pauses.mock.calls.length).toBeGreaterThanOrEqual(50);
    await write(keep, { quads: { remove: put } });
    expect(await content()).toEqual([{}, 0]);
  });
});

describe('on a disk that fails', () => {
  /** Every batch fails from now on: before it is written, or after that, as when a flush fails: then it is in LevelDB's log. */
  function failing(when: 'before' | 'after'): () => void {
    let seen: ReadonlyMap<unknown, unknown> | undefined;
    const batches = onBatches(async (writing, options, level) => {
      // LevelDB shows what was not flushed only after it is opened anew.
      seen ??= new Map(await level.iterator().all());
      if (when === 'after') await writing(options);
      throw new Error('IO error: No space left on device');
    });
    const many = ClassicLevel.prototype.getMany as (keys: unknown[]) => Promise<unknown[]>;
    const reads = vi.spyOn(ClassicLevel.prototype, 'getMany').mockImplementation(function (
      this: ClassicLevel,
      keys: unknown[],
    ) {
      return (seen ? Promise.resolve(keys.map((key) => seen?.get(key))) : many.call(this, keys)) as never;
    });
    const close = ClassicLevel.prototype.close as () => Promise<void>;
    vi.spyOn(ClassicLevel.prototype, 'close').mockImplementation(function (this: ClassicLevel) {
      reads.mockRestore();
      return close.call(this);
    });
    return () => batches.mockRestore();
  }

  const change = () =>
    write(keep, {
      rows: [row('changed', '2'), row('removed'), row('added', '2')],
      // Made anew each time that they are gone through, as those of large commits are.
      quads: { put: { [Symbol.iterator]: () => [says('b')].values() } },
    });

  /** A commit that the disk has refused. */
  async function refused(when: 'before' | 'after') {
    const clock = new VirtualClock();
    await open({ clock });
    await write(keep, { rows: [row('changed', '1'), row('removed', '1')], quads: { put: [says('a')] } });
    const head = await headOf(keep);
    const mended = failing(when);
    await expect(change()).rejects.toThrow(StorageFailure);
    const expectAsBefore = async () =>
      expect([...(await content()), await headOf(keep)]).toEqual([{ changed: '1', removed: '1' }, 1, head]);
    return { clock, head, mended, expectAsBefore };
  }

  it('has nothing of a commit that failed, refuses others meanwhile, and takes them when there is space, without a restart', async () => {
    const { clock, head, mended, expectAsBefore } = await refused('before');
    await expect(change()).rejects.toThrow(/The disk of this node is full.*Reading goes on/);
    const error = 'IO error: No space left on device';
    expect(keep.trouble).toEqual({ kind: 'full', since: clock.now(), error });
    await expectAsBefore();
    clock.pass(1_000);
    await waitFor(() => clock.sleeping > 0);
    await expect(keep.commit(head, () => ({ rows: [row('added', '3')] }))).rejects.toThrow(StorageFailure);
    mended();
    clock.pass(15_000);
    await waitFor(() => !keep.trouble);
    await expectAsBefore();
    expect((await change()).version).toBe(head.version + 1);
    expect(await content()).toEqual([{ added: '2', changed: '2' }, 2]);
  });

  it('a commit that was written and could not be flushed is taken back before anybody reads', async () => {
    const { clock, mended, expectAsBefore } = await refused('after');
    mended();
    const gate = new EventEmitter();
    const opened = once(gate, 'open');
    const batches = onBatches((writing, options) => opened.then(() => writing(options)));
    clock.pass(1_000);
    await waitFor(() => batches.mock.calls.length > 0);
    for (const read of [() => keep.get('letter', ['added']), values, () => quadsOf(keep)])
      await expect(read()).rejects.toThrow(StoreUnavailable);
    gate.emit('open');
    await waitFor(() => !keep.trouble);
    await expectAsBefore();
  });

  it.each(['before', 'during'])(
    'a commit that could not be flushed is taken back when the place is closed %s an attempt',
    async (when) => {
      const { clock, mended, expectAsBefore } = await refused('after');
      mended();
      if (when === 'during') {
        // The trial file cannot be written where a directory is.
        await mkdir(join(directory, 'space-probe'));
        clock.pass(1_000);
        await new Promise(setImmediate);
        // It is being written: otherwise another attempt would be slept for.
        expect(clock.sleeping).toBe(0);
      }
      await place.close();
      await open();
      await expectAsBefore();
    },
  );
});

describe('repair', () => {
  type Entries = [key: Buffer, value: Buffer][];
  /** Has `change` say what LevelDB reads from now on, of what is there. */
  const onReads = (change: (entries: Entries, size: number, isBackwards: boolean) => Entries) =>
    onMaking<{ nextv(size: number): Promise<Entries> }>('iterator', (made, _, { reverse = false }) => {
      const nextv = made.nextv.bind(made);
      made.nextv = async (size) => change(await nextv(size), size, reverse);
    });

  const mended = { rebuilt: ['this'], lost: ['that'] };
  const mend = vi.fn(async (_: Place, _found: Salvage) => ({ damaged: [], ...mended }));
  const repair = (apply?: boolean) => repaired(directory, mend, apply);
  /** What was left to be mended. */
  const salvage = () => mend.mock.lastCall?.[1];

  async function filled(): Promise<Head> {
    await open();
    const quads = { put: [says('a'), says('b')] };
    const head = await write(keep, { rows: [row('a', '1'), row('b', '2')], quads });
    await place.close();
    return head;
  }

  it('changes nothing where nothing is damaged, and is refused while a process uses the data', async () => {
    await filled();
    const before = await readdir(dirname(directory));
    expect(await repair()).toEqual({ damaged: [], ...mended });
    expect(salvage()).toEqual({ rows: [], quads: 0, graphs: new Set([A.value]), isIncomplete: false });
    expect(await readdir(dirname(directory))).toEqual(before);
    await open();
    await expect(repair()).rejects.toThrow(/in use by another process/);
    expect(await values()).toEqual({ a: '1', b: '2' });
  });

  it('has nothing to look at where nothing is, and says so when it cannot look', async () => {
    expect(await repair()).toBeUndefined();
    expect(await readdir(dirname(directory))).toEqual([]);
    await writeFile(directory, 'a file');
    const why = /The data directory .* cannot be read: ENOTDIR/;
    await expect(repair()).rejects.toEqual(fault(KeepUnusable, why));
  });

  it('leaves what is none of ours as it is', async () => {
    await mkdir(directory);
    await writeFile(join(directory, 'letter.txt'), 'Dear');
    expect(await repair()).toEqual({ damaged: [], ...mended });
    await onLevel(directory, (level) => level.put('foreign', '1'));
    await expect(repair()).rejects.toEqual(fault(KeepUnusable, /layout of another version/));
    expect(await readdir(dirname(directory))).toEqual(['data']);
    expect(await readdir(directory)).toContain('letter.txt');
  });

  it('notices what LevelDB passes over without a word', async () => {
    await filled();
    onReads((entries, _, isBackwards) =>
      entries.filter(([key]) => isBackwards || !key.includes('/letter/a')),
    );
    expect((await repair())?.damaged).toEqual([expect.stringContaining('backwards')]);
    expect(salvage()?.isIncomplete).toBe(true);
  });

  it('saves the rest of what cannot be read even after the repair of LevelDB', async () => {
    await filled();
    const broken = Object.assign(new Error('a block is broken'), { code: 'LEVEL_CORRUPTION' });
    onReads((entries, size) => {
      if (entries.length < size) throw broken;
      return entries;
    });
    expect((await repair())?.damaged).toEqual([
      'LevelDB cannot read a part of it (a block is broken)',
      "after LevelDB's own repair, too: LevelDB cannot read a part of it (a block is broken)",
    ]);
    vi.restoreAllMocks();
    await open();
    expect(await content()).toEqual([{ a: '1', b: '2' }, 2]);
  });

  it('saves everything where only CURRENT is missing, in another epoch, and only looks at first', async () => {
    const before = await filled();
    await rm(join(directory, 'CURRENT'));
    expect(await repair(false)).toEqual({ damaged: [expect.stringContaining('CURRENT')], ...mended });
    expect(salvage()).toMatchObject({ rows: [], quads: 0, isIncomplete: true });
    const way = /CURRENT is missing.*component-registry-node repair --config/;
    await expect(openedIn(directory)).rejects.toEqual(fault(KeepDamaged, way));
    expect((await repair())?.kept).toBe(`${directory}.damaged-then`);
    await open();
    expect(await content()).toEqual([{ a: '1', b: '2' }, 2]);
    const { epoch, version } = await headOf(keep);
    expect(epoch).not.toBe(before.epoch);
    expect(version).toBeGreaterThan(before.version);
  });

  it('drops rows that fail their seals, and quads that cannot be read, and says which', async () => {
    await filled();
    const keyOf = (key: string, service = 'registry') => rowKey({ service, table: 'letter', key });
    await onLevel(directory, async (level) => {
      await level.put(keyOf('a'), '00000000no');
      const [name = ''] = await level.keys({ gt: 'GSPO', lt: 'GSPP' }).all();
      await level.put(name.replace('\0\0urn:s:a', '\0\0urn'), '');
      // A bit of the name of the service has changed, and one that leaves no text.
      await level.put(keyOf('c', 'regisury'), sealed(sealedRow('letter', 'c', '3')));
      const bytes = Buffer.from(keyOf('d'));
      bytes[bytes.length - 1] = 0xff;
      await level.put(bytes as never, 'x', { keyEncoding: 'buffer' } as never);
    });
    await open();
    const way = /"a" .*"component-registry-node repair --config/;
    await expect(values()).rejects.toEqual(fault(KeepDamaged, way));
    await place.close();
    expect((await repair())?.damaged).toEqual([
      expect.stringContaining('"a" of the table "letter" (registry)'),
      expect.stringContaining('\ufffd'),
      expect.stringContaining('regisury'),
      '1 quads cannot be read',
    ]);
    // One entry has lost its name: it may have been of any service.
    expect(salvage()).toMatchObject({ quads: 1, isIncomplete: true });
    expect(salvage()?.rows).toContainEqual({ service: 'registry', table: 'letter', key: 'a' });
    await open();
    expect(await content()).toEqual([{ b: '2' }, 2]);
    await place.close();
    expect((await repair())?.damaged).toEqual([]);
  });

  it('says that the latest commits are missing', async () => {
    await filled();
    await writeFile(join(directory, 'ACKNOWLEDGED-registry'), '9\n');
    expect((await repair())?.damaged).toEqual([
      'the last 8 commits of the registry that were acknowledged are missing',
    ]);
    expect(salvage()?.isIncomplete).toBe(true);
    await open();
    expect(await values()).toEqual({ a: '1', b: '2' });
  });

  it('that was interrupted between its two renames is noticed', async () => {
    await filled();
    await rename(directory, `${directory}.repaired`);
    await expect(openedIn(directory)).rejects.toThrow(/repair was interrupted.*rename that to data$/);
    await rm(directory, { recursive: true });
    await rename(`${directory}.repaired`, directory);
    await open();
    expect(await values()).toEqual({ a: '1', b: '2' });
  });
});
