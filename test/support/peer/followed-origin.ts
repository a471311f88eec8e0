import type { Metadata } from '../../../src/component/metadata.js';
import { type Source, sourceKey } from '../../../src/component/source.js';
import type { SourceRecord } from '../../../src/core/source-record.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { FakeAnswer, SeenRequest } from '../fake-server.js';
import { memoryData, memoryRegistry, type TestRegistry } from '../registry.js';
import { FeedServer } from './feed-server.js';
import { PolledPeer, polledPeer } from './polled-peer.js';

/** A node whose feed is faithful unless a test says otherwise, and a node that polls it. */
export class FollowedOrigin extends PolledPeer {
  origin!: TestRegistry;
  feed!: FeedServer;
  /** What the origin answers instead, where this says so. */
  override: (request: SeenRequest) => FakeAnswer | undefined | Promise<FakeAnswer | undefined> = () =>
    undefined;
  readonly #data = memoryData();

  /** @param origin where it is another reader's registry */
  static async open(origin?: TestRegistry): Promise<FollowedOrigin> {
    const pair = await polledPeer(FollowedOrigin);
    pair.#serve(origin ?? (await pair.#open()));
    pair.server.everything(async (request) => {
      return (await pair.override(request)) ?? (await pair.feed.answer(request)) ?? { status: 404 };
    });
    return pair;
  }

  #serve(origin: TestRegistry): void {
    this.origin = origin;
    this.feed = new FeedServer(origin);
  }

  #open(pods: readonly string[] = []): Promise<TestRegistry> {
    const options = { order: { pods, peers: [] }, clock: this.clock, pace: withoutPause };
    return memoryRegistry(options, this.#data);
  }

  /** The origin starts again, with these pods in its configuration. */
  async configure(pods: readonly string[]): Promise<void> {
    await this.origin.close();
    this.#serve(await this.#open(pods));
  }

  /** The origin is put back to what it was when it was asked for this. */
  backUp(): () => Promise<void> {
    const backup = this.#data.backup();
    return async () => {
      await this.origin.close();
      this.#data.restore(backup);
      this.#serve(await this.#open());
    };
  }

  say(source: Source, graph: string, components: readonly Metadata[]) {
    const documents = [{ url: graph, components, record: {} }];
    return this.origin.commit({ source, documents, record: (record: SourceRecord) => record });
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
      for (const { metadata } of await this.registry.catalog.said(this.source, document))
        lines.push(`${of} ${metadata.uri} ${metadata.label}`);
    return lines.sort();
  }

  /** Requests since the last look: path, parameters and status. */
  requests(): string[] {
    return this.server.answered.splice(0);
  }

  /** The same without parameters. */
  paths(): string[] {
    return this.requests().map((request) => request.replace(/[?].*(?= )/, ''));
  }
}
