import { beforeEach } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { findPodAmong } from '../../../src/core/find-pod.js';
import { NO_NETWORK } from '../../../src/core/network-lists.js';
import { systemClock } from '../../../src/lib/clock.js';
import { createGuardedFetch, type GuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import type { SourceReader } from '../../../src/sync/source-reader.js';
import { cleanup } from '../cleanup.js';
import { type PollCircumstances, pollReader } from '../read-source.js';
import { memoryRegistry, type TestRegistry } from '../registry.js';
import { type FakePeer, fakePeer } from './fake-peer.js';
import { testPeerReader } from './test-peer-reader.js';

/** What each test has anew, and may change. */
interface Fresh {
  peer: FakePeer;
  registry: TestRegistry;
  /** What this node reads itself. */
  pods: string[];
  mode: 'registry' | 'mirror';
  /** What is polled. */
  source: SourceReader;
  /** The URLs that the source has asked for, answered or not. */
  asked: string[];
}

/**
 * A fake peer that says nothing yet, and a registry that polls of it are committed to. Call it in `describe`: both
 * are new before each test.
 */
export function polledPeer() {
  const guarded = createGuardedFetch({
    userAgent: 'test',
    allowPrivate: true,
    maxBytes: 20_000,
    timeoutMs: 5_000,
  });
  cleanup(() => guarded.close());
  const fresh = {} as Fresh;
  const fetch: GuardedFetch = (url, request) => {
    fresh.asked.push(url);
    return guarded(url, request);
  };

  beforeEach(async () => {
    fresh.peer = await fakePeer();
    fresh.registry = await memoryRegistry({ order: { pods: [], peers: [fresh.peer.url] } });
    fresh.pods = [];
    fresh.mode = 'registry';
    fresh.asked = [];
    fresh.source = create();
  });

  /** As after a restart: nothing is remembered but what is stored. */
  const create = () => testPeerReader({ url: fresh.peer.url, mode: fresh.mode, fetch });
  /** Polls the peer once, stores what that brings, and says what came of it. */
  const poll = (circumstances: PollCircumstances = {}) => {
    const { registry, source, mode } = fresh;
    return pollReader(registry, source, systemClock, {
      rules: { read: findPodAmong(fresh.pods), peer: source.source.url, isMirror: mode === 'mirror' },
      ...circumstances,
    });
  };
  /** The labels that the registry serves. */
  const served = () => fresh.registry.labels();
  const stored = () => fresh.registry.source(fresh.source.source);
  const documents = async () => [...((await stored())?.documents.keys() ?? [])].map(decodeURIComponent);
  const introduced = async () => (await stored())?.record.introduced ?? NO_NETWORK;
  const say = (graph: string, ...components: Metadata[]) => fresh.peer.graphs.set(graph, components);

  return { fresh, create, poll, served, stored, documents, introduced, say };
}
