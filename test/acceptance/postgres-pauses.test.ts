import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { type ClusterNode, list, OPERATOR, startClusterNode } from '../support/node/cluster.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { CuttingProxy } from '../support/proxy/cutting-proxy.js';
import { newDatabase } from '../support/shared-postgres.js';
import { inTorture, rounds } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

/** Where a poll is paused: when it asks the pod for a path, or sends the database the so-many-th message after that. */
const STEPS = [
  { pod: '/pod/kept', messages: 0 },
  { pod: '/pod/kept', messages: 4 },
  { pod: '/pod/', messages: 0 },
  ...[1, 2, 3, 5, 6, 7, 8, 9].map((messages) => ({ pod: '/pod/kept', messages })),
];
const TRIED = inTorture ? STEPS : STEPS.slice(0, 2);
const ROUNDS = rounds({ short: 1, full: 10 });

async function sync({ url }: ClusterNode): Promise<unknown> {
  const headers = { authorization: `Bearer ${OPERATOR}` };
  return (await fetch(`${url}/sync`, { method: 'POST', headers })).json();
}

async function served({ url }: ClusterNode): Promise<readonly (readonly [uri: string, version: string])[]> {
  const said = (await (await fetch(`${url}/component`)).json()) as { uri: string; version: string }[];
  return said.map(({ uri, version }) => [uri, version]);
}

it('a node that is paused in the middle of a poll, at whatever step, brings nothing old back', {
  timeout: 300_000 + ROUNDS * TRIED.length * 40_000,
}, async () => {
  const database = await newDatabase();
  const { proxy, url } = await CuttingProxy.to(database);
  const admin = new pg.Client({ connectionString: database });
  await admin.connect();
  cleanup(() => admin.end());
  const pod = new FakePod(await fakeServer());
  pod.put('/pod/kept', turtle('kept'));
  const config = { pods: [pod.server.url('/pod/')], sync: { schedule: '0 0 1 1 *' } };
  const [paused, other] = [await startClusterNode(url, config), await startClusterNode(database, config)];
  await sync(paused);
  const keep = (version: string) =>
    pod.put('/pod/kept', turtle('kept', `; <http://semcom.digita.ai/voc#version> "${version}"`));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, step] of TRIED.entries()) {
      const name = `gone-${round}-${i}`;
      const latest = [['https://c.example/kept.js', `${round}.${i}.2`]];
      pod.put(`/pod/${name}`, turtle(name));
      keep(`${round}.${i}.1`);
      let isPaused = false;
      const pause = () => {
        isPaused = true;
        paused.process.signal('SIGSTOP');
      };
      pod.answerAll((request) => {
        if (request.url === step.pod && !isPaused) {
          if (step.messages === 0) pause();
          else proxy.callAfter(step.messages, pause);
        }
        return pod.answer(request);
      });
      const polling = sync(paused);
      await waitFor(() => isPaused, { describe: `a pause at ${JSON.stringify(step)}` });
      pod.delete(`/pod/${name}`);
      keep(`${round}.${i}.2`);
      // What silence does at once here: the server gives up transactions of which it hears nothing. Leases run out after 15 s.
      const taken = async () => {
        await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND state LIKE 'idle in transaction%'`);
        await sync(other);
        return isDeepStrictEqual(await served(other), latest);
      };
      await waitFor(taken, { describe: 'a poll by the other node' });
      paused.process.signal('SIGCONT');
      await polling;
      for (const node of [paused, other]) {
        await waitFor(async () => (await list(node.url)).etag === (await list(other.url)).etag);
        expect([step, await served(node)]).toEqual([step, latest]);
      }
    }
  }
});
