import type { Source } from '../../../src/component/source.js';
import { findPodAmong } from '../../../src/core/find-pod.js';
import { NO_NETWORK } from '../../../src/core/network-lists.js';
import type { StoredSource } from '../../../src/core/source-record.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { TaskPool } from '../../../src/lib/pool/task.js';
import { createPeerReader, type PeerOptions } from '../../../src/sync/peer/peer-reader.js';
import type { SourceReader } from '../../../src/sync/source-reader.js';
import { type FakeServer, fakeServer } from '../fake-server.js';
import { door } from '../guarded-doors.js';
import { type PollCircumstances, type Polled, packedPool, pollReader } from '../read-source.js';
import { memoryRegistry, type TestRegistry, VOCABULARY } from '../registry.js';
import { VirtualClock } from '../virtual-time.js';

type Mode = PeerOptions['mode'];

/** The reader of a peer, as after a start of a node whose epoch is `itself`. */
export function peerReader(parts: Pick<PeerOptions, 'url' | 'fetch'> & Partial<PeerOptions>): SourceReader {
  return createPeerReader({
    ...{ mode: 'registry', trust: 'configured', clock: new VirtualClock(), vocabulary: VOCABULARY },
    ...{ pool: packedPool, epoch: async () => 'itself', ...parts },
  });
}

/** A node that polls a peer: a fake server, which answers what a test says. */
export class PolledPeer {
  /** Pods that the node reads itself. */
  pods: string[] = [];
  maxComponents = 100_000;
  /** Where the node parses what comes. */
  pool: TaskPool = packedPool;
  /** The URLs that the node has asked for, answered or not. */
  readonly asked: string[] = [];
  readonly source: Source;
  readonly #fetch = door({ allowPrivate: true, maxBytes: 10_000_000, timeoutMs: 60_000 });
  #mode: Mode = 'registry';
  #reader!: SourceReader;

  constructor(
    readonly server: FakeServer,
    /** The node's. */
    readonly clock: VirtualClock,
    /** What the node has. */
    readonly registry: TestRegistry,
  ) {
    this.source = { kind: 'peer', url: server.origin };
    this.restart();
  }

  get url(): string {
    return this.server.origin;
  }

  /** The node starts again: it knows nothing but what is stored. */
  restart(mode = this.#mode): void {
    this.#mode = mode;
    this.#reader = peerReader({
      ...{ url: this.url, mode, clock: this.clock },
      pool: { run: (...args) => this.pool.run(...args) },
      fetch: (url, request) => {
        this.asked.push(url);
        return this.#fetch(url, request);
      },
    });
  }

  /** Polls the peer once, stores what that brings, and says what came of it. */
  poll(circumstances: PollCircumstances = {}): Promise<Polled> {
    const rules = { read: findPodAmong(this.pods), peer: this.url, isMirror: this.#mode === 'mirror' };
    const { maxComponents } = this;
    return pollReader(this.registry, this.#reader, this.clock, { rules, maxComponents, ...circumstances });
  }

  stored(): Promise<StoredSource | undefined> {
    return this.registry.source(this.source);
  }

  /** The lists of the peer, as they are remembered. */
  introduced = async () => (await this.stored())?.record.introduced ?? NO_NETWORK;
}

/** A node that has read nothing yet, and a server for the peer; gone with the test. */
export async function polledPeer<T extends PolledPeer>(
  Kind: new (server: FakeServer, clock: VirtualClock, registry: TestRegistry) => T,
): Promise<T> {
  const [server, clock] = [await fakeServer(), new VirtualClock()];
  const order = { pods: [], peers: [server.origin] };
  return new Kind(server, clock, await memoryRegistry({ order, clock, pace: withoutPause }));
}
