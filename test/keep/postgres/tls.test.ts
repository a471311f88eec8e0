import { chmod, chown, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FORGETFUL, PostgresServer } from '../../support/postgres-server.js';
import { type TestCertificates, testCertificates } from '../../support/test-certificates.js';
import { waitFor } from '../../support/wait-for.js';
import { openedAt } from './postgres-engine.js';

/** What the connections of nodes are called at the server. */
const NAME = 'component-registry-node';

describe('a database server with TLS', () => {
  let server: PostgresServer;
  let certificates: TestCertificates;

  beforeAll(async () => {
    certificates = await testCertificates('IP:127.0.0.1');
    server = await PostgresServer.start(FORGETFUL);
    for (const name of ['certificate', 'key'] as const) {
      const file = join(server.data, `${name}.pem`);
      await copyFile(certificates[name], file);
      await chmod(file, 0o600);
      if (process.getuid?.() === 0) await chown(file, 65_534, 65_534);
    }
    await server.set({ ssl: 'on', ssl_cert_file: 'certificate.pem', ssl_key_file: 'key.pem' });
    await waitFor(async () => (await server.query<{ ssl: string }>('SHOW ssl'))[0]?.ssl === 'on');
    return () => server.remove();
  });

  const url = (parameters: string) => `${server.url().replace('@', ':hunter2@')}${parameters}`;
  const verified = (authority: string) => `?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
  async function usesTls(address: string): Promise<boolean | undefined> {
    const place = await openedAt(address, { patienceMs: 0 });
    const [connection] = await server.query<{ ssl: boolean }>(
      `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = '${NAME}'`,
    );
    await place.close();
    await waitFor(async () => {
      const left = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${NAME}'`;
      return (await server.query(left)).length === 0;
    });
    return connection?.ssl;
  }

  it('is used with TLS exactly when the address says so', async () => {
    expect(await usesTls(url(verified(certificates.authority)))).toBe(true);
    expect(await usesTls(url(''))).toBe(false);
    expect(await usesTls(url('?sslmode=disable'))).toBe(false);
  });

  it('is refused when its certificate is not to be trusted', async () => {
    const faults: [string, RegExp][] = [
      [url('?sslmode=verify-full'), /unable to verify the first certificate/],
      [
        url(verified((await testCertificates('IP:127.0.0.1')).authority)),
        /unable to verify|unable to get local issuer|self.signed|signature/,
      ],
      [
        url(verified(certificates.authority)).replace('127.0.0.1', 'localhost'),
        /does not match certificate's altnames/,
      ],
      [url(verified('/no/such/file')), /ENOENT.*\/no\/such\/file/],
    ];
    for (const [address, fault] of faults) {
      const error = await openedAt(address, { patienceMs: 0 }).catch((reason: Error) => reason);
      expect(String(error)).toMatch(fault);
      expect(String(error)).not.toContain('hunter2');
    }
  });
});
