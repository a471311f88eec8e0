import { Writer } from 'n3';
import type { Catalog, StatementChange } from '../../../src/catalog/catalog.js';
import { listsDigest, networkQuads } from '../../../src/component/network-list.js';
import type { Source } from '../../../src/component/source.js';
import { DIGEST_VERSION, payloadHash } from '../../../src/component/statement-digest.js';
import { cursorOf, cursorText, parseCursor } from '../../../src/core/cursor.js';
import type { NetworkLists } from '../../../src/core/network-lists.js';
import type { FakeAnswer, SeenRequest } from '../fake-server.js';
import { VOCABULARY } from '../registry.js';

/** A page as it goes over the wire, before it is written. */
export interface WirePage {
  readonly cursor: string;
  readonly network?: number;
  readonly digestVersion?: number;
  readonly changes?: readonly WireChange[];
  readonly sources?: readonly WireLine[];
  readonly next?: string;
}

export interface WireLine extends Source {
  readonly rank: number;
  readonly count: number;
  readonly digest: string;
}

export interface WireChange {
  readonly position: number;
  readonly at: number;
  readonly type: 'Create' | 'Update' | 'Delete';
  readonly source: Source;
  readonly graph: string;
  readonly rank?: number;
  readonly uri: string;
  readonly hash?: string;
  readonly component?: Record<string, unknown>;
}

/**
 * The feed of a registry and its lists of addresses, as a node answers them: faithful, and small enough to be read beside the
 * description of the format. What lies is put around it.
 */
export class FeedServer {
  /** Changes on a page. */
  pageSize = 1000;
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
    if (pathname === '/peers' || pathname === '/storage') return this.#addresses(pathname);
    return pathname === '/feed' ? this.#feed(request, searchParams) : undefined;
  }

  async #addresses(path: '/peers' | '/storage'): Promise<FakeAnswer> {
    const [name, term] = path === '/peers' ? (['peers', 'peer'] as const) : (['storage', 'storage'] as const);
    const { networkRevision } = await this.catalog().state();
    const listed = this.lists(await this.catalog().network(), name)[name];
    const quads = networkQuads(term, listed, { baseUrl: this.baseUrl, vocabulary: VOCABULARY });
    const headers = { 'content-type': 'text/turtle' };
    return { body: new Writer().quadsToString(quads), headers, etag: `"${name}-${networkRevision.number}"` };
  }

  async #feed(request: SeenRequest, parameters: URLSearchParams): Promise<FakeAnswer> {
    const text = parameters.get('since');
    const since = text === null ? undefined : parseCursor(text);
    if (text !== null && !since) return { status: 400 };
    const after = parameters.has('after') ? { after: Number(parameters.get('after')) } : {};
    const answer = await this.catalog().changes({ ...(since && { since }), ...after, limit: this.pageSize });
    if ('unknown' in answer) return { status: 410, body: { title: 'Gone', reason: answer.unknown } };
    const cursor = cursorText(cursorOf(answer.state));
    const behind = `/feed?since=${text ?? cursor}&after=${answer.next}`;
    const { next, ...body } = this.tamper(
      {
        cursor,
        network: answer.state.networkRevision.number,
        digestVersion: DIGEST_VERSION,
        changes: answer.changes.map(changeOf),
        sources: answer.sources.map(({ source, ...line }) => ({ ...source, ...line })),
        ...(answer.next !== undefined && { next: `http://elsewhere.example${behind}` }),
      },
      request,
    );
    const lists = listsDigest(this.lists(await this.catalog().network(), 'digest'));
    const link: Record<string, string> = next ? { link: `<${next}>; rel="next"` } : {};
    return {
      body,
      etag: `"${cursor}"`,
      headers: { 'feed-cursor': body.cursor, 'feed-lists': lists, ...link },
    };
  }
}

function changeOf({ document: graph, metadata, isUpdate, ...change }: StatementChange): WireChange {
  const { position, at, source, uri } = change;
  const placed = { position, at, source, graph, uri };
  if (!metadata) return { ...placed, type: 'Delete' };
  const told = { hash: payloadHash(metadata), component: { ...metadata } };
  return { ...placed, ...told, type: isUpdate ? 'Update' : 'Create' };
}
