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

/** Without PostgreSQL its tests are skipped, and say so; CI installs it, and skips nothing. */
export function skipsPostgres(): boolean {
  const { CI, CONTRACT_URL } = process.env;
  if (postgresPrograms() !== undefined || CI === 'true' || CONTRACT_URL !== undefined) return false;
  process.stderr.write(
    'Skipped: tests of the engine postgres, because PostgreSQL is not installed: apt-get install postgresql (it need not run)\n',
  );
  return true;
}
