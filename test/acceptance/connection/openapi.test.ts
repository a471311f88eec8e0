import { beforeAll, expect, test } from 'vitest';
import { connect, connectionPath, invite } from '../../support/connection-requests.js';
import { schemaFor } from '../../support/openapi.js';
import { ALICE, startService, type TestService } from '../adapters/connection-app.js';

let node: TestService;
beforeAll(async () => {
  node = await startService({ path: '/connect' });
});

type Operations = Record<string, { responses: Record<string, unknown>; security: unknown }>;

test('the description has every path with the methods that it has, and all answers of errors', async () => {
  const paths = Object.entries(node.service.openApi().paths) as [string, Operations][];
  expect(paths).toHaveLength(11);
  for (const [path, operations] of paths) {
    const where = path.replace('{uri}', 'urn:x');
    const { headers } = await node.send(where, { method: 'OPTIONS' });
    const methods = (headers.get('allow') ?? '')
      .split(', ')
      .filter((name) => !['HEAD', 'OPTIONS'].includes(name));
    expect(Object.keys(operations).sort(), path).toEqual(methods.map((name) => name.toLowerCase()).sort());
    for (const [method, { responses }] of Object.entries(operations)) {
      const token = method === 'get' ? null : 'wrong';
      expect((await node.send(where, { method: method.toUpperCase(), token })).status).toBe(401);
      expect(responses, `${method} ${path}`).toHaveProperty('401');
    }
  }
});

test('its schemas accept what is answered and what may be sent, with URIs plain and percent-encoded', async () => {
  const own = await startService();
  const schemas = own.service.openApi().schemas as Record<string, object>;
  const fits = (name: string, value: unknown) =>
    expect(
      schemaFor({ $ref: `#/components/schemas/${name}` }, schemas).safeParse(value).error,
      name,
    ).toBeUndefined();
  const connection = (await own.send(connectionPath(await connect(own, ALICE)))).json;
  expect(connection.holder).toBe(encodeURIComponent(ALICE));
  fits('Connection', connection);
  const { uri: _, ...sent } = connection;
  fits('NewConnection', sent);
  fits('NewConnection', { ...sent, holder: ALICE });
  fits('Invite', (await own.send(`/invite/${encodeURIComponent(await invite(own, ALICE))}`)).json);
  fits('NewInvite', { purpose: encodeURIComponent('https://purpose.example/p'), holder: ALICE });
});
