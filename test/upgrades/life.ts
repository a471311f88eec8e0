import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { call } from '../support/node/connection-node.js';
import { type NodeOptions, type NodeProcess, prepareNode } from '../support/node/node-process.js';
import { OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { FakePeer, simple } from '../support/peer/fake-peer.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';

const encode = encodeURIComponent;
const HOLDER = 'https://ann.example/#me';

/** What a node reads: they stay while its program is replaced. */
export interface World {
  readonly pod: FakePod;
  readonly peer: FakePeer;
}

/** What a holder and an operator keep of a node beside its data. */
export interface Kept {
  readonly token: string;
  readonly link: string;
}

export async function makeWorld(): Promise<World> {
  const pod = new FakePod(await fakeServer());
  for (const name of ['card', 'list', 'gone']) pod.put(`/${name}.ttl`, turtle(name));
  // Both spellings of schema.org, and text that each format has to escape.
  pod.put('/event.ttl', turtle('event', '; <http://semcom.digita.ai/voc#shapes> <http://schema.org/Event>'));
  const peer = new FakePeer(await fakeServer());
  peer.says(simple('of-a-peer'), simple('card', 'The peer says otherwise'));
  return { pod, peer };
}

/**
 * A node of this world. One that takes the place of another has its address, so that its links and tokens are good there.
 * `stored` says what it runs and where it keeps what it stores.
 */
export async function nodeOf(
  { pod, peer }: World,
  stored: NodeOptions,
  inPlaceOf?: NodeProcess,
): Promise<NodeProcess> {
  const config = {
    listen: inPlaceOf?.options.config?.listen ?? { port: await heldPort() },
    write: 'operator',
    pods: [`${pod.server.origin}/`],
    peers: [peer.url],
    network: { allowPrivate: true },
    connection: { enabled: true },
    // Polls happen when they are asked for.
    sync: { schedule: '0 0 1 1 *' },
    ...stored.config,
  };
  return prepareNode({
    ...stored,
    config,
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, ...stored.env },
  });
}

const SAID = [
  { uri: 'https://c.example/own.js', label: 'Own', tag: ['own-card'], version: '1.0.0', latest: false },
  {
    uri: 'https://c.example/own-2.js?a=b&c=%20',
    label: 'Own',
    description: 'It says "é" \\ and\n a line \u2028 more',
    author: ['https://ann.example/#me'],
    tag: ['own-card'],
    version: '2.0.0',
    latest: true,
    shapes: ['http://schema.org/Person', 'https://schema.org/Event'],
  },
  { uri: 'https://c.example/withdrawn.js', label: 'Withdrawn' },
  { uri: 'https://c.example/card.js', label: 'The node says this', shapes: ['https://s.example/Card'] },
];

/** Everything that leaves something behind: posting, withdrawing, pods and peers that change, holders and their invites. */
export async function live(node: NodeProcess, { pod, peer }: World): Promise<Kept> {
  await node.start();
  await done(node, 'POST', '/component', SAID);
  await sync(node);
  await done(node, 'POST', '/component', { ...SAID[0], description: 'Said a second time' });
  await done(node, 'DELETE', `/c/${encode('https://c.example/withdrawn.js')}`);
  pod.put('/card.ttl', turtle('card', '; <http://semcom.digita.ai/voc#description> "Edited"'));
  pod.delete('/gone.ttl');
  peer.says(simple('of-a-peer', 'Renamed'), simple('card', 'The peer says otherwise'));
  await sync(node);
  await node.stop();
  await node.restart();
  await done(node, 'POST', '/component', { uri: 'https://c.example/after-a-restart.js', label: 'After' });
  const token = (await node.run('token', '--holder', HOLDER)).text.trim();
  const source = { source: `${pod.server.origin}/card.ttl`, state: 'CONNECTED', configuration: {} };
  await done(node, 'POST', '/connection/', source, token);
  await done(node, 'POST', '/resource/refresh', undefined, token);
  const invite = { purpose: 'https://research.example/sleep', holder: HOLDER };
  const links: string[] = [];
  for (const _each of ['accepted', 'open']) {
    const { uri } = (await done(node, 'POST', '/invite/', invite)) as { uri: string };
    const made = (await done(node, 'GET', `/invite/${encode(uri)}/link`)) as { inviteLink: string };
    links.push(made.inviteLink);
  }
  const [accepted = '', link = ''] = links;
  const form = new URLSearchParams({ source: `${pod.server.origin}/list.ttl`, insist: 'yes' });
  const answer = await fetch(accepted, { method: 'POST', body: form });
  if (!answer.ok) throw new Error(`the invite was answered ${answer.status}: ${await answer.text()}`);
  return { token, link };
}

/** A request that must succeed. Gives the JSON of its answer. */
export async function done(
  node: NodeProcess,
  method: string,
  path: string,
  body?: object,
  token?: string,
): Promise<unknown> {
  const { status, json } = await call(node, method, path, { body, token });
  if (status < 200 || status > 299)
    throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`);
  return json;
}
