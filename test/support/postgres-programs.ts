import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian puts the programs, which it does not put on the path. */
const DEBIAN = '/usr/lib/postgresql';

/** The folder with initdb and postgres; undefined where PostgreSQL is not installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), '/usr/local/bin', '/usr/bin'];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** Can a test start a server? A file that tests other engines, too, leaves this one out where it cannot. */
export function hasPostgres(): boolean {
  return postgresPrograms() !== undefined;
}
