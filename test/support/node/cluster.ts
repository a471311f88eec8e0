import { type NodeProcess, startNode } from './node-process.js';
import { postJson } from './post-json.js';

/** Starts a node of several on one database, which are one registry: all of them call themselves by the address of a balancer. */
export function startClusterNode(database: string, config: object = {}): Promise<NodeProcess> {
  const shared = { baseUrl: 'http://registry.example', write: 'open', store: { engine: 'postgres' } };
  return startNode({ config: { ...shared, ...config }, env: { REGISTRY_STORE_URL: database } });
}

/** The same number of times, at the same moment. */
export function startCluster(count: number, database: string, config: object = {}): Promise<NodeProcess[]> {
  return Promise.all(Array.from({ length: count }, () => startClusterNode(database, config)));
}

/**
 * Posts components; gives the status, or undefined when the node is gone.
 * @throws Error for a 503 that does not say when to ask again
 */
export async function post(address: string, uris: readonly string[]): Promise<number | undefined> {
  const components = uris.map((uri) => ({ uri, label: 'Written', tag: ['written'] }));
  try {
    const answer = await fetch(`${address}/component`, postJson(components));
    await answer.text();
    if (answer.status === 503 && !(Number(answer.headers.get('retry-after')) > 0))
      throw new Error('503 without Retry-After');
    return answer.status;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
