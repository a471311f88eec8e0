import { beforeAll, describe, expect, test } from 'vitest';
import { documentAt } from '../../support/docs.js';
import { type FakeServer, fakeServer, inTurtle } from '../../support/fake-server.js';
import { BASE, OPERATOR, startService, type TestService } from '../adapters/connection-app.js';

/**
 * What the Connection Service Interface states, in its own order and with nothing that it does not name: paths with their
 * trailing slashes, the fields of its tables, a bearer token. docs/connections.md says what was chosen where it is silent.
 */
const encode = encodeURIComponent;
const HOLDER = 'http://example.org/holder/lucy';

let node: TestService;
let pod: FakeServer;
beforeAll(async () => {
  pod = (await fakeServer()).everything(inTurtle('<urn:s> <urn:p> "said", <urn:o> .'));
  node = await startService();
});

/** The status and the body of a JSON request with the operator's token. */
async function ask(method: string, path: string, body?: object) {
  const { status, json } = await node.send(path, { method, token: OPERATOR, body });
  return { status, json };
}

describe('connections', () => {
  const sent = () => ({
    configuration: { any: 'thing' },
    state: 'CONNECTED',
    source: encode(pod.url('/source')),
    holder: encode(HOLDER),
  });

  test('are made from four fields, and have five', async () => {
    const { json } = await ask('POST', '/connection/', sent());
    expect(json).toEqual({ ...sent(), uri: expect.stringMatching(/^https%3A%2F%2F/) });
    // The uri of an answer is the path parameter.
    expect(await ask('GET', `/connection/${json.uri}`)).toEqual({ status: 200, json });
    expect((await ask('GET', '/connection/')).json).toEqual([json]);
    const changed = { ...json, configuration: {} };
    expect(await ask('PUT', `/connection/${json.uri}`, changed)).toEqual({ status: 200, json: changed });
    expect((await ask('GET', `/holder/${encode(HOLDER)}/connections`)).json).toEqual([changed]);
  });
});

describe('invites', () => {
  const invite = {
    uri: 'http://example.org/invite/1',
    exchange: null,
    holder: HOLDER,
    state: 'not linked',
    purpose: 'http://example.org/purpose/1',
    connection: null,
    created: '1611566267000',
    expires: '4102444800000',
    accepted: null,
  };

  test('are made from all nine fields, and answered with them', async () => {
    expect(await ask('POST', '/invite/', invite)).toEqual({ status: 201, json: invite });
    expect((await ask('GET', '/invite/')).json).toEqual([invite]);
    const path = `/invite/${encode(invite.uri)}`;
    expect(await ask('GET', path)).toEqual({ status: 200, json: invite });
    const later = { ...invite, expires: '4102444800001' };
    expect(await ask('PUT', path, later)).toEqual({ status: 200, json: later });
    const link = (await ask('GET', `${path}/link`)).json;
    expect(link).toEqual({ inviteLink: expect.stringContaining(BASE) });
    expect((await ask('GET', `/holder/${encode(HOLDER)}/connections?type=invite`)).json).toEqual([later]);
  });
});

describe('resources', () => {
  test('are refreshed at once, and told as triples', async () => {
    const { status, json } = await ask('POST', '/resource/refresh');
    expect(status).toBe(200);
    const subject = { value: 'urn:s', termType: 'uri' };
    expect(json).toMatchObject([{ uri: pod.url('/source') }]);
    expect(json[0].triples).toEqual(
      expect.arrayContaining([
        {
          subject,
          predicate: 'urn:p',
          object: { value: 'said', termType: 'literal', dataType: 'http://www.w3.org/2001/XMLSchema#string' },
        },
        { subject, predicate: 'urn:p', object: { value: 'urn:o', termType: 'uri' } },
      ]),
    );
  });
});

test('docs/connections.md names every path of the service, and every kind of error that it declares', async () => {
  const text = documentAt('docs/connections.md');
  const { paths } = (await node.service.openApi()) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  for (const path of Object.keys(paths)) expect(text, path).toContain(path);
  const statuses = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ responses }) => Object.keys(responses)),
  );
  const errors = [...new Set(statuses)].filter((status) => Number(status) >= 400);
  const [, named = ''] = /\(RFC 9457\): ([\d, ]+)/.exec(text) ?? [];
  expect(named.trim().split(', ')).toEqual(expect.arrayContaining(errors));
});
