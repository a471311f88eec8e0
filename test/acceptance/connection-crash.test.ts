import { setTimeout as instant } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { type Called, call, prepareConnectionNode } from '../support/node/connection-node.js';
import type { NodeProcess } from '../support/node/node-process.js';
import { seededRandom } from '../support/seeded-random.js';
import { rounds, seed } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

const ROUNDS = rounds({ short: 4, full: 100 });
const encode = encodeURIComponent;
const ALICE = 'https://alice.example/card#me';

/** What the node has acknowledged so far. */
interface Acknowledged {
  /** The state that was last answered, by URI; null once a deletion was. */
  readonly connections: Map<string, string | null>;
  /** Those with a request under way, which may have come to pass or not. */
  readonly unsure: Set<string>;
  readonly invites: Set<string>;
  /** Sources by the invite that was accepted with them. */
  readonly accepted: Map<string, string>;
}

/** The answer, or nothing when the connection was cut. */
async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Makes, replaces and deletes connections until the node is gone. */
async function writeConnections(node: NodeProcess, done: Acknowledged, random: () => number, source: string) {
  for (;;) {
    const body = { source, holder: ALICE, state: 'CONNECTED', configuration: { n: random() } };
    const made = await attempt(call(node, 'POST', '/connection/', { body }));
    if (!made) return;
    const { uri } = made.json;
    done.connections.set(uri, JSON.stringify(made.json));
    done.unsure.add(uri);
    const changed = random() < 0.6 ? { ...made.json, state: 'CONNECTING' } : undefined;
    const [method, sent] = changed ? (['PUT', { body: changed }] as const) : (['DELETE', {}] as const);
    const answer = await attempt(call(node, method, `/connection/${uri}`, sent));
    if (!answer) return;
    expect(answer.status).toBeLessThan(300);
    done.connections.set(uri, changed ? JSON.stringify(changed) : null);
    done.unsure.delete(uri);
  }
}

/** Makes invites and submits their forms, each twice at once, until the node is gone. */
async function acceptInvites(node: NodeProcess, done: Acknowledged, pod: FakeServer) {
  for (let i = 0; ; i++) {
    const body = { holder: ALICE, purpose: 'urn:purpose' };
    const made = await attempt(call(node, 'POST', '/invite/', { body }));
    if (!made) return;
    const { uri } = made.json;
    done.invites.add(uri);
    const link = await attempt(call(node, 'GET', `/invite/${encode(uri)}/link`));
    if (!link) return;
    const statuses = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const source = pod.url(`/accepted/${i}/${name}/${encode(uri)}`);
        const answer = await attempt(
          fetch(link.json.inviteLink, {
            method: 'POST',
            body: new URLSearchParams({ source }),
          }),
        );
        if (answer?.status === 200) done.accepted.set(uri, source);
        return answer?.status;
      }),
    );
    if (statuses.includes(undefined)) return;
    // A node reads only so many sources a minute for those who accept.
    if (statuses.includes(429)) return;
    expect(statuses.sort()).toEqual([200, 409]);
  }
}

async function refreshAll(node: NodeProcess) {
  while (await attempt(call(node, 'POST', '/resource/refresh'))) {
    // Again, until the node is gone.
  }
}

type Body = Record<string, string>;
const listOf = ({ status, json }: Called): Body[] => {
  expect(status).toBe(200);
  return json;
};

async function expectPromisesKept(node: NodeProcess, done: Acknowledged): Promise<void> {
  const connections = listOf(await call(node, 'GET', '/connection/'));
  const invites = listOf(await call(node, 'GET', '/invite/'));
  const resources = listOf(await call(node, 'GET', '/resource/'));
  const byUri = new Map(connections.map((one) => [one.uri, one]));
  expect(byUri.size).toBe(connections.length);

  for (const [uri, body] of done.connections) {
    if (done.unsure.has(uri)) continue;
    expect(JSON.stringify(byUri.get(uri)), 'an acknowledged connection').toBe(body ?? undefined);
  }
  expect(invites.map(({ uri }) => uri)).toEqual(expect.arrayContaining([...done.invites]));
  for (const { uri = '', state, connection, exchange, accepted } of invites) {
    const source = done.accepted.get(uri);
    if (source !== undefined) expect(state, 'an acknowledged acceptance').toBe('linked');
    expect([connection, exchange, accepted].map((one) => one !== null)).toEqual(
      Array(3).fill(state === 'linked'),
    );
    if (state !== 'linked') continue;
    const found = byUri.get(encode(connection ?? ''));
    if (source !== undefined) expect(found?.source).toBe(encode(source));
    const record = (await call(node, 'GET', `/exchange/${encode(exchange ?? '')}`)).json;
    expect(record).toMatchObject({
      invite: uri,
      connection,
      accepted,
      source: decodeURIComponent(found?.source ?? ''),
    });
  }
  // Each acceptance made one connection: none is without its invite, none is there twice.
  const linked = invites
    .filter(({ state }) => state === 'linked')
    .map(({ connection }) => encode(connection ?? ''));
  const fromInvites = connections.filter(({ source }) =>
    decodeURIComponent(source ?? '').includes('/accepted/'),
  );
  expect(fromInvites.map(({ uri }) => uri).sort()).toEqual(linked.sort());
  // What the holder's source said was written with the acceptance.
  const read = new Set(resources.map(({ connection }) => encode(connection ?? '')));
  for (const uri of linked) expect(read.has(uri), 'what an accepted source said').toBe(true);
  // What was read belongs to a connection that is there, and is all of it.
  for (const { uri = '', connection = '', triples, error } of resources) {
    expect(byUri.has(encode(connection))).toBe(true);
    if (!error) expect(triples).toHaveLength(decodeURIComponent(uri).includes('/accepted/') ? 1 : 40);
  }
}

test(`killed at any instant, it keeps its promises (seed ${seed})`, {
  timeout: 300_000 + ROUNDS * 10_000,
}, async () => {
  const random = seededRandom(seed);
  const pod = await fakeServer();
  let version = 0;
  pod.everything(({ url }) => {
    const headers = { 'content-type': 'text/turtle' };
    if (url.startsWith('/accepted/')) return { headers, body: '<#it> <urn:p> 1 .' };
    version += 1;
    const triples = Array.from({ length: 40 }, (_, i) => `<#${i}> <urn:version> ${version} .`);
    return { headers, body: triples.join('\n') };
  });
  const done: Acknowledged = {
    connections: new Map(),
    unsure: new Set(),
    invites: new Set(),
    accepted: new Map(),
  };
  const node = await prepareConnectionNode({
    // A port that stays: links and URIs are the same after each restart.
    config: { listen: { port: await heldPort() } },
  });
  for (let round = 0; round < ROUNDS; round++) {
    await node.start();
    await expectPromisesKept(node, done);
    const source = pod.url('/doc');
    const work = [
      writeConnections(node, done, random, source),
      writeConnections(node, done, random, source),
      acceptInvites(node, done, pod),
      acceptInvites(node, done, pod),
      refreshAll(node),
    ];
    // Every other round waits for an acceptance, however long that takes on a slow machine.
    const before = done.accepted.size;
    const accepted = async () => {
      await waitFor(() => done.accepted.size > before, { describe: 'an acceptance' });
      await instant(random() * 50);
    };
    await Promise.race([round % 2 === 0 ? accepted() : instant(30 + random() * 300), ...work]);
    await node.kill();
    await Promise.all(work);
  }
  await node.start();
  await expectPromisesKept(node, done);
  // That nothing happens between two kills would prove nothing.
  expect(done.accepted.size).toBeGreaterThan(ROUNDS / 4);
  await node.stop();
});
