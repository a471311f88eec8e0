import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRawSync } from 'node:zlib';

/** Ends every file, with the length and the checksum of the head before it; also tells the order of bytes in a number. */
const MARK = 0x43_61_74_31;
const FOOTER_BYTES = 12;
/** Pieces that are read in one call, or compressed by several threads at once. */
const AT_A_TIME = 16;
/** Bytes more than are needed. */
const ROOM = 64;
/** The quickest: the same names stand in each object of a listing, which become a ninth. */
const LEVEL = 1;

const compressed = promisify<Buffer, { level: number }, Buffer>(deflateRaw);

/** A stretch of the file. */
export interface Section {
  readonly at: number;
  readonly bytes: number;
  readonly crc: number;
}

/** A compressed stretch. */
export interface Piece extends Omit<Section, 'at'> {
  /** Bytes that it becomes again. */
  readonly whole: number;
}

/** Writes stretches of bytes, and at the end what tells where they are. Nothing is flushed: a torn file has no such end, or other checksums. */
export class SnapshotWriter {
  readonly #file: FileHandle;
  #at = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<SnapshotWriter> {
    return new SnapshotWriter(await open(path, 'w', 0o600));
  }

  async append(data: Buffer): Promise<Section> {
    const section = { at: this.#at, bytes: data.length, crc: crc32(data) };
    for (let written = 0; written < data.length; ) {
      const { bytesWritten } = await this.#file.write(data, written, data.length - written);
      written += bytesWritten;
    }
    this.#at += data.length;
    return section;
  }

  /** Appends stretches, each compressed for itself, and tells of each its bytes in the file, and those that it becomes again. */
  async *appendCompressed(pieces: Iterable<Buffer>): AsyncGenerator<Piece> {
    const waiting: { readonly whole: number; readonly bytes: Promise<Buffer> }[] = [];
    const write = async (): Promise<Piece> => {
      const { whole = 0, bytes } = waiting.shift() ?? {};
      const { bytes: length, crc } = await this.append((await bytes) ?? Buffer.alloc(0));
      return { bytes: length, crc, whole };
    };
    for (const piece of pieces) {
      const bytes = compressed(piece, { level: LEVEL });
      // Its reader hears of a failure, unless another one came before.
      bytes.catch(() => undefined);
      waiting.push({ whole: piece.length, bytes });
      if (waiting.length >= AT_A_TIME) yield await write();
    }
    while (waiting.length > 0) yield await write();
  }

  /** @param head what JSON can say */
  async end(head: unknown): Promise<void> {
    const text = Buffer.from(JSON.stringify(head));
    await this.append(text);
    await this.append(bytesOf(Uint32Array.of(MARK, text.length, crc32(text))));
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Reads what a `SnapshotWriter` has written. */
export class SnapshotReader {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @returns undefined where there is no file */
  static async open(path: string): Promise<SnapshotReader | undefined> {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return file && new SnapshotReader(file);
  }

  /** @throws TornSnapshot */
  async head<T>(): Promise<T> {
    const { size } = await this.#file.stat();
    if (size < FOOTER_BYTES) throw new TornSnapshot('it has no end');
    const [mark, bytes = 0, crc = 0] = new Uint32Array(
      (await this.#read(size - FOOTER_BYTES, FOOTER_BYTES)).buffer,
    );
    if (mark !== MARK || bytes > size - FOOTER_BYTES) throw new TornSnapshot('it has no end');
    const text = await this.bytes({ at: size - FOOTER_BYTES - bytes, bytes, crc });
    return JSON.parse(text.toString()) as T;
  }

  /** @throws TornSnapshot */
  async bytes({ at, bytes, crc }: Section): Promise<Buffer> {
    const read = await this.#read(at, bytes);
    if (crc32(read) !== crc) throw new TornSnapshot(`its bytes from ${at} on do not match their checksum`);
    return read;
  }

  /**
   * Compressed stretches that lie side by side from a place on, each in memory of its own. Handing one to another thread takes
   * longer than decompressing it. @throws TornSnapshot
   */
  async *pieces(at: number, pieces: readonly Piece[]): AsyncGenerator<Buffer> {
    let from = at;
    for (let next = 0; next < pieces.length; next += AT_A_TIME) {
      const some = pieces.slice(next, next + AT_A_TIME);
      const total = some.reduce((sum, { bytes }) => sum + bytes, 0);
      const read = await this.#read(from, total);
      let begin = 0;
      for (const { bytes, crc, whole } of some) {
        const piece = read.subarray(begin, begin + bytes);
        begin += bytes;
        if (crc32(piece) !== crc)
          throw new TornSnapshot(`its bytes from ${from} on do not match their checksums`);
        // In one go, which ends before there is no room left.
        yield inflateRawSync(piece, { chunkSize: whole + ROOM });
      }
      from += total;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #read(at: number, bytes: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(bytes);
    let read = 0;
    while (read < bytes) {
      const { bytesRead } = await this.#file.read(buffer, read, bytes - read, at + read);
      if (bytesRead === 0) throw new TornSnapshot('it ends early');
      read += bytesRead;
    }
    return buffer;
  }
}

/** A file that is not what was written. */
export class TornSnapshot extends Error {
  override readonly name = 'TornSnapshot';
}

export function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
