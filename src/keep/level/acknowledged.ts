import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A file beside those of LevelDB, which passes over names that it does not know: which version of a service was on disk last. LevelDB
 * takes a log that has lost its end for whole if it was cut between two commits; then the file knows a later version. The file itself
 * is not flushed: after a power failure it may know an earlier version, or be unreadable, which proves nothing.
 */
function fileOf(directory: string, service: string): string {
  return join(directory, `ACKNOWLEDGED-${service}`);
}

/** The commit to this version is on disk. */
export async function noteCommit(directory: string, service: string, version: number): Promise<void> {
  // A file that knows an earlier version is no fault, and the next commit writes it again.
  await writeFile(fileOf(directory, service), `${version}\n`, { mode: 0o600 }).catch(() => undefined);
}

/** Says which commits are missing where the database has this version; nothing where none is. */
export async function missingCommits(directory: string, service: string, version: number): Promise<string> {
  const text = await readFile(fileOf(directory, service), 'utf8').catch(() => '');
  const [, acknowledged = '0'] = /^(\d+)\n$/.exec(text) ?? [];
  const missing = Number(acknowledged) - version;
  if (missing <= 0) return '';
  return `the last ${missing} commits of the ${service} that were acknowledged are missing`;
}
