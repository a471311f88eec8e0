import { OPERATOR_TOKEN } from './node-options.js';
import type { NodeProcess } from './node-process.js';
import type { AnyNode } from './node-reader.js';

/** Settings of a node with the connection service, which may read sources on loopback. */
export const WITH_CONNECTIONS = { connection: { enabled: true }, network: { allowPrivate: true } };

/** One request to the service, as the operator unless another token is given. */
export async function call(
  node: AnyNode,
  method: string,
  path: string,
  { body, token = OPERATOR_TOKEN }: { body?: unknown; token?: string } = {},

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every kind, judged by the tests that read them
): Promise<{ readonly status: number; readonly json: any }> {
  const response = await fetch(node.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

/** The token of a holder that the `token` verb prints beside the node. @throws Error with all that it prints when it fails */
export async function tokenOf(node: NodeProcess, holder: string): Promise<string> {
  const { code, stdout, text } = await node.run('token', '--holder', holder);
  if (code !== 0) throw new Error(text);
  return stdout.trim();
}
