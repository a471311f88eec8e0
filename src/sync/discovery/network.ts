import type { ListedAddress } from '../../component/network-list.js';
import { isHeldHere, type Source, sourceKey } from '../../component/precedence.js';
import type { Config } from '../../config.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/guarded-fetch.js';
import type { Pace } from '../../lib/pace.js';
import type { RefusedAddresses } from '../../registry/activity.js';
import { type NetworkLists, NO_NETWORK } from '../../registry/network-lists.js';
import type { PollReport } from '../../registry/poll-report.js';
import type { Registry } from '../../registry/registry.js';
import type { Coverage } from '../coverage.js';
import { introductionIn } from '../introduction.js';
import type { SyncLog } from '../sync-log.js';
import type { SyncSource } from '../sync-source.js';
import { createDiscovery, type DiscoveryRules, type Introductions } from './discovery.js';
import { mirrorLists } from './mirror-lists.js';
import { OwnReading } from './own-reading.js';

export interface NetworkOptions {
  readonly config: DiscoveryRules & Pick<Config, 'mode'>;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'setNetwork' | 'source' | 'sources'>;
  /** Makes what reads a source. */
  readonly reader: (source: Source, trust: Trust) => SyncSource;
  readonly pace: Pace;
  readonly log: SyncLog;
}

/** Who polls the sources. */
export interface PolledSources {
  /** Replaces the list. Resolves when no poll of a source that was dropped is under way any more. */
  setSources(sources: readonly SyncSource[]): Promise<void>;
}

/**
 * Keeps what the node knows of the network up to date. From what its peers say follow the lists that it serves,
 * the sources that it polls, and what it has to forget. One poll is taken into account after the other.
 */
export class Network {
  readonly #options: NetworkOptions;
  readonly #discover: (introductions: Introductions) => Promise<Discovered>;
  readonly #introductions = new Map<string, NetworkLists>();
  readonly #ownReading: OwnReading;
  /** Sources that are to be forgotten. */
  readonly #leaving = new Map<string, Source>();
  #readers = new Map<string, SyncSource>();
  /** Does the scheduler still have to be told of the readers? Telling it may fail. */
  #schedulerIsBehind = false;
  #refused: readonly RefusedAddresses[] = [];
  #scheduler: PolledSources | undefined;
  #tail: Promise<void> = Promise.resolve();

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#discover = discoveryFor(options.config, options.pace);
    this.#ownReading = new OwnReading(options.registry, options.pace);
  }

  /** The pods that this node reads itself, as of now. */
  get coverage(): Coverage {
    return this.#ownReading.coverage;
  }

  /** Everything that is polled. */
  get sources(): Source[] {
    return [...this.#readers.values()].map(({ source }) => source);
  }

  /** What peers make known and this node does not take up. */
  get refused(): readonly RefusedAddresses[] {
    return this.#refused;
  }

  /** Gives the scheduler its sources, from what is stored and configured; forgets what belongs to neither. */
  async start(scheduler: PolledSources): Promise<void> {
    this.#scheduler = scheduler;
    const stored = (await this.#options.registry.sources()).filter(({ source }) => !isHeldHere(source));
    for (const { source, record } of stored) {
      if (source.kind === 'peer') this.#introductions.set(source.url, introductionIn(record));
    }
    for (const { source } of stored) this.#leaving.set(sourceKey(source), source);
    await this.#follow();
    for (const { source, record } of stored) {
      const isRead = source.kind === 'pod' && record.lastSuccess !== undefined;
      if (isRead && this.#readers.has(sourceKey(source))) this.#ownReading.add(source.url);
    }
  }

  /** To be told of every poll, once it is committed. */
  polled({ source, ok }: PollReport): void {
    const { log } = this.#options;
    this.#tail = this.#tail
      .then(() => (source.kind === 'peer' ? this.#peerPolled(source) : this.#podPolled(source, ok)))
      .catch((error) => {
        const fields = { kind: source.kind, source: source.url, error: explain(error) };
        log.warn(
          fields,
          'what a poll changes in the network could not be stored; it is tried again after the next one',
        );
      });
  }

  /** Resolves when all polls so far have been taken into account. */
  settled(): Promise<void> {
    return this.#tail;
  }

  async #peerPolled(peer: Source): Promise<void> {
    if (!this.#readers.has(sourceKey(peer))) return;
    if (this.#options.config.mode === 'registry') await this.#ownReading.dropSuperseded(peer);
    const stored = await this.#options.registry.source(peer);
    this.#introductions.set(peer.url, introductionIn(stored?.record));
    await this.#follow();
  }

  async #podPolled(pod: Source, ok: boolean): Promise<void> {
    if (!ok || !this.#readers.has(sourceKey(pod)) || !this.#ownReading.add(pod.url)) return;
    for (const source of this.sources)
      if (source.kind === 'peer') await this.#ownReading.dropSuperseded(source);
  }

  /** Makes lists and sources what follows from the introductions. */
  async #follow(): Promise<void> {
    const { config, registry } = this.#options;
    const { lists, refused } = await this.#discover(this.#introductions);
    this.#refused = refused;
    await registry.setNetwork(lists);
    const before = this.#readers;
    // A mirror lists what its upstreams know, and reads only them.
    const read = config.mode === 'mirror' ? { peers: configured(config.peers), storage: [] } : lists;
    this.#readers = this.#readersOf(read);
    for (const [key, { source }] of before) this.#leaving.set(key, source);
    for (const key of this.#readers.keys()) this.#leaving.delete(key);
    this.#schedulerIsBehind ||= !sameKeys(before, this.#readers);
    if (this.#schedulerIsBehind) await this.#scheduler?.setSources([...this.#readers.values()]);
    this.#schedulerIsBehind = false;
    for (const [key, source] of this.#leaving) {
      await this.#forget(source);
      this.#leaving.delete(key);
    }
  }

  #readersOf({ peers, storage }: NetworkLists): Map<string, SyncSource> {
    const readers = new Map<string, SyncSource>();
    const add = (kind: 'pod' | 'peer', { url, hops }: ListedAddress) => {
      const source: Source = { kind, url };
      const key = sourceKey(source);
      const trust = hops === 0 ? 'configured' : 'learned';
      readers.set(key, this.#readers.get(key) ?? this.#options.reader(source, trust));
    };
    for (const entry of storage) add('pod', entry);
    for (const entry of peers) add('peer', entry);
    return readers;
  }

  async #forget(source: Source): Promise<void> {
    if (source.kind === 'peer') this.#introductions.delete(source.url);
    else this.#ownReading.delete(source.url);
    await this.#options.registry.forget(source);
  }
}

/** What follows from the introductions. */
interface Discovered {
  readonly lists: NetworkLists;
  readonly refused: readonly RefusedAddresses[];
}

function discoveryFor(
  config: NetworkOptions['config'],
  pace: Pace,
): (introductions: Introductions) => Promise<Discovered> {
  if (config.mode === 'mirror') {
    const said = (introductions: Introductions) =>
      config.peers.map(({ url }) => introductions.get(url) ?? NO_NETWORK);
    return async (introductions) => ({
      lists: await mirrorLists(said(introductions), pace()),
      refused: [],
    });
  }
  const discovery = createDiscovery(config);
  return async (introductions) => {
    const breathe = pace();
    for (const introduction of introductions.values()) {
      for (const _ of discovery.check(introduction)) await breathe();
    }
    const lists = discovery.lists(introductions);
    return { lists, refused: discovery.refused(introductions, lists) };
  };
}

function configured(entries: readonly { readonly url: string }[]): ListedAddress[] {
  return entries.map(({ url }) => ({ url, hops: 0, via: [] }));
}

function sameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every((key) => other.has(key));
}
