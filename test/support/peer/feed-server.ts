import type { Source } from '../../../src/component/source.js';
import { createTestApp, type TestApp } from '../../acceptance/adapters/registry-app.js';
import type { FakeAnswer, SeenRequest } from '../fake-server.js';
import type { TestRegistry } from '../registry.js';

/** A page as it goes over the wire, before it is written. */
export interface WirePage {
  readonly cursor: string;
  readonly network?: number;
  readonly digestVersion?: number;
  readonly changes?: readonly WireChange[];
  readonly sources?: readonly WireLine[];
  readonly next?: string;
}

interface WireLine extends Source {
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

/** The feed of a registry and its lists of addresses, as a node answers them, unless a test changes what they say. */
export class FeedServer {
  /** Changes on a page. */
  pageSize = 1000;
  /** Changes pages on their way out. */
  tamper: (page: WirePage, request: SeenRequest) => WirePage = (page) => page;
  /** What happens each time that other work may be done while a page is made. */
  meanwhile: () => Promise<void> | undefined = () => undefined;
  readonly #app: Promise<TestApp>;

  constructor(registry: TestRegistry) {
    this.#app = createTestApp({}, { pace: () => () => this.meanwhile() }, registry);
  }

  /** `undefined` for paths that have nothing to do with the feed. */
  async answer(request: SeenRequest): Promise<FakeAnswer | undefined> {
    const isFeed = request.url.startsWith('/feed');
    if (!isFeed && !['/peers', '/storage'].includes(request.url)) return undefined;
    const { app } = await this.#app;
    const asked = new URL(request.url, 'http://node.example');
    if (isFeed) asked.searchParams.set('limit', String(this.pageSize));
    const { 'accept-encoding': _e, ...wanted } = request.headers as Record<string, string>;
    const answer = await app.request(asked.pathname + asked.search, { headers: wanted });
    const { 'content-length': _, link: _l, ...headers } = Object.fromEntries(answer.headers);
    const { status } = answer;
    if (!isFeed || status !== 200) return { status, headers, body: Buffer.from(await answer.arrayBuffer()) };
    const { next, ...body } = this.tamper((await answer.json()) as WirePage, request);
    return { headers: { ...headers, ...(next && { link: `<${next}>; rel="next"` }) }, body };
  }
}
