import { Parser, type Quad } from 'n3';
import type { Metadata } from '../../../src/component/metadata.js';
import type { SourceStatus } from '../../../src/explain/source-status.js';
import { OPERATOR_TOKEN } from './node-options.js';
import type { NodeProcess } from './node-process.js';
import { postJson } from './post-json.js';

/** A node to talk to, in whichever process it runs. */
export type AnyNode = Pick<NodeProcess, 'url' | 'getJson'>;
type Addressed = Pick<AnyNode, 'url'>;

/** What the status says of a source, but for times, which are texts there. */
type StatusOfSource = Pick<
  SourceStatus,
  'url' | 'kind' | 'state' | 'components' | 'error' | 'following' | 'invalid'
>;

/** A component in a JSON listing, under its plain names. */
export type ListedComponent = Pick<Metadata, 'uri' | 'label'> & Partial<Metadata>;

export interface Listing {
  readonly etag: string;
  readonly text: string;
  readonly components: readonly ListedComponent[];
}

/** @throws Error unless it is answered with JSON and a status of success */
export async function getJson<T>(url: string): Promise<T> {
  return JSON.parse(await textOf({ url }, '', 'application/json'));
}

/** The listing as a browser gets it. */
export async function listing(node: Addressed): Promise<Listing> {
  const response = await fetch(`${node.url}/component`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the listing answered ${response.status}: ${text}`);
  return { etag: response.headers.get('etag') ?? '', text, components: JSON.parse(text) };
}

export async function listedUris(node: Addressed): Promise<string[]> {
  return (await listing(node)).components.map(({ uri }) => uri);
}

export async function component(node: Addressed, uri: string): Promise<ListedComponent | undefined> {
  return (await listing(node)).components.find((listed) => listed.uri === uri);
}

/** Every statement of every source, in the graph of the document that says it. */
export async function dataset(node: Addressed): Promise<Quad[]> {
  const headers = { accept: 'application/n-quads' };
  const response = await fetch(`${node.url}/component?graphs=all`, { headers });
  return new Parser({ format: 'application/n-quads' }).parse(await response.text());
}

export async function statusOf(node: AnyNode, url: string): Promise<StatusOfSource> {
  const { sources } = await node.getJson<{ sources: StatusOfSource[] }>('/status');
  const found = sources.find((source) => source.url === url);
  if (!found) throw new Error(`the status names no source ${url}`);
  return found;
}

/** A request of anybody. @throws Error unless it is answered with success; gives the body */
async function ask({ url }: Addressed, path: string, init: RequestInit): Promise<string> {
  const response = await fetch(url + path, init);
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${init.method ?? 'GET'} ${url}${path} answered ${response.status}: ${text}`);
  return text;
}

/** The same with the token of the operator. */
export function askAsOperator(node: Addressed, path: string, init: RequestInit = {}): Promise<string> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...init.headers };
  return ask(node, path, { ...init, headers });
}

/** Has every source polled now; resolves when the polls are over. */
export async function sync(node: Addressed): Promise<void> {
  await askAsOperator(node, '/sync', { method: 'POST' });
}

/** Posts components, each labelled by its uri unless it says otherwise. */
export async function publish(
  node: Addressed,
  ...components: readonly { readonly uri: string; readonly [field: string]: unknown }[]
): Promise<void> {
  const body = components.map((component) => ({ label: component.uri, ...component }));
  await askAsOperator(node, '/component', postJson(body));
}

export async function unpublish(node: Addressed, uri: string): Promise<void> {
  await askAsOperator(node, `/c/${encodeURIComponent(uri)}`, { method: 'DELETE' });
}

/** What it answers to a visitor who wants this type. @throws Error unless that is a success */
export const textOf = (node: Addressed, path: string, accept: string) =>
  ask(node, path, { headers: { accept } });

/** A figure of `/metrics`, by its name with its labels. */
export async function metric({ url }: Addressed, name: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
}
