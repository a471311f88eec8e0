import { beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../acceptance/adapters/connection-app.js';
import { faultsOf, parse } from '../acceptance/adapters/parsed-config.js';
import { createTestApp, type TestApp } from '../acceptance/adapters/registry-app.js';

/** The first segments of the paths that a router answers. */
const segments = ({ routes }: TestApp['app']) =>
  [...new Set(routes.map(({ path }) => path.split('/')[1] ?? ''))].filter((segment) => /^[^*]/.test(segment));

let registry: TestApp['app'];
beforeAll(async () => {
  ({ app: registry } = await createTestApp());
});

describe('the connection service cannot be mounted on a path of the registry', () => {
  test('whichever it is, as itself or with more behind it', () => {
    const own = segments(registry);
    expect(own).toEqual(
      expect.arrayContaining(['component', 'c', 'status', 'publish', 'network', 'host.js']),
    );
    for (const path of own.flatMap((segment) => [`/${segment}`, `/${segment}/x`])) {
      const [fault] = faultsOf(() => parse({ connection: { path } }));
      expect(fault).toMatch(/^connection\.path: .* is where the registry answers .*; choose another/);
    }
  });

  test('but on any other', () => {
    for (const path of ['/connect', '/datas', '/my/data', '/Component'])
      expect(parse({ connection: { path } }).connection.path).toBe(path);
  });
});

test('mounted at /, the connection service answers at no path of the registry', async () => {
  const { service } = await startService();
  const both = segments(service.app).filter((segment) => segments(registry).includes(segment));
  expect([segments(service.app).length > 3, both]).toEqual([true, []]);
});
