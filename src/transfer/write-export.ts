import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ContentDigest } from './content-digest.js';
import type { DigestLine, ExportEntry, ExportHeader, ExportLine } from './export-entry.js';

/** Characters that are handed to the file at a time. */
const PORTION = 64 * 1024;

/** What has been written. */
export interface WrittenExport {
  /** How many entries of each type there are. */
  readonly counts: ReadonlyMap<ExportEntry['type'], number>;
  readonly digests: readonly DigestLine[];
}

/**
 * Writes an export, which only its owner may read (0600), compressed when its name ends with `.gz`. It has its name when it
 * is complete and on disk. @throws Error when there is such a file already, which stays as it is
 */
export async function writeExport(
  path: string,
  header: ExportHeader,
  entries: AsyncIterable<ExportEntry>,
): Promise<WrittenExport> {
  if (await exists(path)) throw new Error(`${path} is there already and stays as it is; name another file`);
  const draft = join(dirname(path), `.${basename(path)}.partial`);
  const content = new ExportLines(header, entries);
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
  readonly counts = new Map<ExportEntry['type'], number>();
  digests: readonly DigestLine[] = [];
  readonly #header: ExportHeader;
  readonly #entries: AsyncIterable<ExportEntry>;
  readonly #hash = createHash('sha256');
  #lines = 0;

  constructor(header: ExportHeader, entries: AsyncIterable<ExportEntry>) {
    this.#header = header;
    this.#entries = entries;
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
    for await (const entry of this.#entries) {
      digest.add(entry);
      this.counts.set(entry.type, (this.counts.get(entry.type) ?? 0) + 1);
      yield this.#line(entry);
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
