import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPodServer } from '../../test/support/install-packages.js';
import { PodServer } from '../../test/support/pod/pod-server.js';
import { waitFor } from '../../test/support/wait-for.js';
import type { NodeProcess } from './processes.js';
import type { Row } from './row.js';
import { sampleComponent } from './sample-data.js';
import { percentile } from './statistics.js';
import type { World } from './world.js';

const CONTAINER = 'author/components/';
const NAMESPACE = 'http://semcom.digita.ai/voc#';
const URI = 'https://components.example.org/news.js';
/** Pieces of news of a run that is not a quick one. */
const MANY = 60;
/** News that has not come by then will not come: the benchmark ends instead of waiting for it. */
const PATIENCE = { timeoutMs: 60_000 };

export const NEWS: readonly Row[] = [
  {
    name: 'news: an edit in a pod',
    floor: '–',
    target: { most: 2 },
    meaning:
      'seconds from the answer to PUT (Community Solid Server) until the node that reads the pod serves it, with the default schedule: 95th percentile',
    async measure(world) {
      const { alpha, pod } = await network(world);
      const edit = async (label: string) => {
        const turtle = `<${URI}> a <${NAMESPACE}component>; <${NAMESPACE}label> "${label}".`;
        await pod.put(`${CONTAINER}news.ttl`, turtle, 'text/turtle');
      };
      return times(world, (label) => edit(label), alpha, URI);
    },
  },
  {
    name: 'news: a POST to a node',
    floor: '–',
    target: { most: 2 },
    meaning:
      'seconds from the answer of a node until another one that has it as a peer serves it: 95th percentile',
    async measure(world) {
      const { alpha, beta } = await network(world);
      const component = sampleComponent(0);
      return times(world, (label) => post(alpha, { ...component, label }), beta, component.uri);
    },
  },
];

interface Network {
  readonly pod: PodServer;
  /** Reads the pod. */
  readonly alpha: NodeProcess;
  /** Has alpha as a peer. */
  readonly beta: NodeProcess;
}

/** Both rows use the same network, which ends with the world. */
const networks = new WeakMap<World, Promise<Network>>();

function network(world: World): Promise<Network> {
  const started = networks.get(world) ?? startNetwork(world);
  networks.set(world, started);
  return started;
}

async function startNetwork(world: World): Promise<Network> {
  world.say('starting a pod server');
  await installPodServer();
  const directory = world.path('pods');
  mkdirSync(directory);
  const pod = new PodServer(directory);
  world.atEnd(() => pod.kill());
  await pod.start(['author']);
  await pod.put(`${CONTAINER}news.ttl`, '', 'text/turtle');
  await pod.makePublic(CONTAINER);
  const settings = { sync: {}, network: { allowPrivate: true } };
  const alpha = await world.node(0, { ...settings, write: 'open', pods: [pod.url + CONTAINER] });
  const beta = await world.node(0, { ...settings, peers: [alpha.url] });
  return { pod, alpha, beta };
}

/** Each piece of news once the one before it is old, and at another moment of a second each time. */
async function times(world: World, tell: (label: string) => Promise<void>, node: NodeProcess, uri: string) {
  const seconds: number[] = [];
  const isQuick = world.size.rounds === 1;
  const count = isQuick ? 2 : MANY;
  // The first one waits until lines are open.
  for (let i = 0; i <= count; i++) {
    const label = `News ${i}`;
    await tell(label);
    const told = performance.now();
    await waitFor(async () => (await labelOf(node, uri)) === label, { ...PATIENCE, describe: label });
    if (i > 0) seconds.push((performance.now() - told) / 1000);
    await sleep(isQuick ? 100 : 1000 + ((i * 137) % 1000));
  }
  const figures = {
    median: [percentile(seconds, 0.5)],
    worst: [Math.max(...seconds)],
    pieces: [seconds.length],
  };
  return { values: [percentile(seconds, 0.95)], unit: 's', figures };
}

async function post(node: NodeProcess, component: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${node.url}/component`, {
    method: 'POST',
    headers,
    body: JSON.stringify(component),
  });
  if (!answer.ok) throw new Error(`the news was answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}

async function labelOf(node: NodeProcess, uri: string): Promise<string | undefined> {
  const answer = await fetch(`${node.url}/c/${encodeURIComponent(uri)}`);
  const { label } = (await answer.json()) as { label?: string };
  return label;
}
