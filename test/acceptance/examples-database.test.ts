import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { list, post } from '../support/node/cluster.js';
import { MAIN } from '../support/run-program.js';
import { newDatabase } from '../support/shared-postgres.js';
import { EXAMPLES, runCommand, servicesOf } from '../support/shipped-examples.js';
import { tempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const GIVEN: Readonly<Record<string, string>> = {
  OPERATOR_TOKEN: 'the-operators-own-token',
  DATABASE_PASSWORD: 'secret',
};

describe('docs/examples/one-database/', () => {
  test('its nodes run with these settings, and are one registry', async () => {
    const services = await servicesOf('one-database', GIVEN);
    // In place of the names that only the containers have: the server of the tests, behind a host that is not there.
    const database = new URL(await newDatabase());
    const url = `postgres://registry@127.0.0.1:1,${database.host}${database.pathname}`;
    const directory = await tempDir();
    const urls = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const port = await heldPort();
        const env = {
          ...services[name]?.environment,
          ...{
            REGISTRY_STORE_URL: url,
            REGISTRY_LISTEN_PORT: String(port),
            REGISTRY_DATA_DIR: join(directory, name),
          },
          REGISTRY_PODS: '',
        };
        const file = join(EXAMPLES, '../../node.config.json');
        const { said } = runCommand([process.execPath, MAIN, '--config', file], { cwd: directory, env });
        await waitFor(() => said().includes('"listening"'), { describe: said });
        return `http://127.0.0.1:${port}`;
      }),
    );
    const uri = 'https://c.example/posted.js';
    const headers = { authorization: `Bearer ${GIVEN.OPERATOR_TOKEN}`, 'content-type': 'application/json' };
    const posted = await fetch(`${urls[0]}/component`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ uri, label: 'Posted' }),
    });
    expect(posted.status).toBe(201);
    expect(await post(urls[1] ?? '', [uri])).toBe(401);
    for (const node of urls) await waitFor(async () => (await list(node)).uris.includes(uri));
  });
});
