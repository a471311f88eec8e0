import { dirname, join } from 'node:path';
import { type Ended, runProgram } from '../run-program.js';
import { type NodeOptions, type NodeProcess, prepareNode } from './node-process.js';
import { type AnyNode, OPERATOR_TOKEN } from './node-reader.js';

/** A node with the connection service that has not been started yet; sources on loopback may be read. */
export function prepareConnectionNode({ config, env }: NodeOptions = {}): Promise<NodeProcess> {
  return prepareNode({
    config: { connection: { enabled: true }, network: { allowPrivate: true }, ...config },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env },
  });
}

export async function startConnectionNode(options: NodeOptions = {}): Promise<NodeProcess> {
  const node = await prepareConnectionNode(options);
  await node.start();
  return node;
}

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

/** Runs the `token` verb as an operator does, beside the node. Gives what it prints on standard output. */
export async function runTokenVerb(node: NodeProcess, ...flags: string[]): Promise<string> {
  return (await tokenVerb(node, ...flags)).stdout.trim();
}

/** The same; gives all that it prints. @throws Error with that when it has not ended well */
export async function tokenVerb(node: NodeProcess, ...flags: string[]): Promise<Ended> {
  const config = join(dirname(node.dataDir), 'node.config.json');
  const ended = await runProgram(['token', '--config', config, ...flags]);
  if (ended.code !== 0) throw new Error(ended.text);
  return ended;
}
