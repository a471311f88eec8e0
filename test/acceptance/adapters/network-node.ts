import type { Given } from '../../../src/node/given.js';
import { cleanup } from '../../support/cleanup.js';
import { heldPort } from '../../support/held-port.js';
import {
  listedUris,
  OPERATOR_TOKEN,
  type StatusOfSource,
  statusOf,
  sync,
} from '../../support/node/node-reader.js';
import { tempDir } from '../../support/temp-dir.js';
import { InProcessNode } from './in-process-node.js';

export type NodeSettings = Readonly<Record<string, unknown>>;

/** Polls only when the test says so: this is never due. */
const ON_DEMAND = { schedule: '0 0 1 1 *', streams: 0 };

/** A node of a network in the process of the test, with a port that it keeps over restarts. */
export class NetworkNode extends InProcessNode {
  constructor(
    readonly address: string,
    dir: string,
    readonly given: Partial<Given> = {},
  ) {
    super(dir, {});
  }

  override get url(): string {
    return this.address;
  }

  override async start(settings: NodeSettings = {}): Promise<void> {
    const config = {
      listen: { port: Number(new URL(this.url).port) },
      baseUrl: this.url,
      network: { allowPrivate: true },
      ...settings,
      sync: { ...ON_DEMAND, ...(settings.sync as object) },
      ...(settings.mode === 'mirror' ? {} : { write: 'operator' }),
    };
    const env = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
    await this.restart({ config, env, given: this.given });
  }

  /** Polls all sources, or one; resolves when all that they said has been taken into account. */
  sync(source?: string): Promise<void> {
    return sync(this, source === undefined ? '' : `?source=${encodeURIComponent(source)}`);
  }

  async publish(
    ...components: readonly (Readonly<Record<string, unknown>> & { uri: string })[]
  ): Promise<void> {
    const body = JSON.stringify(components.map((component) => ({ label: component.uri, ...component })));
    await this.#ask('/component', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  }

  async unpublish(uri: string): Promise<void> {
    await this.#ask(`/c/${encodeURIComponent(uri)}`, { method: 'DELETE' });
  }

  /** The uris that are served, in order. */
  uris = () => listedUris(this);
  peers = () => this.json<string[]>('/peers');
  storage = () => this.json<string[]>('/storage');
  source = (url: string) => statusOf(this, url);

  async sources(): Promise<StatusOfSource[]> {
    return (await this.json<{ sources: StatusOfSource[] }>('/status')).sources;
  }

  /** Everything that would differ if anything had changed: the entity tags of what others read. */
  async revision(): Promise<string[]> {
    const tags = ['/component', '/peers', '/storage'].map(async (path) => {
      const response = await fetch(this.url + path, { headers: { accept: 'text/turtle' } });
      await response.body?.cancel();
      return response.headers.get('etag') ?? '';
    });
    return Promise.all(tags);
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path, 'application/json')) as T;
  }

  text(path: string, accept: string): Promise<string> {
    return this.#ask(path, { headers: { accept } });
  }

  async #ask(path: string, { headers, ...init }: RequestInit): Promise<string> {
    const authorization = `Bearer ${OPERATOR_TOKEN}`;
    const response = await fetch(this.url + path, { ...init, headers: { authorization, ...headers } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} of ${this.url} answered ${response.status}: ${text}`);
    return text;
  }
}

/** Nodes that are not running yet; their addresses are theirs already, so that each can be told of the others. */
export async function networkNodes(count: number, overrides: Partial<Given> = {}): Promise<NetworkNode[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const node = new NetworkNode(`http://127.0.0.1:${await heldPort()}`, await tempDir(), overrides);
      cleanup(() => node.stop());
      return node;
    }),
  );
}
