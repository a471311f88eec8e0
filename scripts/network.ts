/**
 * A small network to look at: a Solid pod server with sample metadata, three nodes in a line and a read-only
 * mirror, all on free ports of this machine. Ctrl-C stops it and leaves nothing behind.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOnSignals } from '../src/cli/signals.js';
import { systemClock } from '../src/lib/clock.js';
import { explain } from '../src/lib/faults.js';
import { Unwinding } from '../src/node/unwinding.js';
import { NodeProcess } from '../test/support/node/node-process.js';
import { LOGIN, makeCredentials, Pod } from '../test/support/pod/pod.js';
import { startPodServer } from '../test/support/pod/pod-server.js';
import { fillPod, PUBLIC_COMPONENTS } from '../test/support/pod/sample-pod.js';
import { putSampleComponents, putSampleData, SAMPLE_COMPONENTS } from '../test/support/sample-components.js';
import { waitFor } from '../test/support/wait-for.js';

const CONTAINER = 'components/';
const DATA = 'data/';
/** In the pod: documents that only describe, and components that can be loaded, too. */
const IN_POD = PUBLIC_COMPONENTS.length + SAMPLE_COMPONENTS.length;
/** Often, to be watched; the default is every five minutes. */
const EVERY_TWO_SECONDS = '*/2 * * * * *';

const unwinding = new Unwinding();
let stopping = false;

const stop = () => {
  stopping = true;
  return unwinding.unwind();
};
const log = {
  info: () => console.log('\nstopping …'),
  fatal: (details: object, message: string) => console.error(message, details),
};
endOnSignals(process, stop, { clock: systemClock, log, graceMs: 15_000 });

await start().catch(async (error: unknown) => {
  if (stopping) return;
  console.error(`the network did not start: ${explain(error)}`);
  await unwinding.unwind();
  process.exitCode = 1;
});

async function start(): Promise<void> {
  console.log('starting a pod server and four nodes: half a minute, and the first time two minutes more …');
  const directory = await mkdtemp(join(tmpdir(), 'registry-network-'));
  await unwinding.defer('the data', () => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  const server = await startPod(join(directory, 'pods'));
  const pod = server.url + CONTAINER;
  console.log(`pod     ${pod}  a Solid server with ten sample documents, one of them private, one broken`);
  const node = async (name: string, settings: object, shows: string) => {
    const url = await startNode(name, join(directory, name), settings);
    console.log(`${name.padEnd(6)}  ${url}  ${shows}`);
    return url;
  };
  const reads = 'reads the pod, and takes components from anyone on this machine';
  const alpha = await node('alpha', { pods: [pod], write: 'open' }, reads);
  const beta = await node('beta', { peers: [alpha] }, 'knows alpha');
  const gamma = await node('gamma', { peers: [beta] }, 'knows beta, and will hear of alpha and the pod');
  const shows = 'shows what gamma shows, and goes on when gamma stops';
  const mirror = await node('mirror', { mode: 'mirror', peers: [gamma] }, shows);
  const listed = async () => {
    const answer = await fetch(`${mirror}/component`);
    return ((await answer.json()) as unknown[]).length === IN_POD;
  };
  await waitFor(listed, { timeoutMs: 60_000, describe: `${IN_POD} components on the mirror` });
  const entry = new URLSearchParams({ entry: `${server.url}${DATA}alice.ttl` });
  const card = `${gamma}/c/${encodeURIComponent(`${pod}samples/profile-card.js`)}?${entry}`;
  const uri = 'https://components.example.org/hello/1.0.0/hello.js';
  const hello = JSON.stringify({ uri, label: 'Hello', tag: ['greeting'] });
  console.log(`
The network is up, and all nodes list the components of the pod. Look at it in a browser:

  ${gamma}/        gamma: its components, and through whom it knows each source
  ${alpha}/        alpha: the pod's documents, and what is wrong with one of them
  ${mirror}/        the mirror
  ${card}
        a component of the pod, with data of the pod, in a sandbox

or publish a component on alpha, and see it on the mirror a few seconds later:

  curl -H 'Content-Type: application/json' -d '${hello}' ${alpha}/component
  curl ${mirror}/c/${uri}

The pod: ${pod}
To write into it from ${alpha}/publish, sign in at ${server.url.replace(/[^/]+\/$/, '')} as ${LOGIN.email}, with the password ${LOGIN.password}.
Ctrl-C stops everything.`);
}

async function startPod(directory: string): Promise<Pod> {
  await mkdir(directory);
  const server = await startPodServer(directory);
  await unwinding.defer('the pod server', () => server.kill());
  const pod = new Pod(await makeCredentials(server.url));
  await fillPod(pod, CONTAINER);
  // Components to load and try, and data for them to show.
  await putSampleComponents(pod.put, `${CONTAINER}samples/`);
  await putSampleData(pod.put, DATA);
  await pod.makePublic(DATA);
  return pod;
}

async function startNode(name: string, directory: string, settings: object): Promise<string> {
  // Everything here is on this machine; on the internet this stays off.
  const local = { network: { allowPrivate: true }, sync: { schedule: EVERY_TWO_SECONDS } };
  const nobody = { REGISTRY_OPERATOR_TOKEN: undefined };
  await mkdir(directory);
  const node = new NodeProcess(directory, { config: { ...local, ...settings }, env: nobody });
  await unwinding.defer(name, () => node.kill());
  await node.start();
  return node.url;
}
