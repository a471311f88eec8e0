import { appendFile, open, rename, stat } from 'node:fs/promises';
import type { Clock } from './clock.js';
import { compareText } from './compare-text.js';
import { explain } from './faults.js';
import type { LogTo } from './log.js';
import { unlessMissing } from './missing-file.js';

/** Something that somebody with a right did. Never a secret. */
export interface AuditRecord {
  /** When, as a date of ISO 8601. */
  readonly at: string;
  /** `operator`, `anybody` with the address, `command line` with the user, or the key of the configuration that says so. */
  readonly who: string;
  /** In a few words: `posted 3 components`. */
  readonly what: string;
  /** What it was done to: the first few uris or addresses. */
  readonly subjects?: readonly string[];
}

export interface Audit {
  /** Records one. Never rejects: the action has happened already, and the log has it, too. */
  record(record: Omit<AuditRecord, 'at'>): Promise<void>;
  /** The last of them, the newest first, those of other processes included. */
  latest(): Promise<readonly AuditRecord[]>;
}

/** Records that are shown, and subjects of each that are named. */
const SHOWN = 100;
const SUBJECTS = 5;
/** Bytes of the file, after which another one is begun and this one kept as `<file>.1`. */
const FULL = 5_000_000;
/** Bytes at its end that are read at the start. */
const TAIL = 256_000;

export interface AuditFileOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: LogTo<'info' | 'warn'>;
  /** The name of the node in which it is done, for the log: several nodes may write to one. Absent on the command line. */
  readonly node?: string;
  /** Is the file kept within bounds by another process? Only one may begin it again, or a part of the trail would be lost. */
  readonly isShared?: boolean;
}

/**
 * An audit trail in a file of JSON lines that only its owner can read, so that it outlives the process. Several processes
 * may write to it: each line is appended in one piece.
 */
export function auditFile(path: string, { clock, log, node, isShared = false }: AuditFileOptions): Audit {
  /** What could not be written. */
  const unwritten: AuditRecord[] = [];
  let writing: Promise<void> = Promise.resolve();
  return {
    record({ subjects, ...deed }) {
      const named = subjects?.slice(0, SUBJECTS).map((subject) => subject.slice(0, 300));
      const at = new Date(clock.now()).toISOString();
      const record: AuditRecord = { at, ...deed, subjects: named };
      log.info({ audit: true, node, ...deed, subjects: named }, 'audit');
      writing = writing
        .then(() => append(path, record, isShared))
        .catch((error) => {
          unwritten.unshift(record);
          unwritten.length = Math.min(unwritten.length, SHOWN);
          log.warn({ path, error: explain(error) }, 'the audit trail cannot be written');
        });
      return writing;
    },
    async latest() {
      await writing;
      const written = await lastRecords(path);
      const former = written.length < SHOWN ? await lastRecords(`${path}.1`) : [];
      const all = [...unwritten, ...written, ...former];
      // What is in the files is in order.
      if (unwritten.length > 0) all.sort((one, other) => compareText(other.at, one.at));
      return all.slice(0, SHOWN);
    },
  };
}

async function append(path: string, record: AuditRecord, isShared: boolean): Promise<void> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > FULL && !isShared) await rename(path, `${path}.1`);
  // A crash may have cut the line before: it must not take this one with it.
  await appendFile(path, `\n${JSON.stringify(record)}`, { mode: 0o600 });
}

/** The newest first. Lines that a crash has cut are left out. */
async function lastRecords(path: string): Promise<AuditRecord[]> {
  const file = await open(path, 'r').catch(unlessMissing);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from });
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n').slice(-SHOWN);
    return lines.flatMap(recordIn).reverse();
  } finally {
    await file.close();
  }
}

function recordIn(line: string): AuditRecord[] {
  try {
    const record = JSON.parse(line) as Partial<AuditRecord>;
    const { at, who, what } = record;
    return typeof at === 'string' && typeof who === 'string' && typeof what === 'string'
      ? [{ ...record, at, who, what }]
      : [];
  } catch {
    return [];
  }
}
