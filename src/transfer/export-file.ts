import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { explain } from '../lib/faults.js';
import { flushDirectory } from '../lib/flush-directory.js';
import { jsonValue } from '../lib/json.js';
import { unlessMissing } from '../lib/missing-file.js';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportHeader,
  type ExportLine,
  type ExportRecord,
  readLine,
} from './export-record.js';

/** The file cannot be imported; the message says to the operator why. */
export class UnusableExport extends Error {
  override readonly name = 'UnusableExport';
}

/** Is the file of this name compressed? */
const isPacked = (path: string) => path.endsWith('.gz');

/**
 * Writes an export, which only its owner may read (0600), compressed when its name ends with `.gz`. It has its name when it
 * is complete and on disk. @throws Error when there is such a file already, which stays as it is
 */
export async function writeExport(
  path: string,
  header: ExportHeader,
  records: AsyncIterable<ExportRecord>,
): Promise<void> {
  if (await stat(path).catch(unlessMissing))
    throw new Error(`${path} is there already and stays as it is; name another file`);
  const draft = join(dirname(path), `.${basename(path)}.partial`);
  // What an earlier attempt has left may have other rights.
  await rm(draft, { force: true });
  try {
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    const text = Readable.from(textOf(header, records), { objectMode: false });
    await (isPacked(path) ? pipeline(text, createGzip(), file) : pipeline(text, file));
    await rename(draft, path);
    await flushDirectory(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function* textOf(header: ExportHeader, records: AsyncIterable<ExportRecord>): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let lines = 0;
  const hashed = (line: ExportLine) => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    lines += 1;
    return text;
  };
  yield hashed(header);
  for await (const record of records) yield hashed(record);
  yield `${JSON.stringify({ type: 'end', lines, sha256: hash.digest('hex') })}\n`;
}

/** What an export says of itself. */
export interface ExportSummary {
  readonly header: ExportHeader;
  /** How many records of each type there are. */
  readonly counts: ReadonlyMap<ExportRecord['type'], number>;
  /** Statements that break a rule of this release, and are not among those above. */
  readonly invalid: number;
  /** The secret from which the keys of the connection service are made. */
  readonly key?: string | undefined;
  /** Of its bytes but for the last line, which tells it, too. */
  readonly sha256: string;
}

/** Reads an export to its end, and so finds out whether it is whole. @throws UnusableExport */
export async function checkExport(path: string): Promise<ExportSummary> {
  const counts = new Map<ExportRecord['type'], number>();
  let [header, key]: [ExportHeader?, string?] = [];
  let [invalid, sha256] = [0, ''];
  for await (const line of linesOf(path)) {
    if (!line) invalid += 1;
    else if (line.type === 'header') header = line;
    else if (line.type === 'end') sha256 = line.sha256;
    else if (line.type !== 'digest') counts.set(line.type, (counts.get(line.type) ?? 0) + 1);
    if (line?.type === 'key') key = line.secret;
  }
  // A file without a header has been refused at its first line.
  return { header: header as ExportHeader, counts, invalid, sha256, key };
}

/** What an export holds, in its order, without what breaks a rule of this release. @throws UnusableExport */
export async function* recordsOf(path: string): AsyncGenerator<ExportRecord> {
  for await (const line of linesOf(path))
    if (line && line.type !== 'header' && line.type !== 'digest' && line.type !== 'end') yield line;
}

const TRUNCATED = 'is not complete: its end is missing';

/** All lines of a whole export, see `readLine`; those before a fault are yielded. @throws UnusableExport */
async function* linesOf(path: string): AsyncGenerator<ExportLine | undefined> {
  const hash = createHash('sha256');
  let [number, isOver] = [0, false];
  try {
    for await (const text of textsIn(path)) {
      if (isOver) throw new UnusableExport('is damaged: something stands behind its last line');
      number += 1;
      const line = lineIn(number, text);
      isOver = line?.type === 'end';
      if (line?.type !== 'end') hash.update(`${text}\n`);
      else if (line.lines !== number - 1 || line.sha256 !== hash.digest('hex'))
        throw new UnusableExport('is damaged: its content is not what was written');
      yield line;
    }
    if (!isOver) throw new UnusableExport(TRUNCATED);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UnusableExport(`there is no file ${path}`);
    const why = cause instanceof UnusableExport ? cause.message : `cannot be read: ${explain(cause)}`;
    throw new UnusableExport(`${path} ${why}`, { cause });
  }
}

/** Its lines without their line feeds. @throws UnusableExport when its end is missing; whatever reading fails with */
async function* textsIn(path: string): AsyncGenerator<string> {
  const bytes = createReadStream(path);
  // What fails to be read ends the other stream, too, and is thrown by it.
  const unpacked = isPacked(path) ? bytes.pipe(createGunzip()) : bytes;
  bytes.on('error', (error) => unpacked.destroy(error));
  let rest = '';
  for await (const chunk of unpacked.setEncoding('utf8')) {
    const texts = (rest + chunk).split('\n');
    rest = texts.pop() ?? '';
    yield* texts;
  }
  if (rest !== '') throw new UnusableExport(TRUNCATED);
}

/** @throws UnusableExport for a line of something else, or of another version of the format */
function lineIn(number: number, text: string): ExportLine | undefined {
  const value = jsonValue(text);
  const { type, format, version } = Object(value) as Partial<Record<string, unknown>>;
  if (number === 1 && (type !== 'header' || format !== EXPORT_FORMAT))
    throw new UnusableExport('is not an export of a node');
  const newer = `(version ${version} of the format, this one knows ${EXPORT_VERSION})`;
  if (number === 1 && typeof version === 'number' && version > EXPORT_VERSION)
    throw new UnusableExport(`was written by a newer release ${newer}: import it with that release`);
  try {
    const line = readLine(value);
    if ((line?.type === 'header') !== (number === 1)) throw new Error('a header stands in the wrong place');
    return line;
  } catch (cause) {
    throw new UnusableExport(`is damaged: line ${number} cannot be understood (${explain(cause)})`);
  }
}
