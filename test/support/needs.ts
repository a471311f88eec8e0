import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresPrograms } from './postgres-programs.js';

/** Where Debian's packages put them: the one without windows takes a quarter of the processor time of the other. */
export const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

/** What tests may need beyond Node.js and the packages of npm: is it here, and what brings it to Debian? */
const MACHINE = {
  postgresql: { isHere: () => postgresPrograms() !== undefined, bring: 'apt-get install postgresql' },
  chromium: { isHere: () => BROWSERS.some(existsSync), bring: 'apt-get install chromium-headless-shell' },
  firefox: program('/usr/bin/firefox-esr', 'firefox-esr'),
  webkit: program('/usr/bin/WebKitWebDriver', 'webkit2gtk-driver'),
  xvfb: program('/usr/bin/Xvfb', 'xvfb'),
  mount: { isHere: canMount, bring: 'root, who may mount a disk' },
  virtuoso: program('/usr/bin/virtuoso-t', 'virtuoso-opensource-7-bin'),
  caddy: program('/usr/bin/caddy', 'caddy'),
  prometheus: program('/usr/bin/promtool', 'prometheus'),
  pgbouncer: program('/usr/sbin/pgbouncer', 'pgbouncer'),
  systemd: program('/usr/bin/systemd-analyze', 'systemd'),
} as const;

type Need = keyof typeof MACHINE;

interface NeedyTests {
  /** What they are of. */
  readonly kind: 'database' | 'browser' | 'servers';
  readonly needs: readonly Need[];
  /** A pattern of their paths. */
  readonly files: string;
}

/** Test files that need more than Node.js, and what it is. */
export const NEEDY: readonly NeedyTests[] = [
  { kind: 'database', needs: ['postgresql'], files: 'test/keep/postgres/!(pgbouncer).test.ts' },
  { kind: 'database', needs: ['postgresql'], files: 'test/registry/postgres.test.ts' },
  { kind: 'browser', needs: ['chromium'], files: 'test/acceptance/browser-!(others).test.ts' },
  { kind: 'browser', needs: ['firefox', 'webkit', 'xvfb'], files: 'test/acceptance/browser-others.test.ts' },
  { kind: 'servers', needs: ['postgresql'], files: 'test/acceptance/postgres-*.test.ts' },
  { kind: 'servers', needs: ['mount'], files: 'test/acceptance/disk-full.test.ts' },
  { kind: 'servers', needs: ['pgbouncer', 'postgresql'], files: 'test/keep/postgres/pgbouncer.test.ts' },
  { kind: 'servers', needs: ['virtuoso'], files: 'test/acceptance/examples-sparql.test.ts' },
  { kind: 'servers', needs: ['caddy', 'systemd'], files: 'test/acceptance/examples-processes.test.ts' },
  { kind: 'servers', needs: ['prometheus'], files: 'test/acceptance/examples-monitoring.test.ts' },
];

/** What is not here: `database (apt-get install postgresql)`; once for each kind that lacks something. */
export function missingHere(): string[] {
  const missing = NEEDY.flatMap(({ kind, needs }) =>
    needs.filter((need) => !MACHINE[need].isHere()).map((need) => `${kind} (${MACHINE[need].bring})`),
  );
  return [...new Set(missing)];
}

/** Has this machine all that these tests need? */
export function canRun({ needs }: NeedyTests): boolean {
  return needs.every((need) => MACHINE[need].isHere());
}

function program(file: string, debianPackage: string): { isHere: () => boolean; bring: string } {
  return { isHere: () => existsSync(file), bring: `apt-get install ${debianPackage}` };
}

/** Root of a container often may not. */
function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'registry-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}
