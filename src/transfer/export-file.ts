import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { explain } from '../lib/faults.js';
import { jsonValue } from '../lib/json-value.js';
import {
  EXPORT_VERSION,
  type ExportHeader,
  type ExportLine,
  type ExportRecord,
  headerSchema,
  readLine,
} from './export-record.js';

/** The file cannot be imported; the message says to the operator why. */
export class UnusableExport extends Error {
  override readonly name = 'UnusableExport';
}

/** What an export says of itself. */
export interface ExportSummary {
  readonly header: ExportHeader;
  /** How many records of each type there are. */
  readonly counts: ReadonlyMap<ExportRecord['type'], number>;
  /** Statements of the node itself. */
  readonly own: number;
  /** Statements that break a rule of this release, and are not among those above. */
  readonly invalid: number;
  /** The secret from which the keys of the connection service are made. */
  readonly key?: string;
  /** Of its bytes. */
  readonly sha256: string;
}

/** Reads an export to its end, and so finds out whether it is whole. @throws UnusableExport */
export async function checkExport(path: string): Promise<ExportSummary> {
  const counts = new Map<ExportRecord['type'], number>();
  const found: { header?: ExportHeader; key?: string } = {};
  let [own, invalid, sha256] = [0, 0, ''];
  for await (const line of linesOf(path)) {
    if (!line) invalid += 1;
    else if (line.type === 'header') found.header = line;
    else if (line.type === 'end') sha256 = line.sha256;
    else if (isRecord(line)) {
      counts.set(line.type, (counts.get(line.type) ?? 0) + 1);
      if (line.type === 'statement' && line.source.kind === 'local') own += 1;
      if (line.type === 'key') found.key = line.secret;
    }
  }
  const { header, ...key } = found;
  if (!header) throw new UnusableExport(`${path} is not an export of a node`);
  return { header, counts, own, invalid, sha256, ...key };
}

/** What an export holds, in its order, without what breaks a rule of this release. @throws UnusableExport */
export async function* recordsOf(path: string): AsyncGenerator<ExportRecord> {
  for await (const line of linesOf(path)) if (line && isRecord(line)) yield line;
}

function isRecord(line: ExportLine): line is ExportRecord {
  return line.type !== 'header' && line.type !== 'digest' && line.type !== 'end';
}

/** All lines of a whole export, see `readLine`; those before a fault are yielded. @throws UnusableExport */
async function* linesOf(path: string): AsyncGenerator<ExportLine | undefined> {
  const hash = createHash('sha256');
  let number = 0;
  let isOver = false;
  try {
    for await (const text of textsOf(path)) {
      if (isOver) throw new UnusableExport(`${path} is damaged: something stands behind its last line`);
      number += 1;
      const line = lineOf(path, number, text);
      isOver = line?.type === 'end';
      if (line?.type !== 'end') hash.update(`${text}\n`);
      else if (line.lines !== number - 1 || line.sha256 !== hash.digest('hex'))
        throw new UnusableExport(`${path} is damaged: its content is not what was written`);
      yield line;
    }
  } catch (cause) {
    throw faultOf(path, cause);
  }
  if (!isOver) throw number === 0 ? new UnusableExport(`${path} is empty`) : truncated(path);
}

/** Its lines without their line feeds. @throws UnusableExport when the last one has none */
async function* textsOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of await charactersOf(path)) {
    const texts = (rest + chunk).split('\n');
    rest = texts.pop() ?? '';
    yield* texts;
  }
  if (rest !== '') throw truncated(path);
}

/** Its characters, unpacked where they are compressed, which is told by how they begin (RFC 1952, section 2.3.1). */
async function charactersOf(path: string): Promise<AsyncIterable<string>> {
  const file = await open(path);
  const magic = Buffer.alloc(2);
  try {
    await file.read(magic, 0, 2, 0);
  } finally {
    await file.close();
  }
  const bytes = createReadStream(path);
  if (magic[0] !== 0x1f || magic[1] !== 0x8b) return bytes.setEncoding('utf8');
  const unpacked = createGunzip();
  bytes.on('error', (error) => unpacked.destroy(error));
  return bytes.pipe(unpacked).setEncoding('utf8');
}

function lineOf(path: string, number: number, text: string): ExportLine | undefined {
  const value = jsonValue(text);
  if (number === 1) checkHeader(path, value);
  try {
    if (value === undefined) throw new Error('it is not JSON');
    const line = readLine(value);
    if ((line?.type === 'header') !== (number === 1)) throw new Error('a header stands in the wrong place');
    return line;
  } catch (cause) {
    throw new UnusableExport(`${path} is damaged: line ${number} cannot be understood (${explain(cause)})`);
  }
}

function checkHeader(path: string, value: unknown): void {
  const header = headerSchema.safeParse(value);
  if (!header.success) throw new UnusableExport(`${path} is not an export of a node`);
  if (header.data.version <= EXPORT_VERSION) return;
  throw new UnusableExport(
    `${path} was written by a newer release (version ${header.data.version} of the format, this one knows ${EXPORT_VERSION}): import it with that release`,
  );
}

function truncated(path: string): UnusableExport {
  return new UnusableExport(`${path} is not complete: its end is missing`);
}

function faultOf(path: string, cause: unknown): Error {
  if (cause instanceof UnusableExport) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new UnusableExport(`there is no file ${path}`);
  if (code === 'Z_BUF_ERROR') return truncated(path);
  return new UnusableExport(`${path} cannot be read: ${explain(cause)}`, { cause });
}
