import { beforeAll, describe, expect, test } from 'vitest';
import { type FakeServer, fakeServer, inTurtle } from '../../../support/fake-server.js';
import { ALICE, BASE, BOB, OPERATOR, startService, type TestService } from '../../adapters/connection-app.js';

describe('the uri of an invite of somebody else', () => {
  const URI = 'urn:my:invite';
  let pod: FakeServer;
  beforeAll(async () => {
    pod = (await fakeServer()).everything(inTurtle('<#it> <urn:p> 1 .'));
  });
  const body = { uri: URI, purpose: 'urn:x', exchange: 'urn:my:exchange' };
  const submit = (node: TestService, link: string) =>
    node.send(link.slice(BASE.length), {
      method: 'POST',
      token: null,
      body: String(new URLSearchParams({ source: pod.url('/data') })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  test('can be taken, and the guess learns nothing', async () => {
    let node = await startService();
    const [alice, bob] = [await node.token(ALICE), await node.token(BOB)];
    const post = async (token: string) => node.send('/invite/', { method: 'POST', token, body });
    const [alices, bobs] = [await post(alice), await post(bob)];
    expect([alices.status, bobs.status]).toEqual([201, 201]);
    expect([alices.json.holder, bobs.json.holder]).toEqual([ALICE, BOB]);
    // One's own can be taken once, and to the operator all are taken.
    expect([(await post(bob)).status, (await post(OPERATOR)).status]).toEqual([409, 422]);
    const named = { ...body, holder: 'https://carol.example/' };
    expect((await node.send('/invite/', { method: 'POST', body: named })).status).toBe(409);

    for (const [token, own] of [
      [alice, ALICE],
      [bob, BOB],
    ] as const) {
      const read = async () => (await node.send(`/invite/${URI}`, { token })).json;
      expect((await read()).holder).toBe(own);
      const { inviteLink } = (await node.send(`/invite/${URI}/link`, { token })).json;
      expect((await submit(node, inviteLink)).status).toBe(200);
      expect(await read()).toMatchObject({ holder: own, state: 'linked' });
      expect((await node.send('/exchange/urn:my:exchange', { token })).json.holder).toBe(own);
      expect((await node.send('/invite/', { token })).json).toHaveLength(1);
    }
    const moved = { method: 'PUT', body: { ...alices.json, holder: BOB } };
    expect((await node.send(`/invite/${URI}`, moved)).status).toBe(409);

    const before = (await node.send('/invite/')).text;
    await node.service.close();
    node = await startService({ after: node });
    expect((await node.send('/invite/')).text).toBe(before);
    expect((await node.send(`/invite/${URI}`, { token: await node.token(BOB) })).json.holder).toBe(BOB);
  });
});
