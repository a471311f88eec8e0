import type { Ended } from '../run-program.js';
import { OPERATOR_TOKEN } from './node-options.js';
import type { NodeProcess } from './node-process.js';
import type { AnyNode } from './node-reader.js';

/** Settings of a node with the connection service, which may read sources on loopback. */
export const WITH_CONNECTIONS = { connection: { enabled: true }, network: { allowPrivate: true } };

export interface Called {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every kind, judged by the tests that read them
  readonly json: any;
}

/** One request to the service, as the operator unless another token is given. */
export async function call(
  node: AnyNode,
  method: string,
  path: string,
  { body, token = OPERATOR_TOKEN }: { body?: unknown; token?: string } = {},
): Promise<Called> {
  const response = await fetch(node.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

/** Runs the `token` verb as an operator does, beside the node. @throws Error with what it prints when it has not ended well */
export async function tokenVerb(node: NodeProcess, ...flags: string[]): Promise<Ended> {
  const ended = await node.run('token', ...flags);
  if (ended.code !== 0) throw new Error(ended.text);
  return ended;
}

/** The token of a holder that it prints. */
export async function tokenOf(node: NodeProcess, holder: string): Promise<string> {
  return (await tokenVerb(node, '--holder', holder)).stdout.trim();
}
