import { isDeepStrictEqual } from 'node:util';
import type { ListedAddress } from '../../component/network-list.js';
import { isOfThisNode, LOCAL, type Source, sourceKey } from '../../component/source.js';
import { createDiscovery, type DiscoveryRules } from '../../core/discovery.js';
import { NO_NETWORK } from '../../core/network-lists.js';
import {
  type KnownPeer,
  knownSources,
  type PodRoles,
  podRoles,
  takenAgain,
  takenNoMore,
} from '../../core/pod-roles.js';
import { RefusalTally } from '../../core/refusal.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import { documentRules, type StatementRules } from '../../core/take.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/guarded-fetch.js';
import type { LogTo } from '../../lib/log.js';
import { type Pace, paced } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceReader } from '../source-reader.js';
import { type Decision, decide, decisionsIn } from './decisions.js';
import { refusalLog } from './refusal-log.js';

interface NetworkOptions {
  readonly config: DiscoveryRules;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'setNetwork' | 'source' | 'sources'>;
  /** Makes what reads a source. */
  readonly reader: (source: Source, trust: Trust) => SourceReader;
  /** The pods that a peer reads itself, as `sourceKey`s, by what is stored of it. */
  readonly podsReadBy: (record: SourceRecord | undefined) => ReadonlySet<string>;
  /** Replaces what is polled. Resolves when no poll of a source that was dropped is under way any more. */
  readonly setSources: (sources: readonly SourceReader[]) => Promise<void>;
  /** Something else is to be taken of a peer than is stored: it is to be polled soon. */
  readonly onDisagreement: (peer: Source) => void;
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  readonly pace: Pace;
  readonly log: LogTo<'info' | 'warn'>;
}

/** How long changes are gathered: a part of the time between two polls, and ms at most. */
const GATHERING = { part: 1 / 60, mostMs: 5_000 } as const;
/** How long a start waits until what is configured no more is forgotten, in ms. */
const LONGEST_WAIT = 3_000;

const UNSTORED =
  'what follows from a poll for the network could not be stored; it is tried again after the next one';

/** What follows from the configuration and the decisions of the operator. */
function operatorRules(config: DiscoveryRules, decisions: ReturnType<typeof decisionsIn>) {
  const rules = { ...config, decisions };
  return { decisions, operator: documentRules(rules), discover: createDiscovery(rules) };
}

/**
 * Whom the node knows. From what is stored of its sources follow the lists that it serves, the sources that
 * it polls, what it takes of each peer, and what it has to forget: all worked out as a whole, soon after a
 * poll.
 */
export class Network {
  readonly #stopping = new AbortController();
  #rules: ReturnType<typeof operatorRules>;
  #roles: PodRoles = { read: () => undefined, isFromOthers: () => false };
  #sources = new Map<string, SourceReader>();
  #refused = new RefusalTally();
  readonly #logRefusals: ReturnType<typeof refusalLog>;
  /** By peer, the pods because of which it was asked again: they are no reason to ask once more. */
  #asked: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #isGathering = false;
  /** Could what followed last not be stored? */
  #isBehind = false;
  #tail: Promise<void> = Promise.resolve();

  constructor(readonly options: NetworkOptions) {
    this.#rules = operatorRules(options.config, new Map());
    this.#logRefusals = refusalLog(options.log);
  }

  /** What is not read of what the peers told, and why. */
  get refused(): RefusalTally {
    return this.#refused;
  }

  /** By which rules statements of a peer are taken, as of now. */
  rulesFor(peer: string): StatementRules {
    const { read, isFromOthers } = this.#roles;
    return { read, operator: this.#rules.operator, isFromOthers: (of) => isFromOthers(peer, of) };
  }

  /** Everything that is polled. */
  get sources(): Source[] {
    return [...this.#sources.values()].map(({ source }) => source);
  }

  /** Chooses what is polled, from what is stored and configured; begins to forget what belongs to neither. */
  async start(): Promise<void> {
    const stored = await this.#stored();
    // In turn: another node on the same data may have stored something already.
    await this.#inTurn(async () => void (await this.#choose(stored)));
    const forgotten = this.#inTurn(() => this.#forgetOthers(stored)).catch(() => undefined);
    const over = new AbortController();
    const wait = this.options.clock.sleep(LONGEST_WAIT, over.signal).catch(() => undefined);
    await Promise.race([forgotten, wait]);
    over.abort();
    // Peers of which more is taken by the rules of today than is stored are asked once polls have begun.
    this.polled();
  }

  /**
   * To be told of every poll, once it is committed. One that has changed something is followed, with what
   * changes in the next moment: while nodes join a network, many peers tell of each, and each change of the
   * lists makes all followers ask.
   * @param poll absent where the former record is unknown: at the start, and when another node has polled
   */
  polled(poll?: { readonly before: SourceRecord; readonly after: SourceRecord }): void {
    if (this.#isGathering) return;
    // Whether a peer is relied on again follows from the time.
    const isReliable = [poll?.before, poll?.after].every((one) => one?.unreliableAt === undefined);
    if (poll && !this.#isBehind && isReliable)
      if (isDeepStrictEqual(this.#bases(poll.before), this.#bases(poll.after))) return;
    this.#isGathering = true;
    const { clock, interval } = this.options;
    const follow = () => {
      this.#isGathering = false;
      void this.settled();
    };
    const gathering = Math.min(GATHERING.mostMs, interval * GATHERING.part);
    clock.sleep(gathering, this.#stopping.signal).then(follow, () => undefined);
  }

  /** Breaks off what is being forgotten; resolves when nothing is written any more. */
  stop(): Promise<void> {
    this.#stopping.abort(new Error('The node is stopping'));
    return this.#tail;
  }

  /** Works everything out again. Resolves when all polls so far have been taken into account. */
  settled(): Promise<void> {
    return this.#inTurn(() => this.#follow()).catch(() => undefined);
  }

  /**
   * Approves an address, rejects it, or takes that back; resolves when the sources are chosen anew, and
   * rejects when what follows could not be stored.
   */
  async decide(url: string, decision: Decision | undefined): Promise<void> {
    await decide(this.options.registry, url, decision);
    await this.#inTurn(() => this.#follow());
  }

  /** One after the other. What fails is logged, and thrown to whoever waits for it. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(() => (this.#stopping.signal.aborted ? undefined : task()));
    this.#tail = done.catch((error) => {
      this.#isBehind = true;
      if (!this.#stopping.signal.aborted) this.options.log.warn({ error: explain(error) }, UNSTORED);
    });
    return done;
  }

  async #follow(): Promise<void> {
    const stored = await this.#stored();
    const rules = this.#rules;
    const peers = await this.#choose(stored);
    await this.#askAgain(peers, this.#rules !== rules);
    await this.#forgetOthers(stored);
    this.#isBehind = false;
  }

  /** All that is remembered of a source from which anything follows for the network. */
  #bases(record: SourceRecord): unknown[] {
    const { introduced, refused = {}, lastSuccess } = record;
    return [introduced, refused, lastSuccess === undefined, this.options.podsReadBy(record)];
  }

  /** Works out by which rules what is polled and taken of whom. */
  async #choose(stored: readonly StoredSource[]): Promise<readonly KnownPeer[]> {
    const { config, registry, clock, podsReadBy, pace } = this.options;
    const decisions = decisionsIn(await registry.source(LOCAL));
    // The operator may have decided something else since, here or at another node.
    if (!isDeepStrictEqual(decisions, this.#rules.decisions)) this.#rules = operatorRules(config, decisions);
    await this.#chooseSources(stored);
    // A mirror takes everything of whom it reads: for it, nothing follows from who reads which pods.
    const others = config.mode === 'mirror' ? [] : this.sources;
    const given = { peers: config.peers, podsReadBy, now: clock.now() };
    const known = await paced(knownSources(others, stored, given), pace());
    this.#roles = await paced(podRoles(known), pace());
    return known.peers;
  }

  /** Makes lists and sources what follows from what the peers introduce. */
  async #chooseSources(stored: readonly StoredSource[]): Promise<void> {
    const { config, registry, setSources, pace } = this.options;
    const peers = stored.filter(({ source }) => source.kind === 'peer');
    const said = new Map(peers.map(({ source, record }) => [source.url, record.introduced ?? NO_NETWORK]));
    const { lists, refused } = await paced(this.#rules.discover(said), pace());
    await registry.setNetwork(lists);
    this.#refused = refused;
    this.#logRefusals(refused.refusals);
    // A mirror lists what its upstreams know, and reads only them.
    const upstreams = config.peers.map(({ url }) => ({ url, hops: 0 }));
    const { peers: read, storage } = config.mode === 'mirror' ? { peers: upstreams, storage: [] } : lists;
    const readers = [
      ...storage.map((entry) => this.#readerOf('pod', entry)),
      ...read.map((entry) => this.#readerOf('peer', entry)),
    ];
    this.#sources = new Map(readers.map((reader) => [sourceKey(reader.source), reader]));
    await setSources(readers);
  }

  #readerOf(kind: 'pod' | 'peer', { url, hops }: Pick<ListedAddress, 'url' | 'hops'>): SourceReader {
    const source: Source = { kind, url };
    const trust = hops === 0 ? 'configured' : 'learned';
    return this.#sources.get(sourceKey(source)) ?? this.options.reader(source, trust);
  }

  /**
   * Has peers polled of which more or less is taken now than what is stored of them.
   * @param all the operator has decided something, which may concern documents of any of them
   */
  async #askAgain(peers: readonly KnownPeer[], all: boolean): Promise<void> {
    const breathe = this.options.pace();
    const asked = new Map<string, ReadonlySet<string>>();
    for (const peer of peers) {
      const { url } = peer;
      const rules = this.rulesFor(url);
      const pods = new Set([...takenAgain(peer, rules), ...takenNoMore(peer, rules)]);
      asked.set(url, pods);
      const before = this.#asked.get(url);
      const isNews = [...pods].some((pod) => !before?.has(pod));
      if (all || isNews) this.options.onDisagreement({ kind: 'peer', url });
      await breathe();
    }
    this.#asked = asked;
  }

  /** Forgets, one after the other, what is stored of sources that do not belong to the node any more. */
  async #forgetOthers(stored: readonly StoredSource[]): Promise<void> {
    for (const { source } of stored) {
      if (!this.#sources.has(sourceKey(source)))
        await this.options.registry.forget(source, this.#stopping.signal);
    }
  }

  async #stored(): Promise<StoredSource[]> {
    return (await this.options.registry.sources()).filter(({ source }) => !isOfThisNode(source));
  }
}
