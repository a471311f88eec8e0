import type { ListedAddress } from '../../component/network-list.js';
import { isOfThisNode, LOCAL, type Source, sourceKey } from '../../component/source.js';
import type { Config } from '../../config.js';
import { type Discover, discovererFor } from '../../core/discoverer.js';
import type { DiscoveryRules } from '../../core/discovery.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import { documentRules } from '../../core/operator-rules.js';
import { NO_REFUSALS, type Refusals } from '../../core/refusal.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import type { Decisions, StatementRules } from '../../core/take.js';
import type { PollReport } from '../../explain/poll-report.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/guarded-fetch.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceReader } from '../source-reader.js';
import { Debounce } from './debounce.js';
import { type Decision, decide, decisionsIn } from './decisions.js';
import { logNewReasons } from './log-new-reasons.js';
import { PeerFilter, type PeerFilterOptions } from './peer-filter.js';
import { SourcesToForget } from './sources-to-forget.js';

export interface NetworkOptions extends Pick<PeerFilterOptions, 'podsReadBy' | 'onWanting'> {
  readonly config: DiscoveryRules & Pick<Config, 'mode'>;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'setNetwork' | 'source' | 'sources'>;
  /** Makes what reads a source. */
  readonly reader: (source: Source, trust: Trust) => SourceReader;
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  readonly pace: Pace;
  readonly log: LogTo<'debug' | 'info' | 'warn'>;
}

const UNSTORED =
  'what a poll changes in the network could not be stored; it is tried again after the next one';

const UNFORGOTTEN =
  'what does not belong to this node any more could not be forgotten; it is tried again soon';

const UNRECONSIDERED = 'that the rules have changed could not be taken into account';

export interface PolledSources {
  /** Replaces the list. Resolves when no poll of a source that was dropped is under way any more. */
  setSources(sources: readonly SourceReader[]): Promise<void>;
}

/**
 * Keeps what the node knows of the network up to date. From what its peers say follow the lists that it serves,
 * the sources that it polls, and what it has to forget. One poll is taken into account after the other.
 */
export class Network {
  readonly #options: NetworkOptions;
  /** What the operator has decided of addresses, as it was stored when the rules were looked at last. */
  #decisions: Decisions = new Map();
  #discover: Discover;
  readonly #introductions = new Map<string, NetworkLists>();
  readonly #filter: PeerFilter;
  readonly #toForget: SourcesToForget;
  #sources = new Map<string, SourceReader>();
  /** Does the scheduler still have to be told of the sources? Telling it may fail. */
  #schedulerIsBehind = false;
  /** Has all been done that follows from the introductions? */
  #isSettled = false;
  #refusals = NO_REFUSALS;
  #scheduler: PolledSources | undefined;
  #tail: Promise<void> = Promise.resolve();
  /** Introductions that changed. */
  readonly #introduced: Debounce;

  constructor(options: NetworkOptions) {
    this.#options = options;
    const parts = { ...options, follow: () => this.#followChanges() };
    this.#filter = new PeerFilter(parts);
    this.#introduced = new Debounce(parts);
    this.#toForget = new SourcesToForget(options);
    this.#discover = this.#learnRules();
  }

  /** The pod that speaks for a document, among those that this node reads itself. */
  podOf(document: string): string | undefined {
    return this.#filter.findRead(document);
  }

  /** By which rules statements of a peer are taken, as of now. */
  rulesFor(peer: string): StatementRules {
    return this.#filter.rulesFor(peer);
  }

  /** What is not read of what the peers told, and why. */
  get refusals(): Refusals {
    return this.#refusals;
  }

  /** Everything that is polled. */
  get sources(): Source[] {
    return [...this.#sources.values()].map(({ source }) => source);
  }

  get #peers(): Source[] {
    return this.sources.filter(({ kind }) => kind === 'peer');
  }

  /** Gives the scheduler its sources, from what is stored and configured; begins to forget what belongs to neither. */
  async start(scheduler: PolledSources): Promise<void> {
    this.#scheduler = scheduler;
    await this.#loadRules();
    const stored = await this.#loadSources();
    for (const { source, record } of stored) if (source.kind === 'peer') this.#filter.follow(source, record);
    await this.#chooseSources();
    for (const { source, record } of stored) {
      if (source.kind !== 'pod' || !this.#sources.has(sourceKey(source))) continue;
      this.#filter.found(source.url, record.lastSuccess !== undefined);
    }
    const dropping = this.#forgetSources().then(() => this.#filter.dropRefused(this.#peers));
    this.#tail = dropping.catch((error) => {
      this.#options.log.warn({ error: explain(error) }, UNFORGOTTEN);
      this.#introduced.note();
    });
    await this.#toForget.waitFor(this.#tail);
  }

  /** Breaks off what is being forgotten; resolves when nothing is written any more. */
  stop(): Promise<void> {
    this.#toForget.stop();
    return this.settled();
  }

  /** To be told of every poll, once it is committed. */
  polled({ source, ok }: Pick<PollReport, 'source' | 'ok'>): void {
    const { log } = this.#options;
    this.#tail = this.#tail
      .then(() => (source.kind === 'peer' ? this.#peerPolled(source) : this.#podPolled(source, ok)))
      .catch((error) => log.warn({ kind: source.kind, source: source.url, error: explain(error) }, UNSTORED));
  }

  /** Follows what has waited for that. */
  #followChanges(): void {
    this.#tail = this.#tail
      .then(async () => {
        if (this.#introduced.take()) await this.#follow();
        await this.#filter.followChanges(this.#peers);
      })
      .catch((error) => this.#options.log.warn({ error: explain(error) }, UNSTORED));
  }

  /** To be told of what another node has stored that shares the registry: after a poll, or a decision of the operator. */
  polledElsewhere(source: Source, { failures }: SourceRecord): void {
    if (!isOfThisNode(source)) this.polled({ source, ok: failures === 0 });
    else void this.reconsider().catch(() => undefined);
  }

  /** To be called when the rules of what may be learned have changed, or the registry has lost commits: looks at everything again. */
  reconsider(): Promise<void> {
    const done = this.#tail.then(async () => {
      this.#isSettled = false;
      await this.#loadRules();
      await this.#loadSources();
      await this.#follow();
      await this.#filter.dropRefused(this.#peers);
    });
    this.#tail = done.catch((error) => this.#options.log.warn({ error: explain(error) }, UNRECONSIDERED));
    return done;
  }

  /** Approves an address that peers told of, rejects it, or takes such a decision back; resolves when that has taken effect. */
  async decide(url: string, decision: Decision | undefined): Promise<void> {
    await decide(this.#options.registry, url, decision);
    await this.reconsider();
  }

  /** Resolves when all polls so far have been taken into account, also those whose effects were to wait. */
  settled(): Promise<void> {
    this.#followChanges();
    return this.#tail;
  }

  async #peerPolled(peer: Source): Promise<void> {
    if (!this.#sources.has(sourceKey(peer))) return;
    const introduction = (await this.#filter.peerPolled(peer))?.introduced ?? NO_NETWORK;
    // Most polls find what is known: to work everything out again would cost as much as all lists of all peers are long.
    const known = this.#introductions.get(peer.url);
    if (this.#isSettled && JSON.stringify(introduction) === JSON.stringify(known)) return;
    this.#introductions.set(peer.url, introduction);
    this.#introduced.note();
  }

  #podPolled(pod: Source, ok: boolean): void {
    if (this.#sources.has(sourceKey(pod))) this.#filter.podPolled(pod.url, ok);
  }

  /** Makes lists and sources what follows from the introductions. */
  async #follow(): Promise<void> {
    await this.#chooseSources();
    await this.#forgetSources();
  }

  async #chooseSources(): Promise<void> {
    this.#introduced.take();
    this.#isSettled = false;
    const { config, registry } = this.#options;
    const { lists, refusals } = await this.#discover(this.#introductions);
    await registry.setNetwork(lists);
    logNewReasons(this.#refusals, refusals, this.#options.log);
    this.#refusals = refusals;
    const before = this.#sources;
    // A mirror lists what its upstreams know, and reads only them.
    const read = config.mode === 'mirror' ? { peers: configured(config.peers), storage: [] } : lists;
    this.#sources = this.#sourcesOf(read);
    this.#filter.await(read.storage.filter(({ url }) => !before.has(sourceKey({ kind: 'pod', url }))));
    for (const { source } of before.values()) this.#toForget.add(source);
    this.#toForget.keep(this.#sources.keys());
    this.#schedulerIsBehind ||= !sameKeys(before, this.#sources);
    if (this.#schedulerIsBehind) await this.#scheduler?.setSources([...this.#sources.values()]);
    this.#schedulerIsBehind = false;
  }

  async #forgetSources(): Promise<void> {
    await this.#toForget.forgetAll((source) => {
      if (source.kind === 'peer') this.#introductions.delete(source.url);
      this.#filter.forget(source);
    });
    this.#isSettled = true;
  }

  /** Whom the peers introduce, as it is stored, and what has to be forgotten where nobody is known to introduce it. */
  async #loadSources(): Promise<StoredSource[]> {
    const stored = (await this.#options.registry.sources()).filter(({ source }) => !isOfThisNode(source));
    for (const { source, record } of stored) {
      if (source.kind === 'peer') this.#introductions.set(source.url, record.introduced ?? NO_NETWORK);
      this.#toForget.add(source);
    }
    return stored;
  }

  async #loadRules(): Promise<void> {
    this.#decisions = decisionsIn(await this.#options.registry.source(LOCAL));
    this.#discover = this.#learnRules();
  }

  /** Whom the node knows and what it accepts, by the rules as they are now. */
  #learnRules(): Discover {
    const { config, pace } = this.#options;
    const rules = { ...config, decisions: this.#decisions };
    this.#filter.operator = documentRules(rules);
    return discovererFor(rules, pace);
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

function configured(entries: readonly { readonly url: string }[]): ListedAddress[] {
  return entries.map(({ url }) => ({ url, hops: 0, via: [] }));
}

function sameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every((key) => other.has(key));
}
