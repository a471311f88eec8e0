import type { Metadata } from '../../../src/component/metadata.js';
import { type Source, sourceKey } from '../../../src/component/source.js';
import type { ConfiguredSources } from '../../../src/core/precedence.js';
import type { Following } from '../../../src/core/source-record.js';
import { type DirectAnswer, DirectNetwork } from '../direct-fetch.js';
import type { SeenRequest } from '../fake-server.js';
import type { Polled } from '../read-source.js';
import { RestartableRegistry } from '../restartable-registry.js';
import { VirtualClock } from '../virtual-clock.js';
import { FeedFollower, type FollowerOptions } from './feed-follower.js';
import { FeedServer } from './feed-server.js';

export const ORIGIN = 'http://origin.example';
export const NO_ORDER = { pods: [], peers: [] };

/** A node whose feed is faithful unless a test says otherwise, and a reader that polls it; no sockets, no real time. */
export class FollowedOrigin {
  readonly feed: FeedServer;
  /** What the origin answers instead, where this says so. */
  override: (request: SeenRequest) => DirectAnswer | undefined | Promise<DirectAnswer | undefined> = () =>
    undefined;

  /** Both are started, and hold nothing. */
  static async open(
    options: FollowerOptions = {},
    order: ConfiguredSources = NO_ORDER,
  ): Promise<FollowedOrigin> {
    const clock = new VirtualClock();
    const origin = new RestartableRegistry(clock, order);
    await origin.start();
    const network = new DirectNetwork();
    const reader = await FeedFollower.open(ORIGIN, network, { clock, ...options });
    return new FollowedOrigin(clock, origin, reader, network);
  }

  /** A reader of another reader. */
  static async of(origin: FeedFollower, options: FollowerOptions = {}): Promise<FollowedOrigin> {
    const network = new DirectNetwork();
    const { clock } = origin.store;
    const reader = await FeedFollower.open(ORIGIN, network, { ...options, clock });
    return new FollowedOrigin(clock, origin.store, reader, network);
  }

  constructor(
    readonly clock: VirtualClock,
    readonly origin: RestartableRegistry,
    readonly reader: FeedFollower,
    readonly network: DirectNetwork,
  ) {
    this.feed = new FeedServer(ORIGIN, () => origin.registry.catalog);
    network.answer(ORIGIN, async (request) => (await this.override(request)) ?? this.feed.answer(request));
  }

  poll(options: Parameters<FeedFollower['poll']>[0] = {}): Promise<Polled> {
    return this.reader.poll(options);
  }

  say(source: Source, graph: string, components: readonly Metadata[]) {
    const documents = [{ url: graph, components, record: {} }];
    return this.origin.registry.commit({ source, documents, record: (record) => record });
  }

  async following(): Promise<Following | undefined> {
    return (await this.reader.stored())?.record.following;
  }

  /** What the origin says: source, uri and label. */
  async said(sources?: readonly Source[]): Promise<string[]> {
    const keys = sources?.map(sourceKey);
    return (await this.origin.registry.everything())
      .filter(({ source }) => keys?.includes(sourceKey(source)) ?? true)
      .map(({ source, metadata }) => `${sourceKey(source)} ${metadata.uri} ${metadata.label}`)
      .sort();
  }

  /** What the reader has of it, in the same form. */
  taken(): Promise<string[]> {
    return this.reader.taken();
  }

  /** Requests since the last look, without the origin. */
  requests(): string[] {
    return this.network.exchanges.splice(0).map(({ url, status }) => `${url.slice(ORIGIN.length)} ${status}`);
  }
}
