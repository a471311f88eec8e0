import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { flushDirectory } from '../lib/flush-directory.js';
import type { ExportHeader, ExportLine, ExportRecord } from './export-record.js';

/** Characters that are handed to the file at a time. */
const PORTION = 64 * 1024;

/** What has been written. */
export interface WrittenExport {
  /** How many records of each type there are. */
  readonly counts: ReadonlyMap<ExportRecord['type'], number>;
  /** Of all lines but the last one, which tells it, too. */
  readonly sha256: string;
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
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${path} is there already and stays as it is; name another file`);
  const draft = join(dirname(path), `.${basename(path)}.partial`);
  const written = { counts: new Map<ExportRecord['type'], number>(), sha256: '' };
  // What an earlier attempt has left may have other rights.
  await rm(draft, { force: true });
  try {
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    const lines = Readable.from(portions(header, records, written), { objectMode: false });
    await (path.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file));
    await rename(draft, path);
    await flushDirectory(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return written;
}

/** The text of an export, whole lines, several at a time. What is written is counted on the way. */
async function* portions(
  header: ExportHeader,
  records: AsyncIterable<ExportRecord>,
  written: { readonly counts: Map<ExportRecord['type'], number>; sha256: string },
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const lineOf = (line: ExportLine) => `${JSON.stringify(line)}\n`;
  let [portion, lines] = [lineOf(header), 1];
  for await (const record of records) {
    written.counts.set(record.type, (written.counts.get(record.type) ?? 0) + 1);
    portion += lineOf(record);
    lines += 1;
    if (portion.length < PORTION) continue;
    hash.update(portion);
    yield portion;
    portion = '';
  }
  written.sha256 = hash.update(portion).digest('hex');
  yield portion + lineOf({ type: 'end', lines, sha256: written.sha256 });
}
