import type { Metadata } from '../../../src/component/metadata.js';
import { type Source, sourceKey } from '../../../src/component/source.js';
import { findPodAmong } from '../../../src/core/find-pod.js';
import type { SourceRecord, StoredSource } from '../../../src/core/source-record.js';
import { FetchFailure, type GuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess, type TaskPool } from '../../../src/lib/pool/task.js';
import type { SourceReader } from '../../../src/sync/source-reader.js';
import type { FakeAnswer, SeenRequest } from '../fake-server.js';
import { type Polled, pollReader } from '../read-source.js';
import { memoryData, memoryRegistry, type TestRegistry } from '../registry.js';
import { VirtualClock } from '../virtual-clock.js';
import { FeedServer } from './feed-server.js';
import { testPeerReader } from './test-peer-reader.js';

export const ORIGIN = 'http://origin.example';

/** How the reader reads. */
interface ReaderOptions {
  mode?: 'registry' | 'mirror';
  maxComponents?: number;
}

/** A node whose feed is faithful unless a test says otherwise, and a node that polls it; no sockets, no real time. */
export class FollowedOrigin {
  feed!: FeedServer;
  /** What the origin answers instead, where this says so. */
  override: (request: SeenRequest) => DirectAnswer | undefined | Promise<DirectAnswer | undefined> = () =>
    undefined;
  /** Pods that the reader reads itself. */
  pods: string[] = [];
  /** Where the reader parses what comes. */
  pool: TaskPool = inProcess(withoutPause);
  readonly source: Source = { kind: 'peer', url: ORIGIN };
  readonly #answered: string[] = [];
  readonly #data = memoryData();
  #peer: SourceReader;

  /** @param origin where it is another reader's registry */
  static async open(options: ReaderOptions = {}, origin?: TestRegistry): Promise<FollowedOrigin> {
    const clock = new VirtualClock();
    const order = { pods: [], peers: [ORIGIN] };
    const reader = await memoryRegistry({ order, clock, pace: withoutPause });
    const pair = new FollowedOrigin(clock, reader, options);
    await pair.#serve(origin ?? pair.#open());
    return pair;
  }

  origin!: TestRegistry;

  private constructor(
    readonly clock: VirtualClock,
    /** What the reader has. */
    readonly reader: TestRegistry,
    readonly options: ReaderOptions,
  ) {
    this.#peer = this.#createPeer();
  }

  async #serve(origin: TestRegistry | Promise<TestRegistry>): Promise<void> {
    this.origin = await origin;
    this.feed = new FeedServer(this.origin);
  }

  #open(pods: readonly string[] = []): Promise<TestRegistry> {
    const options = { order: { pods, peers: [] }, clock: this.clock, pace: withoutPause };
    return memoryRegistry(options, this.#data);
  }

  #createPeer() {
    const { mode = 'registry' } = this.options;
    const pool: TaskPool = { run: (...args) => this.pool.run(...args) };
    return testPeerReader({ url: ORIGIN, mode, fetch: this.#fetch, clock: this.clock, pool });
  }

  /** Without a socket, which could not carry thousands of polls in time. Nobody else than the origin is there. */
  readonly #fetch: GuardedFetch = async (url, { headers = {}, signal, method = 'GET' }) => {
    signal?.throwIfAborted();
    if (!url.startsWith(ORIGIN)) throw new FetchFailure('connection', `nobody listens at ${url}`);
    const request = { method, url: url.slice(ORIGIN.length), headers, body: '' };
    const given: DirectAnswer = (await this.override(request)) ??
      (await this.feed.answer(request)) ?? { status: 404 };
    signal?.throwIfAborted();
    if (given.tooLarge) throw new FetchFailure('too-large', 'the body is larger than may be read');
    if (given.drop) throw new FetchFailure('connection', 'the connection was closed');
    const isSame = given.etag !== undefined && headers['if-none-match'] === given.etag;
    const status = isSame ? 304 : (given.status ?? 200);
    const bytes = bytesOf(isSame ? '' : given.body);
    this.#answered.push(`${request.url} ${status}`);
    const sent = {
      ...(typeof given.body === 'object' ? { 'content-type': 'application/json' } : {}),
      ...(given.etag ? { etag: given.etag } : {}),
      ...(given.headers as Record<string, string>),
    };
    return {
      ...{ url, status, headers: new Headers(sent) },
      body: (async function* () {
        yield bytes;
      })(),
      bytes: async () => bytes.slice(),
      text: async () => new TextDecoder().decode(bytes),
      discard: async () => undefined,
    };
  };

  /** The origin starts again, with these pods in its configuration. */
  async configure(pods: readonly string[]): Promise<void> {
    await this.origin.close();
    await this.#serve(this.#open(pods));
  }

  /** The origin is put back to what it was when it was asked for this. */
  backUp(): () => Promise<void> {
    const backup = this.#data.backup();
    return async () => {
      await this.origin.close();
      this.#data.restore(backup);
      await this.#serve(this.#open());
    };
  }

  /** The reader starts again, in the mode that its options have by now. */
  restart(): void {
    this.#peer = this.#createPeer();
  }

  poll({ acceptsShrink = false } = {}): Promise<Polled> {
    const { maxComponents, mode } = this.options;
    const rules = { read: findPodAmong(this.pods), peer: ORIGIN, isMirror: mode === 'mirror' };
    return pollReader(this.reader, this.#peer, this.clock, { rules, maxComponents, acceptsShrink });
  }

  say(source: Source, graph: string, components: readonly Metadata[]) {
    const documents = [{ url: graph, components, record: {} }];
    return this.origin.commit({ source, documents, record: (record: SourceRecord) => record });
  }

  stored(): Promise<StoredSource | undefined> {
    return this.reader.source(this.source);
  }

  /** What the origin says: source, uri and label. */
  async said(sources?: readonly Source[]): Promise<string[]> {
    const keys = sources?.map(sourceKey);
    return (await this.origin.everything())
      .filter(({ source }) => keys?.includes(sourceKey(source)) ?? true)
      .map(({ source, metadata }) => `${sourceKey(source)} ${metadata.uri} ${metadata.label}`)
      .sort();
  }

  /** What the reader has of it, in the same form. */
  async taken(): Promise<string[]> {
    const lines: string[] = [];
    for (const [document, { of }] of (await this.stored())?.documents ?? [])
      for (const { metadata } of await this.reader.catalog.said(this.source, document))
        lines.push(`${of} ${metadata.uri} ${metadata.label}`);
    return lines.sort();
  }

  /** Requests since the last look: path, parameters and status. */
  requests(): string[] {
    return this.#answered.splice(0);
  }

  /** The same without parameters. */
  paths(): string[] {
    return this.requests().map((request) => request.replace(/[?].*(?= )/, ''));
  }
}

/** An answer, or how the fetch refuses it. */
type DirectAnswer = FakeAnswer & { readonly tooLarge?: boolean };

function bytesOf(body: FakeAnswer['body'] = ''): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
