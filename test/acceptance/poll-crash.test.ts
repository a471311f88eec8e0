import { setTimeout as instant } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { prepareNode } from '../support/node/node-process.js';
import {
  type ListedComponent,
  listing,
  OPERATOR_TOKEN,
  statusOf,
  sync,
} from '../support/node/node-reader.js';
import { FakePod } from '../support/pod/fake-pod.js';
import { inTorture, rounds } from '../support/torture.js';

/** Components that the pod describes; half of them are others with each change. */
const SIZE = inTorture ? 12_000 : 1_000;
const PER_DOCUMENT = 100;
/** A poll of more changes is several commits: what is added first, what is removed after all that. */
const ONE_COMMIT = 10_000;
const CHANGES = SIZE + SIZE / 2;
const COUNT = rounds({ short: 6, full: 40 });
/** The parts of the time of a poll after which the node is killed, from soon after its beginning to its end. */
const INSTANTS = Array.from({ length: COUNT }, (_, i) => (i + 0.5) / COUNT);

const uriOf = (i: number) => `https://c.example/${String(i).padStart(6, '0')}.js`;

/** What the pod says in a state: as many components as ever, from another place on, all labelled anew. */
function stateOf(round: number): Map<string, string> {
  const from = (round % 2) * (SIZE / 2);
  return new Map(Array.from({ length: SIZE }, (_, i) => [uriOf(from + i), `As of ${round}`]));
}

function write(pod: FakePod, state: ReadonlyMap<string, string>): void {
  pod.documents.clear();
  const all = [...state];
  for (let at = 0; at < all.length; at += PER_DOCUMENT) {
    const lines = all
      .slice(at, at + PER_DOCUMENT)
      .map(([uri, label]) => `<${uri}> a voc:component ; voc:label "${label}" .`);
    const first = all[at]?.[0] ?? '';
    pod.put(
      `/pod/${first.slice(-9, -3)}.ttl`,
      ['@prefix voc: <http://semcom.digita.ai/voc#>.', ...lines].join('\n'),
    );
  }
}

const said = (components: readonly ListedComponent[]) =>
  new Map(components.map(({ uri, label }) => [uri, label]));

/** What may be seen after a kill in the middle of a change from one state to the next. */
function expectConsistent(
  seen: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  const invented = [...seen].filter(([uri, label]) => ![before.get(uri), after.get(uri)].includes(label));
  expect(invented).toEqual([]);
  const lacking = [...before.keys()].filter((uri) => after.has(uri) && !seen.has(uri));
  expect(lacking, 'what both states have').toEqual([]);
  const isNew = [...after].every(([uri, label]) => seen.get(uri) === label);
  const removed = [...before.keys()].filter((uri) => !seen.has(uri));
  expect(removed.length === 0 || isNew, 'what goes goes after all that comes').toBe(true);
  if (CHANGES <= ONE_COMMIT) expect([before, after], 'one commit is there or not').toContainEqual(seen);
}

test(`a node that is killed at ${INSTANTS.length} instants of a poll of ${CHANGES} changes starts with what it had or what came, and then has all`, {
  timeout: 300_000 + INSTANTS.length * 30_000,
}, async () => {
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  const source = server.url('/pod/');
  const node = await prepareNode({
    config: {
      pods: [source],
      network: { allowPrivate: true },
      sync: { schedule: '0 0 1 1 *', streams: 0, maxDocuments: SIZE },
    },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  await node.start();
  let round = 0;
  const next = () => {
    round += 1;
    write(pod, stateOf(round));
  };
  next();
  await sync(node);
  next();
  // Half of what there was goes at once: the node holds that back unless its operator accepts it.
  const query = `?source=${encodeURIComponent(source)}&accept=shrink`;
  /** Resolves with how long the poll took, in ms. */
  const poll = async () => {
    const began = performance.now();
    await sync(node, query);
    return performance.now() - began;
  };
  // Of the last poll that read a change to its end: a machine is busier at one time than at another.
  let took = await poll();
  expect(said((await listing(node)).components)).toEqual(stateOf(round));

  const bodies = new Map<string, string>();
  let interrupted = 0;
  for (const part of INSTANTS) {
    next();
    const polling = poll().catch(() => undefined);
    await Promise.race([instant(took * part), polling]);
    await node.kill();
    const whole = await polling;
    if (whole === undefined) interrupted += 1;
    await node.start();
    const seen = await listing(node);
    expectConsistent(said(seen.components), stateOf(round - 1), stateOf(round));
    expect((bodies.get(seen.etag) ?? seen.text) === seen.text, `${seen.etag} is one state`).toBe(true);
    bodies.set(seen.etag, seen.text);
    const again = await poll();
    took = whole ?? again;
    expect(said((await listing(node)).components)).toEqual(stateOf(round));
    expect(await statusOf(node, source)).toMatchObject({ state: 'ok', components: SIZE });
  }
  // Kills between two polls would prove nothing.
  expect(interrupted).toBeGreaterThan(INSTANTS.length / 3);
  await node.stop();
});
