/**
 * A small network to look at: a Solid pod server with sample metadata, three nodes in a line and a read-only
 * mirror, all on free ports of this machine. Ctrl-C stops it and leaves nothing behind.
 */
import { explain } from '../src/lib/faults.js';
import { cleanup, runCleanup } from '../test/support/cleanup.js';
import { startNode } from '../test/support/node/node-process.js';
import { LOGIN, makeCredentials, Pod } from '../test/support/pod/pod.js';
import { startPodServer } from '../test/support/pod/pod-server.js';
import { fillPod, PUBLIC_COMPONENTS } from '../test/support/pod/sample-pod.js';
import { putSampleComponents, putSampleData, SAMPLE_COMPONENTS } from '../test/support/sample-components.js';
import { tempDir } from '../test/support/temp-dir.js';
import { waitFor } from '../test/support/wait-for.js';

const CONTAINER = 'components/';
const DATA = 'data/';
/** In the pod: documents that only describe, and components that can be loaded, too. */
const IN_POD = PUBLIC_COMPONENTS.length + SAMPLE_COMPONENTS.length;
/** Often, to be watched; the default is every five minutes. Everything is on this machine; on the internet this stays off. */
const HERE = { sync: { schedule: '*/2 * * * * *' }, network: { allowPrivate: true } };

let stopping: Promise<void> | undefined;
const stop = (code: number) => {
  stopping ??= runCleanup().finally(() => process.exit(code));
  return stopping;
};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    console.log('\nstopping …');
    void stop(0);
  });
await start().catch((error: unknown) => {
  if (!stopping) console.error(`the network did not start: ${explain(error)}`);
  return stop(1);
});

async function start(): Promise<void> {
  console.log('starting a pod server and four nodes: half a minute, and the first time two minutes more …');
  const { url: podUrl, server } = await startPod();
  const pod = podUrl + CONTAINER;
  console.log(`pod     ${pod}  a Solid server with ten sample documents, one of them private, one broken`);
  const node = async (name: string, settings: object, shows: string) => {
    const nobody = { REGISTRY_OPERATOR_TOKEN: undefined };
    const { url } = await startNode({ config: { ...HERE, ...settings }, env: nobody });
    console.log(`${name.padEnd(6)}  ${url}  ${shows}`);
    return url;
  };
  const reads =
    'reads the pod, shows what is wrong with one document, and takes components from this machine';
  const alpha = await node('alpha', { pods: [pod], write: 'open' }, reads);
  const beta = await node('beta', { peers: [alpha] }, 'knows alpha');
  const hears = 'knows beta, hears of alpha and the pod, and shows through whom';
  const gamma = await node('gamma', { peers: [beta] }, hears);
  const shows = 'shows what gamma shows, and goes on when gamma stops';
  const mirror = await node('mirror', { mode: 'mirror', peers: [gamma] }, shows);
  const listed = async () => {
    const answer = await fetch(`${mirror}/component`);
    return ((await answer.json()) as unknown[]).length === IN_POD;
  };
  await waitFor(listed, { describe: `${IN_POD} components on the mirror` });
  const entry = new URLSearchParams({ entry: `${podUrl}${DATA}alice.ttl` });
  const uri = 'https://components.example.org/hello/1.0.0/hello.js';
  const hello = JSON.stringify({ uri, label: 'Hello', tag: ['greeting'] });
  console.log(`
The network is up, and all nodes list the components of the pod. Look at the nodes in a browser, or at a component of the pod,
with data of the pod, in a sandbox:

  ${gamma}/c/${encodeURIComponent(`${pod}samples/profile-card.js`)}?${entry}

or publish a component on alpha, and see it on the mirror a few seconds later:

  curl -H 'Content-Type: application/json' -d '${hello}' ${alpha}/component
  curl ${mirror}/c/${uri}

To write into the pod from ${alpha}/publish, sign in at ${server} as ${LOGIN.email}, with the password ${LOGIN.password}.
Ctrl-C stops everything.`);
}

async function startPod(): Promise<Pod> {
  const server = await startPodServer(await tempDir());
  cleanup(() => server.kill());
  const pod = new Pod(await makeCredentials(server.url));
  await fillPod(pod, CONTAINER);
  // Components to load and try, and data for them to show.
  await putSampleComponents(pod.put, `${CONTAINER}samples/`);
  await putSampleData(pod.put, DATA);
  await pod.makePublic(DATA);
  return pod;
}
