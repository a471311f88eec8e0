import { chmod, chown, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { checkDatabase } from '../../../src/store/postgres/check-database.js';
import { openDatabase } from '../../../src/store/postgres/open-database.js';
import { cleanup } from '../../support/cleanup.js';
import { FORGETFUL, PostgresServer } from '../../support/postgres-server.js';
import { type TestCertificates, testCertificates } from '../../support/test-certificates.js';
import { waitFor } from '../../support/wait-for.js';

const given = {
  ...{ connections: 1, patienceMs: 0, statementMs: 5_000, clock: systemClock, random: Math.random },
  log: { warn: () => undefined },
};
const check = (url: string) => checkDatabase({ url, ...given }, { baseUrl: 'http://node.example' });

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
    const database = await openDatabase({ url: address, ...given });
    cleanup(() => database.close());
    const rows = await database.read((session) =>
      session.rows<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    );
    return rows[0]?.ssl;
  }

  it('is used with TLS exactly when the address says so', async () => {
    expect(await usesTls(url(verified(certificates.authority)))).toBe(true);
    expect(await usesTls(url(''))).toBe(false);
    expect(await usesTls(url('?sslmode=disable'))).toBe(false);
  });

  it('is refused when its certificate is not to be trusted, and check says what to do', async () => {
    const faults: [string, RegExp][] = [
      [url('?sslmode=verify-full'), /signed by nobody that this machine trusts: name the authority with/],
      [
        url(verified((await testCertificates('IP:127.0.0.1')).authority)),
        /signed by nobody that this machine trusts/,
      ],
      [
        url(verified(certificates.authority)).replace('127.0.0.1', 'localhost'),
        /certificate is for another host name than the URL has/,
      ],
      [url(verified('/no/such/file')), /are the files that the URL names there/],
    ];
    for (const [address, fault] of faults) {
      const error = await check(address).catch((reason: Error) => reason);
      expect(String(error)).toMatch(fault);
      expect(String(error)).not.toContain('hunter2');
    }
    expect(await check(url(verified(certificates.authority)))).toMatch(/^PostgreSQL .* no tables yet/);
  });
});
