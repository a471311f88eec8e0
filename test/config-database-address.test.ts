import { expect, test } from 'vitest';
import { readDatabaseAddress } from '../src/config/database-address.js';

const hosts = (url: string) =>
  readDatabaseAddress(url)?.hosts.map(({ connectionString }) => connectionString);

test('each host of an address has the rest of it', () => {
  expect(hosts('postgres://me:p%40ss@one:5432,two.example:5433/registry?sslmode=verify-full')).toEqual([
    'postgres://me:p%40ss@one:5432/registry?sslmode=verify-full',
    'postgres://me:p%40ss@two.example:5433/registry?sslmode=verify-full',
  ]);
  expect(hosts('postgresql://one/registry')).toEqual(['postgresql://one/registry']);
  expect(hosts('postgres://me@[::1]:5432,[::2]/registry')).toHaveLength(2);
});

test('what is told of an address has no password in it', () => {
  const address = readDatabaseAddress('postgres://me:hunter2@one,two:5433/registry?sslmode=verify-full');
  expect(address?.described).toBe('me@one,two:5433/registry');
  expect(address?.hosts.map(({ described }) => described)).toEqual([
    'me@one/registry',
    'me@two:5433/registry',
  ]);
});

test.each([
  'mysql://one/registry',
  'postgres:registry',
  'postgres://one',
  'postgres://one/',
  'postgres://one:port/registry',
  '',
])('no address: %s', (url) => {
  expect(readDatabaseAddress(url)).toBeUndefined();
});
