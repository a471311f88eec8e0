import { Parser } from 'n3';
import { call } from '../support/node/connection-node.js';
import type { NodeProcess } from '../support/node/node-process.js';
import type { Kept } from './life.js';

type Json = Readonly<Record<string, unknown>>;

/** What clients see of a node, in the words of the oldest version. */
export interface Observed {
  /** The listing, in its order. */
  readonly listing: readonly Json[];
  /** Each component at its own address. */
  readonly components: readonly Json[];
  /** The listing as triples of the vocabulary. */
  readonly triples: readonly string[];
  /** What a source says: how much, and its digest where the version has a feed. */
  readonly sources: readonly Json[];
  readonly connections: readonly unknown[];
  readonly invites: readonly unknown[];
  readonly resources: readonly unknown[];
  /** How the page of an invite that is still open answers. */
  readonly link: number;
}

/** What documents say of components; the rest is said by nodes, and later versions say more. */
const FIELDS = ['uri', 'label', 'description', 'author', 'tag', 'version', 'latest', 'shapes'];
const VOCABULARY = 'http://semcom.digita.ai/voc#';
const PREDICATES = new Set(FIELDS.map((field) => VOCABULARY + field));

export async function observe(node: NodeProcess, { token, link }: Kept): Promise<Observed> {
  const all = await node.getJson<readonly Json[]>('/component');
  const own = async (path: string) => {
    const { status, json } = await call(node, 'GET', path, { token });
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(json)}`);
    return json as readonly unknown[];
  };
  const components: Json[] = [];
  for (const { uri } of all)
    components.push(await node.getJson<Json>(`/c/${encodeURIComponent(String(uri))}`));
  return {
    listing: all,
    components,
    triples: await triplesOf(node),
    sources: await sourcesOf(node),
    connections: await own('/connection/'),
    invites: await own('/invite/'),
    resources: await own('/resource/'),
    link: (await fetch(link)).status,
  };
}

async function triplesOf(node: NodeProcess): Promise<string[]> {
  const response = await fetch(`${node.url}/component`, { headers: { accept: 'application/n-triples' } });
  const quads = new Parser({ format: 'application/n-triples' }).parse(await response.text());
  return quads
    .filter(({ predicate }) => PREDICATES.has(predicate.value))
    .map(({ subject, predicate, object }) => `${subject.value} ${predicate.value} ${object.value}`)
    .sort();
}

interface Lines {
  readonly sources: readonly { kind: string; url: string; count: number; digest: string }[];
}

/** By the feed; by `/status` where there is none. */
async function sourcesOf(node: NodeProcess): Promise<Json[]> {
  const response = await fetch(`${node.url}/feed/sources`, { headers: { accept: 'application/json' } });
  if (response.ok) {
    const { sources } = (await response.json()) as Lines;
    return byUrl(sources.map(({ kind, url, count, digest }) => ({ kind, url, count, digest })));
  }
  const { sources } = await node.getJson<{ sources: { kind: string; url: string; components: number }[] }>(
    '/status',
  );
  const counted = sources.filter(({ components }) => components > 0);
  return byUrl(counted.map(({ kind, url, components }) => ({ kind, url, count: components })));
}

function byUrl<T extends { readonly url: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => (a.url < b.url ? -1 : 1));
}

/** The name of the state that the node is in, where it has a feed. */
export async function cursorOf(node: NodeProcess): Promise<string | undefined> {
  const response = await fetch(`${node.url}/feed/sources`, { headers: { accept: 'application/json' } });
  return response.ok ? ((await response.json()) as { cursor: string }).cursor : undefined;
}
