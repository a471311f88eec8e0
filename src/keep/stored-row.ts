import { crc32 } from 'node:zlib';

/**
 * A row that exists. Most of what a start reads is copied as it lies: so its value is bytes where an engine has bytes, and text only
 * for those who ask for text.
 */
export class StoredRow {
  readonly #content: string | Buffer;

  /** @param seal see `sealOf`: it has been compared */
  constructor(
    readonly table: string,
    readonly key: string,
    content: string | Buffer,
    readonly seal: number,
  ) {
    this.#content = content;
  }

  get value(): string {
    return this.#content.toString();
  }

  /** The value in UTF-8. */
  get bytes(): Buffer {
    return typeof this.#content === 'string' ? Buffer.from(this.#content) : this.#content;
  }
}

/** A row that has not been stored yet, with the seal that it will have. */
export function sealedRow(table: string, key: string, content: string | Buffer): StoredRow {
  return new StoredRow(table, key, content, sealOf(table, key, content));
}

/** A row as it will be stored; undefined for one that is to be deleted. */
export function toBeStored(
  row: Pick<StoredRow, 'table' | 'key'> & { readonly value: string | undefined },
): StoredRow | undefined {
  if (row instanceof StoredRow) return row;
  const { table, key, value } = row;
  return value === undefined ? undefined : sealedRow(table, key, value);
}

/**
 * The checksum of a row, 32 bits: of its key, too, so that a value under another key is noticed. LevelDB has checksums of its own, but
 * classic-level offers no way to have them verified.
 * @param content the value, as text or in UTF-8
 */
export function sealOf(table: string, key: string, content: string | Buffer): number {
  return crc32(content, crc32(`${table}\n${key}\n`));
}
