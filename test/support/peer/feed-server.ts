import { Writer } from 'n3';
import type {
  Catalog,
  Changes,
  ChangesRequest,
  State,
  StatementChange,
} from '../../../src/catalog/catalog.js';
import { listsDigest, networkQuads } from '../../../src/component/network-list.js';
import type { Source } from '../../../src/component/source.js';
import { DIGEST_VERSION, payloadHash } from '../../../src/component/statement-digest.js';
import { cursorOf, cursorText, parseCursor } from '../../../src/core/cursor.js';
import type { NetworkLists } from '../../../src/core/network-lists.js';
import type { SourceSummary } from '../../../src/core/source-digests.js';
import type { FakeAnswer, SeenRequest } from '../fake-server.js';
import { VOCABULARY } from '../registry.js';

/** A page as it goes over the wire, before it is written. */
export interface WirePage {
  cursor: string;
  network?: number;
  digestVersion?: number;
  changes?: WireChange[];
  sources?: WireLine[];
  next?: string;
}

export interface WireChange {
  position: number;
  at: number;
  type: 'Create' | 'Update' | 'Delete';
  source: Source;
  graph: string;
  rank?: number;
  uri: string;
  hash?: string;
  component?: Record<string, unknown>;
}

export interface WireLine extends Source {
  rank: number;
  count: number;
  digest: string;
  capabilities?: string | undefined;
  position: number;
}

/**
 * The feed of a registry and its lists of addresses as JSON, as a node answers them: faithful, and small enough to be read
 * beside the description of the format. What lies is put around it.
 */
export class FeedServer {
  /** Changes on a page, when nobody asks for fewer. */
  pageSize = 1000;
  /** Does it say of the addresses in its lists how it knows them? */
  tellsHops = false;
  /** Changes its lists, as they are told by their path, or by the digest in the header of pages (`digest`). */
  lists: (lists: NetworkLists, told: 'peers' | 'storage' | 'digest') => NetworkLists = (lists) => lists;
  /** Changes pages on their way out. */
  tamper: (page: WirePage, request: SeenRequest) => WirePage = (page) => page;

  constructor(
    readonly baseUrl: string,
    /** The registry as it is at the time of a request. */
    readonly catalog: () => Catalog,
  ) {}

  /** `undefined` for paths that have nothing to do with the feed. */
  async answer(request: SeenRequest): Promise<FakeAnswer | undefined> {
    const { pathname, searchParams } = new URL(request.url, this.baseUrl);
    if (pathname === '/peers' || pathname === '/storage')
      return this.#addresses(pathname.slice(1) as 'peers');
    return pathname === '/feed' ? this.#feed(request, searchParams) : undefined;
  }

  async #addresses(name: 'peers' | 'storage'): Promise<FakeAnswer> {
    const { networkRevision } = await this.catalog().state();
    const lists = await this.catalog().network();
    const listed = this.lists(lists, name);
    const etag = `"${name}-${networkRevision.number}"`;
    if (!this.tellsHops) return { body: listed[name].map(({ url }) => url), etag };
    const term = name === 'peers' ? 'peer' : 'storage';
    const quads = networkQuads(term, listed[name], { baseUrl: this.baseUrl, vocabulary: VOCABULARY });
    return { body: new Writer().quadsToString(quads), headers: { 'content-type': 'text/turtle' }, etag };
  }

  async #feed(request: SeenRequest, parameters: URLSearchParams): Promise<FakeAnswer> {
    const text = parameters.get('since');
    const since = text === null ? undefined : parseCursor(text);
    if (text !== null && !since) return { status: 400 };
    const answer = await this.#changes(parameters, since ? { since } : {});
    if ('unknown' in answer) {
      const headers = { 'content-type': 'application/problem+json' };
      return { status: 410, headers, body: { title: 'Gone', status: 410, reason: answer.unknown } };
    }
    const from = since ?? cursorOf(answer.state);
    const { changes, next } = pageOf(answer, parameters, request.url, cursorText(from));
    const network = answer.state.networkRevision.number;
    return this.#page(request, answer.state, {
      network,
      digestVersion: DIGEST_VERSION,
      changes,
      sources: answer.sources.map(lineOf),
      ...next,
    });
  }

  #changes(parameters: URLSearchParams, which: Pick<ChangesRequest, 'since'>) {
    const after = parameters.get('after');
    const limit = Math.min(Number(parameters.get('limit') ?? this.pageSize), this.pageSize);
    return this.catalog().changes({ ...which, limit, ...(after === null ? {} : { after: Number(after) }) });
  }

  async #page(request: SeenRequest, state: State, page: Omit<WirePage, 'cursor'>): Promise<FakeAnswer> {
    const cursor = cursorText(cursorOf(state));
    const body = this.tamper({ cursor, ...page }, request);
    const lists = listsDigest(this.lists(await this.catalog().network(), 'digest'));
    const link: Record<string, string> = body.next ? { link: `<${body.next}>; rel="next"` } : {};
    return {
      body,
      etag: `"${cursor}"`,
      headers: { 'feed-cursor': body.cursor, 'feed-lists': lists, ...link },
    };
  }
}

function pageOf(answer: Changes, parameters: URLSearchParams, url: string, since?: string) {
  const changes = answer.changes.map(changeOf);
  if (answer.next === undefined) return { changes };
  const target = new URL(url, 'http://elsewhere.example');
  for (const [name, value] of parameters) target.searchParams.set(name, value);
  if (since !== undefined) target.searchParams.set('since', since);
  target.searchParams.set('after', String(answer.next));
  return { changes, next: { next: target.href } };
}

function changeOf({
  position,
  at,
  source,
  document,
  rank,
  uri,
  metadata,
  isUpdate,
}: StatementChange): WireChange {
  return {
    ...{
      position,
      at,
      type: metadata ? (isUpdate ? 'Update' : 'Create') : 'Delete',
      source,
      graph: document,
    },
    ...(rank ? { rank } : {}),
    uri,
    ...(metadata ? { hash: payloadHash(metadata), component: { ...metadata } } : {}),
  };
}

function lineOf({ source, ...line }: SourceSummary): WireLine {
  return { ...source, ...line };
}
