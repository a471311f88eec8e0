import { beforeEach, describe, expect, test } from 'vitest';
import { connect, refreshAll, values } from '../../../support/connection-requests.js';
import type { FakeServer } from '../../../support/fake-server.js';
import { inTurtle } from '../../../support/fake-server.js';
import { waitFor } from '../../../support/wait-for.js';
import { ALICE, BOB, startService, startWithPod, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;

let pod: FakeServer;
let node: TestService;
beforeEach(async () => {
  ({ pod, node } = await startWithPod());
});

const refresh = (token?: string) => refreshAll(node, token);

describe('a refresh', () => {
  test('reads the source, and answers triples as the specification writes them', async () => {
    pod.on('/doc', inTurtle('<#it> <urn:p> "x", "y"@en, 1, <urn:o>, [ <urn:q> _:z ] .'));
    const uri = await connect(node, ALICE, { source: pod.url('/doc') });
    const [record, ...others] = await refresh();
    expect(others).toEqual([]);
    expect(record).toMatchObject({ uri: pod.url('/doc'), connection: uri, refreshed: String(node.time.now) });
    expect(record.stale).toBeUndefined();
    const subject = { value: `${pod.url('/doc')}#it`, termType: 'uri' };
    const said = (object: object) => ({ subject, predicate: 'urn:p', object });
    const xsd = 'http://www.w3.org/2001/XMLSchema#';
    expect(record.triples).toHaveLength(6);
    expect(record.triples).toEqual(
      expect.arrayContaining([
        said({ value: 'x', termType: 'literal', dataType: `${xsd}string` }),
        said({
          value: 'y',
          termType: 'literal',
          dataType: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString',
          language: 'en',
        }),
        said({ value: '1', termType: 'literal', dataType: `${xsd}integer` }),
        said({ value: 'urn:o', termType: 'uri' }),
        said({ value: 'b0', termType: 'bnode' }),
        {
          subject: { value: 'b0', termType: 'bnode' },
          predicate: 'urn:q',
          object: { value: 'b1', termType: 'bnode' },
        },
      ]),
    );
    expect((await node.send(`/resource/${encode(pod.url('/doc'))}`)).json).toEqual(record);
    expect((await node.send('/resource/')).json).toEqual([record]);
  });

  test('reads the resources of a configuration beside the source, JSON-LD too', async () => {
    const jsonLd = {
      headers: { 'content-type': 'application/ld+json' },
      body: { '@id': 'urn:s', 'urn:p': 'ld' },
    };
    pod.on('/doc', inTurtle('<#it> <urn:p> "doc" .')).on('/more', jsonLd);
    const resources = [pod.url('/more'), encode(pod.url('/doc'))];
    await connect(node, ALICE, { source: pod.url('/doc'), configuration: { resources } });
    expect((await refresh()).flatMap(values).sort()).toEqual(['doc', 'ld']);
    expect(pod.count('/doc')).toBe(1);
  });

  test('passes over connections that are not CONNECTED', async () => {
    pod.everything(inTurtle('<#it> <urn:p> 1 .'));
    await connect(node, ALICE, { source: pod.url('/a'), state: 'CONNECTING' });
    await connect(node, ALICE, { source: pod.url('/b'), state: 'NOTCONNECTED' });
    expect([await refresh(), pod.requests.length]).toEqual([[], 0]);
  });

  test("of a holder's token reads only that holder's sources", async () => {
    pod.everything(inTurtle('<#it> <urn:p> 1 .'));
    await connect(node, ALICE, { source: pod.url('/alice') });
    await connect(node, BOB, { source: pod.url('/bob') });
    await refresh(await node.token(ALICE));
    expect(pod.requests.map(({ url }) => url)).toEqual(['/alice']);
  });

  test('moves no bodies when nothing has changed, and replaces what has', async () => {
    pod.on('/doc', inTurtle('<#it> <urn:p> "old", [] .', { etag: '"1"' }));
    await connect(node, ALICE, { source: pod.url('/doc') });
    const [first] = await refresh();
    node.time.now += 1000;
    const [second] = await refresh();
    expect(pod.requests[1]?.headers['if-none-match']).toBe('"1"');
    expect(second).toEqual({ ...first, refreshed: String(node.time.now) });
    pod.on('/doc', inTurtle('<#it> <urn:p> "new", [] .', { etag: '"2"' }));
    expect(values((await refresh())[0]).sort()).toEqual(['b0', 'new']);
  });

  test('with parameters that mean nothing reads nothing', async () => {
    pod.everything(inTurtle('<#it> <urn:p> 1 .'));
    await connect(node, ALICE, { source: pod.url('/a') });
    expect((await node.send('/resource/refresh?limit=x', { method: 'POST' })).status).toBe(422);
    expect(pod.requests).toEqual([]);
  });

  test('asks for a container without conditions', async () => {
    pod.on('/box/', inTurtle('<> <urn:p> 1 .', { etag: '"1"' }));
    await connect(node, ALICE, { source: pod.url('/box/') });
    await refresh();
    await refresh();
    expect(pod.requests[1]?.headers['if-none-match']).toBeUndefined();
  });

  test('joins one that is under way, and is bounded', async () => {
    let open = 0;
    let most = 0;
    pod.everything(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return inTurtle('<#it> <urn:p> 1 .');
    });
    for (let i = 0; i < 12; i++) await connect(node, ALICE, { source: pod.url(`/${i}`) });
    const [one, other] = await Promise.all([refresh(), refresh()]);
    expect([one.length, other.length, pod.requests.length]).toEqual([12, 12, 12]);
    expect(most).toBeLessThanOrEqual(2);
  });
});

describe('what is cached goes', () => {
  const uris = async () => (await node.send('/resource/')).json.map(({ uri }: { uri: string }) => uri);

  test('with its connection, and when the connection names it no more', async () => {
    pod.everything(inTurtle('<#it> <urn:p> 1 .'));
    const [a, b, c] = [pod.url('/a'), pod.url('/b'), pod.url('/c')];
    const uri = await connect(node, ALICE, { source: a, configuration: { resources: [b] } });
    await connect(node, ALICE, { source: c });
    await refresh();
    expect((await uris()).sort()).toEqual([a, b, c]);
    const path = `/connection/${encode(uri)}`;
    const { json } = await node.send(path);
    await node.send(path, { method: 'PUT', body: { ...json, configuration: {} } });
    expect((await uris()).sort()).toEqual([a, c]);
    await node.send(path, { method: 'DELETE' });
    expect(await uris()).toEqual([c]);
    expect((await node.send(`/resource/${encode(a)}`)).status).toBe(404);
  });

  test('even while it is being read: nothing comes back', async () => {
    let release: (() => void) | undefined;
    pod.on('/doc', async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return inTurtle('<#it> <urn:p> 1 .');
    });
    const uri = await connect(node, ALICE, { source: pod.url('/doc') });
    const refreshing = refresh();
    await waitFor(() => release);
    await node.send(`/connection/${encode(uri)}`, { method: 'DELETE' });
    release?.();
    expect(await refreshing).toEqual([]);
  });
});

test('a document read through two connections is shown as the better of the two', async () => {
  pod.on('/doc', ({ headers }) =>
    headers.authorization ? inTurtle('<#it> <urn:p> "seen" .') : { status: 401 },
  );
  await connect(node, ALICE, { source: pod.url('/doc'), configuration: { accessToken: 'good' } });
  await connect(node, ALICE, { source: pod.url('/doc') });
  expect(await refresh()).toHaveLength(2);
  expect(values((await node.send(`/resource/${encode(pod.url('/doc'))}`)).json)).toEqual(['seen']);
});

test('what was read is there after a restart', async () => {
  pod.on('/doc', inTurtle('<#it> <urn:p> "kept", [] .', { etag: '"1"' }));
  await connect(node, ALICE, { source: pod.url('/doc') });
  const before = await refresh();
  await node.service.close();
  node = await startService({ after: node });
  expect((await node.send('/resource/')).json).toEqual(before);
  expect(await refresh()).toEqual(before);
  expect(pod.requests[1]?.headers['if-none-match']).toBe('"1"');
});

test('a refresh that the end of the service breaks off answers 503', async () => {
  pod.on('/doc', { hang: 'answer' });
  await connect(node, ALICE, { source: pod.url('/doc') });
  const refreshing = node.send('/resource/refresh', { method: 'POST' });
  await waitFor(() => pod.requests.length === 1);
  await node.service.close();
  expect((await refreshing).status).toBe(503);
});
