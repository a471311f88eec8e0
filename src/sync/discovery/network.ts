import { isDeepStrictEqual } from 'node:util';
import type { ListedAddress } from '../../component/network-list.js';
import { isOfThisNode, LOCAL, type Source, sourceKey } from '../../component/source.js';
import { createDiscovery, type Discover, type DiscoveryRules } from '../../core/discovery.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import {
  type Disagreement,
  disagreement,
  type KnownPeer,
  knownSources,
  podRoles,
} from '../../core/pod-roles.js';
import { NO_REFUSALS } from '../../core/refusal.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import { type Decisions, documentRules, type StatementRules } from '../../core/take.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/guarded-fetch.js';
import type { LogTo } from '../../lib/log.js';
import { type Pace, paced } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceReader } from '../source-reader.js';
import { debounce } from './debounce.js';
import { type Decision, decide, decisionsIn } from './decisions.js';

export interface NetworkOptions {
  readonly config: DiscoveryRules;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'setNetwork' | 'source' | 'sources'>;
  /** Makes what reads a source. */
  readonly reader: (source: Source, trust: Trust) => SourceReader;
  /** The pods that a peer reads itself, as `sourceKey`s, by what is stored of it. */
  readonly podsReadBy: (record: SourceRecord | undefined) => ReadonlySet<string>;
  /** More is to be taken of a peer than was: it has to tell everything again, soon. */
  readonly onWanting: (peer: Source) => void;
  /** Less is to be taken of a peer than was: it is to be polled soon, which drops the rest. */
  readonly onRefusing: (peer: Source) => void;
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
}

export interface PolledSources {
  /** Replaces the list. Resolves when no poll of a source that was dropped is under way any more. */
  setSources(sources: readonly SourceReader[]): Promise<void>;
}

/** How long a start waits until what is configured no more is forgotten, in ms; the rest goes while the node answers. */
const LONGEST_WAIT = 3_000;

const UNSTORED =
  'what follows from a poll for the network could not be stored; it is tried again after the next one';

/**
 * Whom the node knows. From what is stored of its sources follow the lists that it serves, the sources that it polls, what
 * it takes of each peer, and what it has to forget. All of that is worked out as a whole, some time after a poll.
 */
export class Network {
  readonly #options: NetworkOptions;
  readonly #stopping = new AbortController();
  /** To be told of every poll, once it is committed. */
  readonly polled: () => void;
  /** What the operator has decided of addresses, as it was stored when the rules were looked at last. */
  #decisions: Decisions = new Map();
  #operator: StatementRules['operator'];
  #discover: Discover;
  #roles = podRoles({ pods: [], peers: [] });
  #sources = new Map<string, SourceReader>();
  /** By key, when a source was found failing again and again the last time. */
  readonly #failed = new Map<string, number>();
  /** The keys of those that the scheduler was told of last: telling it may fail. */
  #told: readonly string[] | undefined;
  /** What is not read of what the peers told, and why. */
  refusals = NO_REFUSALS;
  /** By URL, why peers were asked again the last time: what they go on naming is no reason to ask them once more. */
  #asked = new Map<string, Disagreement>();
  #scheduler: PolledSources | undefined;
  #tail: Promise<void> = Promise.resolve();

  constructor(options: NetworkOptions) {
    this.#options = options;
    const { signal } = this.#stopping;
    this.polled = debounce({ ...options, signal, follow: () => void this.settled() });
    this.#discover = this.#learnRules();
  }

  /** By which rules statements of a peer are taken, as of now. */
  rulesFor(peer: string): StatementRules {
    const { read, isFromOthers } = this.#roles;
    return { read, operator: this.#operator, isFromOthers: (of) => isFromOthers(peer, of) };
  }

  /** Everything that is polled. */
  get sources(): Source[] {
    return [...this.#sources.values()].map(({ source }) => source);
  }

  /** Gives the scheduler its sources, from what is stored and configured; begins to forget what belongs to neither. */
  async start(scheduler: PolledSources): Promise<void> {
    this.#scheduler = scheduler;
    await this.#loadRules();
    const stored = await this.#stored();
    await this.#chooseSources(stored);
    this.#chooseRoles(stored);
    const forgetting = this.#inTurn(() => this.#forgetOthers(stored)).catch(() => undefined);
    const over = new AbortController();
    const wait = this.#options.clock.sleep(LONGEST_WAIT, over.signal).catch(() => undefined);
    await Promise.race([forgetting, wait]);
    over.abort();
    // Peers of which something else is stored than is taken by the rules of today are asked once polls have begun.
    this.polled();
  }

  /** Breaks off what is being forgotten; resolves when nothing is written any more. */
  stop(): Promise<void> {
    this.#stopping.abort(new Error('The node is stopping'));
    return this.#tail;
  }

  /** To be told of what another node has stored that shares the registry: after a poll, or a decision of the operator. */
  polledElsewhere(source: Source): void {
    if (isOfThisNode(source)) void this.reconsider().catch(() => undefined);
    else this.polled();
  }

  /** To be called when the rules of what may be learned have changed, or the registry has lost commits. */
  reconsider(): Promise<void> {
    return this.#inTurn(async () => {
      const areOthers = await this.#loadRules();
      await this.#follow();
      if (!areOthers) return;
      for (const source of this.sources) if (source.kind === 'peer') this.#options.onRefusing(source);
    });
  }

  /** Approves an address that peers told of, rejects it, or takes such a decision back; resolves when the sources are chosen anew. */
  async decide(url: string, decision: Decision | undefined): Promise<void> {
    await decide(this.#options.registry, url, decision);
    await this.reconsider();
  }

  /** Resolves when all polls so far have been taken into account. */
  settled(): Promise<void> {
    return this.#inTurn(() => this.#follow()).catch(() => undefined);
  }

  /** One after the other. What fails is logged, and thrown to whoever waits for it. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(() => (this.#stopping.signal.aborted ? undefined : task()));
    this.#tail = done.catch((error) => {
      if (!this.#stopping.signal.aborted) this.#options.log.warn({ error: explain(error) }, UNSTORED);
    });
    return done;
  }

  async #follow(): Promise<void> {
    const stored = await this.#stored();
    const looked = new Set([...this.#sources.keys(), ...stored.map(({ source }) => sourceKey(source))]);
    await this.#chooseSources(stored);
    this.#askAgain(this.#chooseRoles(stored));
    // A last poll of a source that was dropped just now may have stored something meanwhile. What another node on the same data
    // has learned since is not judged yet.
    const now = await this.#stored();
    await this.#forgetOthers(now.filter(({ source }) => looked.has(sourceKey(source))));
  }

  /** Makes lists and sources what follows from what the peers introduce. */
  async #chooseSources(stored: readonly StoredSource[]): Promise<void> {
    const { config, registry, pace } = this.#options;
    const peers = stored.filter(({ source }) => source.kind === 'peer');
    const said = new Map(peers.map(({ source, record }) => [source.url, record.introduced ?? NO_NETWORK]));
    const { lists, refusals } = await paced(this.#discover(said), pace());
    await registry.setNetwork(lists);
    this.refusals = refusals;
    // A mirror lists what its upstreams know, and reads only them.
    const upstreams = config.peers.map(({ url }) => ({ url, hops: 0, via: [] }));
    this.#sources = this.#sourcesOf(config.mode === 'mirror' ? { peers: upstreams, storage: [] } : lists);
    const keys = [...this.#sources.keys()].sort();
    if (isDeepStrictEqual(keys, this.#told)) return;
    await this.#scheduler?.setSources([...this.#sources.values()]);
    this.#told = keys;
  }

  /** Who reads which pods, as of now. A mirror takes everything of whom it reads: for it, nothing follows from that. */
  #chooseRoles(stored: readonly StoredSource[]): readonly KnownPeer[] {
    const { config, clock, podsReadBy } = this.#options;
    if (config.mode === 'mirror') return [];
    const sources = { read: this.sources, stored, failed: this.#failed, now: clock.now() };
    const known = knownSources(sources, config.peers, podsReadBy);
    this.#roles = podRoles(known);
    return known.peers;
  }

  /** Has peers polled of which something else is stored than is taken now. */
  #askAgain(peers: readonly KnownPeer[]): void {
    const { onWanting, onRefusing } = this.#options;
    const before = this.#asked;
    this.#asked = new Map(peers.map((peer) => [peer.url, disagreement(peer, this.rulesFor(peer.url))]));
    for (const [url, { more, less }] of this.#asked) {
      const { more: asked, less: dropping } = before.get(url) ?? {};
      if ([...more].some((pod) => !asked?.has(pod))) onWanting({ kind: 'peer', url });
      else if ([...less].some((pod) => !dropping?.has(pod))) onRefusing({ kind: 'peer', url });
    }
  }

  /** Forgets, one after the other, what is stored of sources that do not belong to the node any more. */
  async #forgetOthers(stored: readonly StoredSource[]): Promise<void> {
    for (const { source } of stored) {
      if (!this.#sources.has(sourceKey(source)))
        await this.#options.registry.forget(source, this.#stopping.signal);
    }
  }

  async #stored(): Promise<StoredSource[]> {
    return (await this.#options.registry.sources()).filter(({ source }) => !isOfThisNode(source));
  }

  /** @returns whether the operator has decided something else since */
  async #loadRules(): Promise<boolean> {
    const before = this.#decisions;
    this.#decisions = decisionsIn(await this.#options.registry.source(LOCAL));
    this.#discover = this.#learnRules();
    return !isDeepStrictEqual(before, this.#decisions);
  }

  /** Whom the node knows and what it accepts, by the rules as they are now. */
  #learnRules(): Discover {
    const { config } = this.#options;
    const rules = { ...config, decisions: this.#decisions };
    this.#operator = documentRules(rules);
    return createDiscovery(rules);
  }

  #sourcesOf({ peers, storage }: NetworkLists): Map<string, SourceReader> {
    const sources = new Map<string, SourceReader>();
    const add = (kind: 'pod' | 'peer', { url, hops }: ListedAddress) => {
      const source: Source = { kind, url };
      const key = sourceKey(source);
      const trust = hops === 0 ? 'configured' : 'learned';
      sources.set(key, this.#sources.get(key) ?? this.#options.reader(source, trust));
    };
    for (const entry of storage) add('pod', entry);
    for (const entry of peers) add('peer', entry);
    return sources;
  }
}
