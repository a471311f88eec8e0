import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ContentDigest } from './content-digest.js';
import type { DigestLine, ExportHeader, ExportLine, ExportRecord } from './export-record.js';

/** Characters that are handed to the file at a time. */
const PORTION = 64 * 1024;

/** What has been written. */
export interface WrittenExport {
  /** How many records of each type there are. */
  readonly counts: ReadonlyMap<ExportRecord['type'], number>;
  readonly digests: readonly DigestLine[];
}

/**
 * Writes an export, which only its owner may read (0600), compressed when its name ends with `.gz`. It has its name when it
 * is complete and on disk. @throws Error when there is such a file already, which stays as it is
 */
export async function writeExport(
  path: string,
  header: ExportHeader,
  records: AsyncIterable<ExportRecord>,
): Promise<WrittenExport> {
  if (await exists(path)) throw new Error(`${path} is there already and stays as it is; name another file`);
  const draft = join(dirname(path), `.${basename(path)}.partial`);
  const content = new ExportLines(header, records);
  // What an earlier attempt has left may have other rights.
  await rm(draft, { force: true });
  try {
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    const lines = Readable.from(content.portions(), { objectMode: false });
    await (path.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file));
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return content;
}

/** The text of an export, and what it says of itself in its last lines. */
class ExportLines implements WrittenExport {
  readonly counts = new Map<ExportRecord['type'], number>();
  digests: readonly DigestLine[] = [];
  readonly #header: ExportHeader;
  readonly #records: AsyncIterable<ExportRecord>;
  readonly #hash = createHash('sha256');
  #lines = 0;

  constructor(header: ExportHeader, records: AsyncIterable<ExportRecord>) {
    this.#header = header;
    this.#records = records;
  }

  /** Whole lines, several at a time. */
  async *portions(): AsyncGenerator<string> {
    let portion = '';
    for await (const line of this.#all()) {
      portion += line;
      if (portion.length < PORTION) continue;
      yield portion;
      portion = '';
    }
    yield portion;
  }

  async *#all(): AsyncGenerator<string> {
    yield this.#line(this.#header);
    const digest = new ContentDigest();
    for await (const record of this.#records) {
      digest.add(record);
      this.counts.set(record.type, (this.counts.get(record.type) ?? 0) + 1);
      yield this.#line(record);
    }
    this.digests = digest.lines();
    for (const line of this.digests) yield this.#line(line);
    yield `${JSON.stringify({ type: 'end', lines: this.#lines, sha256: this.#hash.digest('hex') })}\n`;
  }

  #line(line: ExportLine): string {
    const text = `${JSON.stringify(line)}\n`;
    this.#hash.update(text);
    this.#lines += 1;
    return text;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
