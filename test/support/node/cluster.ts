import { heldPort } from '../held-port.js';
import { type NodeProcess, prepareNode } from './node-process.js';
import { postJson } from './post-json.js';

export const OPERATOR = 'operator-token-of-the-cluster';
/** The address of the registry, which a load balancer would have. */
export const PUBLIC = 'http://registry.example';

/** One of several nodes on one database: its process, and where it listens, since it calls itself by the public address. */
export interface ClusterNode {
  readonly process: NodeProcess;
  readonly url: string;
}

/** Nodes that are one registry, started at the same moment. */
export async function startCluster(
  nodes: number,
  database: string,
  config: Readonly<Record<string, unknown>> = {},
): Promise<ClusterNode[]> {
  return Promise.all(Array.from({ length: nodes }, () => startClusterNode(database, config)));
}

export async function startClusterNode(
  database: string,
  config: Readonly<Record<string, unknown>> = {},
): Promise<ClusterNode> {
  const port = await heldPort();
  const process = await prepareNode({
    config: { baseUrl: PUBLIC, listen: { port }, write: 'open', store: { engine: 'postgres' }, ...config },
    env: { REGISTRY_STORE_URL: database, REGISTRY_OPERATOR_TOKEN: OPERATOR },
  });
  await process.start();
  return { process, url: `http://127.0.0.1:${port}` };
}

/**
 * Posts components; gives the status, or undefined when the node is gone.
 * @throws Error for a 503 that does not say when to ask again
 */
export async function post(url: string, uris: readonly string[]): Promise<number | undefined> {
  const components = uris.map((uri) => ({ uri, label: 'Written', tag: ['written'] }));
  try {
    const answer = await fetch(`${url}/component`, postJson(components));
    await answer.text();
    if (answer.status === 503 && !(Number(answer.headers.get('retry-after')) > 0))
      throw new Error('503 without Retry-After');
    return answer.status;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export interface Seen {
  readonly status: number;
  readonly etag: string | null;
  readonly cursor: string | null;
  readonly uris: readonly string[];
}

/** The whole listing. */
export async function list(url: string): Promise<Seen> {
  const answer = await fetch(`${url}/component`);
  const body: unknown = answer.ok ? await answer.json() : await answer.text();
  const { headers, status } = answer;
  const uris = Array.isArray(body) ? body.map(({ uri }: { uri: string }) => uri) : [];
  return { status, etag: headers.get('etag'), cursor: headers.get('feed-cursor'), uris };
}
