import { spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OK, POD_A } from '../../registry/sources.js';
import { cleanup } from '../../support/cleanup.js';
import { heldPort } from '../../support/held-port.js';
import { component, openRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-server.js';
import { tempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { openedAt } from './postgres-engine.js';

/** As Debian installs it: version 1.18 in Debian 12. It refuses to run as root. */
const PROGRAM = '/usr/sbin/pgbouncer';
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The settings that docs/operators.md names. */
async function bouncer(database: URL): Promise<URL> {
  const [folder, port] = [await tempDir(), await heldPort()];
  const file = join(folder, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `* = host=${database.hostname} port=${database.port} user=registry`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any`,
    'pool_mode = session',
  ];
  await writeFile(file, `${settings.join('\n')}\n`);
  await chmod(folder, 0o755);
  const child = spawn(PROGRAM, [file], { ...NOBODY, stdio: 'ignore' });
  cleanup(() => child.kill('SIGKILL'));
  const url = new URL(database);
  url.port = String(port);
  return url;
}

it('behind PgBouncer nodes read and write as without it', async () => {
  const { href } = await bouncer(new URL(await newDatabase()));
  const open = async () => {
    const registry = await openRegistry(await waitFor(() => openedAt(href, { patienceMs: 2_000 })));
    cleanup(() => registry.close());
    return registry;
  };
  const [one, other] = [await open(), await open()];
  // More often than it takes until the driver prepares a statement by name.
  for (let i = 0; i < 10; i++) {
    await one.upsertLocal([component(`c${i}`, { tag: ['t'] })]);
    expect(await one.list({ tag: ['t'] })).toHaveLength(i + 1);
  }
  await waitFor(async () => (await other.size()) === 10);
  const lease = await other.polls?.take(POD_A);
  const documents = [{ url: `${POD_A.url}doc`, components: [component('pod')], record: {} }];
  const poll = { source: POD_A, documents, record: OK, ...(lease ? { lease } : {}) };
  expect(await other.commit(poll)).toMatchObject({ added: 1 });
  expect((await other.everything()).length).toBe(11);
});
