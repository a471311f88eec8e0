import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { run as runExport } from '../../src/cli/export-verb.js';
import { run as makeToken } from '../../src/cli/token-verb.js';
import { createAccess } from '../../src/connection/tokens/access.js';
import { loadKeys, readKeySecret, sharedSecret, shareKey } from '../../src/connection/tokens/key-file.js';
import { systemClock } from '../../src/lib/clock.js';
import { checkExport } from '../../src/transfer/export-file.js';
import { emptyDatabase, openedAt } from '../keep/postgres/postgres-engine.js';
import { cleanup } from '../support/cleanup.js';
import { hasPostgres } from '../support/postgres-programs.js';
import { sql } from '../support/postgres-server.js';
import { component, openRegistry } from '../support/registry.js';
import { tempDir } from '../support/temp-dir.js';
import { engineOf, exportTo, importFrom, openTransfer } from '../support/transfer.js';

it.skipIf(!hasPostgres())('commands beside a database use its key, on any machine', async () => {
  const url = await emptyDatabase();
  const [node, here] = [await tempDir(), await tempDir()];
  const place = await openedAt(url);
  await shareKey(await place.keep('connection'), node);
  const registry = await openRegistry(place);
  await registry.upsertLocal([component('a')]);
  await registry.close();
  vi.stubEnv('REGISTRY_STORE_URL', url);
  cleanup(() => vi.unstubAllEnvs());
  const config = join(here, 'node.config.json');
  const file = join(here, 'export');
  const write = (dataDir: string) =>
    writeFile(config, JSON.stringify({ store: { engine: 'postgres' }, dataDir }));
  await write(join(here, 'a'));
  let said = '';
  const say = (text: string) => {
    said = text;
  };
  const terminal = { say, note: () => undefined };
  await runExport(file, { config }, terminal);
  const secret = await readKeySecret(node);
  expect((await checkExport(file)).key).toBe(secret?.toString('base64url'));
  const options = { config, holder: 'urn:h', expires: 60_000 };
  await makeToken(options, terminal);
  const { token: key } = await loadKeys(node);
  const accessOf = createAccess(undefined, key, () => Promise.reject(), systemClock);
  expect(await accessOf(`Bearer ${said}`)).toEqual({ holder: 'urn:h' });
  // With another key, this machine could run no node.
  await write(join(here, 'b'));
  await loadKeys(join(here, 'b'));
  await expect(makeToken(options, terminal)).rejects.toThrow('move it away');
  // What docs/connections.md says to end all tokens.
  await sql(url, "DELETE FROM keep.row WHERE tbl = 'secret'");
  await write(join(here, 'c'));
  await makeToken(options, terminal);
  await expect(accessOf(`Bearer ${said}`)).rejects.toThrow('not a token of this node');
});

it.skipIf(!hasPostgres())('no import takes the place of a key that tokens have been made with', async () => {
  const engine = await engineOf('postgres');
  const place = await engine.openPlace(engine.dataDir);
  const connections = await place.keep('connection');
  await shareKey(connections, engine.dataDir);
  const file = join(engine.dataDir, 'export');
  await exportTo(file, await openTransfer(), Buffer.alloc(32, 7).toString('base64url'));
  await expect(importFrom(file, engine)).rejects.toThrow('give REGISTRY_STORE_URL an empty one');
  const own = await readKeySecret(engine.dataDir);
  expect(await sharedSecret(connections)).toBe(own?.toString('base64url'));
  await place.close();
});
