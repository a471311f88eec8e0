import { describe, expect, it } from 'vitest';
import { KeepUnusable } from '../../../src/keep/faults.js';
import { checkDatabase } from '../../../src/keep/postgres/check-database.js';
import { systemClock } from '../../../src/lib/clock.js';
import { cleanup } from '../../support/cleanup.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { write } from '../contract.js';
import { SILENT } from '../level-engine.js';
import { openedAt, sql } from './postgres-engine.js';

const given = { patienceMs: 0, statementMs: 5_000, clock: systemClock, random: Math.random, log: SILENT };
const check = (url: string) => checkDatabase({ url, ...given });

const changed = (url: string, change: (url: URL) => void) => {
  const other = new URL(url);
  change(other);
  return other.href;
};

describe('what check says of a database', () => {
  it('is its server, and what it holds; nothing is changed', async () => {
    const url = await newDatabase();
    const place = /^PostgreSQL \d+\S* at registry@127\.0\.0\.1:\d+\/test_\d+, /.source;
    for (let i = 0; i < 2; i++) expect(await check(url)).toMatch(new RegExp(`${place}no tables yet`));
    const opened = await openedAt(url);
    cleanup(() => opened.close());
    const keep = await opened.keep('registry');
    const row = (table: string, key: string) => ({ table, key, value: '{}' });
    await write(keep, { rows: [row('statement', 'a'), row('statement', 'b'), row('source', 'a')] });
    expect(await check(url)).toMatch(new RegExp(`${place}layout 2, 2 descriptions of components`));
  });

  it('is that a crash loses data, where the server is set so', async () => {
    // As the server of the tests is.
    expect(await check(await newDatabase())).toMatch(/; its fsync is off: a crash loses what/);
  });

  it('is what is wrong with it, and never the password', async () => {
    const url = await newDatabase();
    const wrong = (change: (url: URL) => void) =>
      changed(url, (other) => {
        other.password = 'hunter2';
        change(other);
      });
    const faults: [string, RegExp][] = [
      [wrong((at) => (at.pathname = '/none')), /there is no such database: createdb makes one/],
      [wrong((at) => (at.port = '1')), /nothing listens there/],
      [wrong((at) => (at.search = '?sslmode=verify-full')), /the server has no TLS/],
      [wrong((at) => (at.username = 'nobody')), /nobody@.*cannot be used/],
      [
        wrong((at) => (at.hostname = 'no.such.host.invalid')),
        /there is no host of this name|cannot be looked up/,
      ],
    ];
    for (const [address, fault] of faults) {
      const error = await check(address).catch((reason: Error) => reason);
      expect(error).toBeInstanceOf(KeepUnusable);
      expect(String(error)).toMatch(fault);
      expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('hunter2');
    }
    await expect(check('no address')).rejects.toThrow(/REGISTRY_STORE_URL is no address/);
  });

  it('is that its layout is of another release, or of version 0.2.0', async () => {
    const url = await newDatabase();
    await (await openedAt(url)).close();
    await sql(url, 'UPDATE keep.layout SET version = 99');
    await expect(check(url)).rejects.toThrow(/layout 99, and this release knows 2/);
    const former = await newDatabase();
    await sql(former, 'CREATE SCHEMA registry', 'CREATE TABLE registry.schema_version (area text)');
    await expect(check(former)).rejects.toThrow(/version 0\.2\.0 .*export it .*import the file/);
  });

  it('is that its encoding holds not all texts', async () => {
    const url = await newDatabase();
    const ascii = `ascii_${new URL(url).pathname.slice(1)}`;
    await sql(
      url,
      `CREATE DATABASE ${ascii} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    cleanup(() => sql(url, `DROP DATABASE ${ascii}`));
    const address = changed(url, (at) => {
      at.pathname = `/${ascii}`;
    });
    for (const use of [check, openedAt])
      await expect(use(address)).rejects.toThrow(
        /encoding SQL_ASCII; make one with createdb --encoding=UTF8/,
      );
  });

  it('is that its user may not make tables there', async () => {
    const url = await newDatabase();
    const guest = `guest_${new URL(url).pathname.slice(1)}`;
    await sql(url, `CREATE ROLE ${guest} LOGIN`);
    cleanup(() => sql(url, `DROP ROLE ${guest}`));
    const address = changed(url, (at) => {
      at.username = guest;
    });
    for (const use of [check, openedAt])
      await expect(use(address)).rejects.toThrow(/may not make tables there: GRANT CREATE ON DATABASE/);
  });
});
