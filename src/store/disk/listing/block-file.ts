import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Clock } from '../../../lib/clock.js';
import { explain, StorageFailure, StoreUnavailable } from '../../../lib/faults.js';
import type { StorageTrouble, StoreLog } from '../../registry-store.js';
import { refusalOf } from '../database/recovery.js';
import type { BlockSpace } from './block-space.js';
import type { Block } from './entry.js';

/** Its name for the moment in which it has one. LevelDB passes over names that it does not know. */
const NAME = 'LISTING';
/** Bytes of blocks that were read last, which are kept in memory. */
const RECENT = 8_000_000;
/** Bytes of blocks that are not listed any more and keep their room, because somebody may be reading them. */
const LEFT = 16_000_000;
/** Blocks that are taken into memory for each one that comes, while more bytes than that have left. */
const RESCUED = 3;

interface Extent {
  readonly at: number;
  /** Bytes that are taken, which may be more than the block has. */
  readonly room: number;
  readonly crc: number;
}

export interface BlockFileOptions {
  readonly clock: Clock;
  readonly log: StoreLog;
}

/**
 * Keeps blocks in a file, and those that were read last in memory: the others are in the page cache of the system, as far as
 * it has room. The file is derived data and has no name once it is open, so that it goes with the process, however that ends.
 * Reading is synchronous, because a block is read in 20 µs from the page cache.
 */
export class BlockFile implements BlockSpace {
  /** Smaller than in memory: for one component, all of its block is read, because the checksum is that of all. */
  readonly blockBytes = 32_768;
  readonly #directory: string;
  readonly #options: BlockFileOptions;
  readonly #file: number;
  readonly #extents = new Map<Block, Extent>();
  /** Rooms that can be taken again, by their bytes. */
  readonly #free = new Map<number, number[]>();
  #end = 0;
  /** Stored since the last change was settled. */
  readonly #fresh = new Set<Block>();
  /** Those that are not listed any more, the oldest first. */
  readonly #left = new Set<Block>();
  #leftBytes = 0;
  /** Those that were read last, the latest one last. */
  readonly #recent = new Map<Block, Buffer>();
  #recentBytes = 0;
  #unread: StorageTrouble | undefined;
  #unwritten: StorageTrouble | undefined;

  private constructor(directory: string, file: number, options: BlockFileOptions) {
    this.#directory = directory;
    this.#file = file;
    this.#options = options;
  }

  /** @throws what the system says */
  static open(directory: string, options: BlockFileOptions): BlockFile {
    const path = join(directory, NAME);
    const file = openSync(path, 'w+', 0o600);
    rmSync(path);
    return new BlockFile(directory, file, options);
  }

  get trouble(): StorageTrouble | undefined {
    return this.#unread ?? this.#unwritten;
  }

  /** How long the file is. */
  get bytes(): number {
    return this.#end;
  }

  begin(): void {
    for (const block of this.#fresh) this.#release(block);
    this.#fresh.clear();
  }

  store(block: Block): void {
    this.#makeRoom();
    const { bytes } = block;
    // Kept by the block: finding a place in the listing would read a block for each comparison.
    if (block.entries.length > 0) void block.firstUri;
    const extent = { ...this.#roomFor(bytes.length), crc: crc32(bytes) };
    try {
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#file, bytes, at, bytes.length - at, extent.at + at);
    } catch (cause) {
      this.#freeRoom(extent);
      this.#unwritten = this.#failed(cause, this.#unwritten);
      throw new StorageFailure(refusalOf(explain(cause)), { cause });
    }
    this.#unwritten = undefined;
    this.#extents.set(block, extent);
    this.#fresh.add(block);
    block.moveTo(this);
  }

  settle(left: Iterable<Block>): void {
    this.#fresh.clear();
    for (const block of left) {
      if (!this.#extents.has(block)) continue;
      this.#left.add(block);
      this.#leftBytes += block.length;
    }
  }

  read(block: Block): Buffer {
    const recent = this.#recent.get(block);
    if (recent) {
      this.#recent.delete(block);
      this.#recent.set(block, recent);
      return recent;
    }
    const bytes = this.#readFile(block);
    this.#recent.set(block, bytes);
    this.#recentBytes += bytes.length;
    for (const oldest of this.#recent.keys()) {
      if (this.#recentBytes <= RECENT) break;
      this.#forget(oldest);
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** @throws StoreUnavailable where the bytes are not there, or are not those that were written */
  #readFile(block: Block): Buffer {
    const { at, crc } = this.#extents.get(block) as Extent;
    const bytes = Buffer.allocUnsafeSlow(block.length);
    try {
      for (let read = 0; read < bytes.length; ) {
        const count = readSync(this.#file, bytes, read, bytes.length - read, at + read);
        if (count === 0) throw new Error('the file ends early');
        read += count;
      }
      if (crc32(bytes) !== crc) throw new Error(`the bytes from ${at} on do not match their checksum`);
    } catch (cause) {
      this.#unread = this.#failed(cause, this.#unread, true);
      throw new StoreUnavailable('This node cannot read its listing from its disk', { cause });
    }
    this.#unread = undefined;
    return bytes;
  }

  /** Says once what is wrong. */
  #failed(cause: unknown, before: StorageTrouble | undefined, isUnreadable = false): StorageTrouble {
    const { clock, log } = this.#options;
    const error = explain(cause);
    const what = isUnreadable
      ? 'the listing cannot be read: a restart makes it anew'
      : 'the listing cannot be written; reading goes on';
    if (!before) log.warn({ directory: this.#directory, error }, what);
    return { since: before?.since ?? clock.now(), error: `${what} (${error})`, isUnreadable };
  }

  #makeRoom(): void {
    let rescued = 0;
    for (const block of this.#left) {
      if (this.#leftBytes <= LEFT || rescued === RESCUED) return;
      this.#rescue(block);
      rescued += 1;
    }
  }

  /** Frees the room of a block that somebody may still read: from now on it is in memory, for as long as it is read. */
  #rescue(block: Block): void {
    this.#left.delete(block);
    this.#leftBytes -= block.length;
    try {
      block.moveTo(this.#recent.get(block) ?? this.#readFile(block));
      this.#release(block);
    } catch {
      // It keeps its room: who reads it hears of the failure, and not of other bytes.
    }
  }

  #release(block: Block): void {
    this.#forget(block);
    const extent = this.#extents.get(block);
    if (extent) this.#freeRoom(extent);
    this.#extents.delete(block);
  }

  #forget(block: Block): void {
    this.#recentBytes -= this.#recent.get(block)?.length ?? 0;
    this.#recent.delete(block);
  }

  #roomFor(bytes: number): Omit<Extent, 'crc'> {
    // Few different sizes, so that what one block leaves fits another; at most an eighth more than is needed.
    const step = Math.max(512, 2 ** (Math.floor(Math.log2(bytes)) - 3));
    const room = Math.ceil(bytes / step) * step;
    const free = this.#free.get(room)?.pop();
    if (free !== undefined) return { at: free, room };
    const at = this.#end;
    this.#end += room;
    return { at, room };
  }

  #freeRoom({ at, room }: Omit<Extent, 'crc'>): void {
    const others = this.#free.get(room);
    if (others) others.push(at);
    else this.#free.set(room, [at]);
  }
}
