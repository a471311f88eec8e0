import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file beside those of LevelDB, which passes over names that it does not know. */
export const ACKNOWLEDGED = 'ACKNOWLEDGED';

/**
 * Notes beside the database which version of each service was on disk last. LevelDB takes a log that has lost its end for whole if it
 * was cut between two commits; then the file knows a later version. The file itself is not flushed: after a power failure it may
 * know an earlier version, or be unreadable, which proves nothing.
 */
export class Acknowledged {
  readonly #path: string;
  readonly #versions: Map<string, number>;
  #writing: Promise<void> | undefined;
  #isWritten = true;

  private constructor(path: string, versions: Map<string, number>) {
    this.#path = path;
    this.#versions = versions;
  }

  static async in(directory: string): Promise<Acknowledged> {
    const path = join(directory, ACKNOWLEDGED);
    return new Acknowledged(path, versionsIn(await readFile(path, 'utf8').catch(() => '')));
  }

  /** How many commits are missing where the database has this version. */
  missing(service: string, version: number): number {
    return Math.max(0, (this.#versions.get(service) ?? 0) - version);
  }

  /** The commit to this version is on disk. Nobody has to wait until the file says so, too. */
  confirm(service: string, version: number): void {
    this.#versions.set(service, version);
    this.#isWritten = false;
    this.#writing ??= this.#write();
  }

  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (!this.#isWritten) {
      this.#isWritten = true;
      const lines = [...this.#versions].map(([service, version]) => `${service} ${version}\n`);
      // A file that knows an earlier version is no fault, and the next commit writes it again.
      await writeFile(this.#path, lines.join(''), { mode: 0o600 }).catch(() => undefined);
    }
    this.#writing = undefined;
  }
}

/** For messages. */
export function lastCommits(service: string, missing: number): string {
  return `the last ${missing} commits of the ${service} that were acknowledged are missing`;
}

/** Lines that are not whole say nothing. */
function versionsIn(text: string): Map<string, number> {
  return new Map(
    [...text.matchAll(/^(\S+) (\d+)\n/gm)].map(([, service = '', version]) => [service, Number(version)]),
  );
}
