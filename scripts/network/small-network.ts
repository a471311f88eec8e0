import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { DEFAULT_VOCABULARY } from '../../src/config/defaults.js';
import { parseConfig } from '../../src/config.js';
import { createLog } from '../../src/lib/log.js';
import { systemPace } from '../../src/lib/pace.js';
// The nodes run from the sources, for which there is no script that a worker thread could run.
import { inProcess } from '../../src/lib/pool/task.js';
import type { Unwinding } from '../../src/node/unwinding.js';
import { createNode } from '../../src/node.js';
import { installPodServer } from '../../test/support/install-packages.js';
import { PodServer } from '../../test/support/pod/pod-server.js';
import { fillPod } from '../../test/support/pod/sample-pod.js';
import { putSampleComponents, putSampleData } from '../../test/support/sample-components.js';
import { ensureBuilt } from './built.js';

export interface SmallNetwork {
  /** The container with the sample metadata. */
  readonly pod: string;
  /** In a line: each polls the one before it, and the first one reads the pod. */
  readonly nodes: Readonly<Record<'alpha' | 'beta' | 'gamma', string>>;
  readonly mirror: string;
  /** Writes a document of the pod that describes a component with this label; resolves with the component's uri. */
  readonly edit: (label: string) => Promise<string>;
}

const CONTAINER = 'alice/components/';
const DATA = 'alice/data/';
/** Often, to be watched; the default is every five minutes. */
const EVERY_TWO_SECONDS = '*/2 * * * * *';

/** Starts a pod server, three nodes in a line and a mirror of the last one. What stops them goes to `unwinding`. */
export async function startSmallNetwork(
  unwinding: Unwinding,
  tell: (line: string) => void,
): Promise<SmallNetwork> {
  ensureBuilt(tell);
  const directory = await mkdtemp(join(tmpdir(), 'registry-network-'));
  await unwinding.defer('the data', () => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  const server = await startPod(join(directory, 'pods'), unwinding, tell);
  const pod = server.url + CONTAINER;
  tell(`pod     ${pod}  a Solid server with ten sample documents, one of them private, one broken`);

  const start = (name: string, settings: object) =>
    startNode(name, join(directory, name), settings, unwinding);
  const alpha = await start('alpha', { pods: [pod], write: 'open' });
  tell(`alpha   ${alpha}  reads the pod, and takes components from anyone on this machine`);
  const beta = await start('beta', { peers: [alpha] });
  tell(`beta    ${beta}  knows alpha`);
  const gamma = await start('gamma', { peers: [beta] });
  tell(`gamma   ${gamma}  knows beta, and will hear of alpha and the pod`);
  const mirror = await start('mirror', { mode: 'mirror', peers: [gamma] });
  tell(`mirror  ${mirror}  shows what gamma shows, and goes on when gamma stops`);
  return { pod, nodes: { alpha, beta, gamma }, mirror, edit: (label) => editDocument(server, label) };
}

async function editDocument(server: PodServer, label: string): Promise<string> {
  const uri = 'https://components.example.org/news/1.0.0/news.js';
  const { namespace } = createVocabulary(DEFAULT_VOCABULARY);
  const turtle = `<${uri}> a <${namespace}component>; <${namespace}label> ${JSON.stringify(label)}.`;
  await server.put(`${CONTAINER}news.ttl`, turtle, 'text/turtle');
  return uri;
}

async function startPod(
  directory: string,
  unwinding: Unwinding,
  tell: (line: string) => void,
): Promise<PodServer> {
  await installPodServer();
  tell('starting the pod server, which takes some ten seconds …');
  await mkdir(directory);
  const server = new PodServer(directory);
  await unwinding.defer('the pod server', () => server.kill());
  await server.start(['alice']);
  tell('putting sample documents into a pod …');
  await fillPod(server, CONTAINER);
  // Components to load and try, and data for them to show.
  const put = (path: string, body: string, type: string) => server.put(path, body, type);
  await putSampleComponents(put, `${CONTAINER}samples/`);
  await putSampleData(put, DATA);
  await server.makePublic(DATA);
  return server;
}

async function startNode(
  name: string,
  dataDir: string,
  settings: object,
  unwinding: Unwinding,
): Promise<string> {
  const config = parseConfig(
    {
      listen: { port: 0 },
      dataDir,
      sync: { schedule: EVERY_TWO_SECONDS },
      // Everything here is on this machine; on the internet this stays off.
      network: { allowPrivate: true },
      connection: { enabled: false },
      ...settings,
    },
    { directory: dataDir, env: {} },
  );
  const node = createNode(config, { log: createLog({ level: 'silent' }), pool: () => inProcess(systemPace) });
  await unwinding.defer(name, () => node.stop());
  return (await node.start()).url;
}
