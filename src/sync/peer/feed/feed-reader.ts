import { sourceOfKey } from '../../../component/source.js';
import { type Cursor, parseCursor } from '../../../core/cursor.js';
import type { PeerRules } from '../../../core/take.js';
import type { Breather } from '../../../lib/pace.js';
import type { FeedPage } from '../feed-page.js';
import type { FeedClient, FeedFailure } from './feed-client.js';
import { type Run, type RunEnd, readRun } from './feed-run.js';
import { noPage, type Stop, stopAt, unknownState } from './feed-stop.js';
import type { PeerSummaries } from './peer-summaries.js';
import { isMirror, readingPlan } from './reading-plan.js';
import type { Staging } from './staging.js';

export interface FeedReaderOptions {
  readonly client: FeedClient;
  readonly staging: Staging;
  readonly summaries: PeerSummaries;
  readonly rules: PeerRules;
  /** Components that are kept of the peer. */
  readonly room: number;
  readonly breathe: Breather;
}

/** A state of the peer: its cursor, and the number of its lists of addresses. */
export interface PeerState {
  readonly cursor: Cursor;
  readonly network?: number | undefined;
}

/** Reads a peer's feed into the staging area, and knows which state of the peer that leads to. Stores nothing. */
export class FeedReader {
  readonly #options: FeedReaderOptions;
  #cursor: Cursor | undefined;
  #network: number | undefined;
  #digest: string | undefined;
  #hasMoved = false;

  /** @param state the one that was read last */
  constructor(options: FeedReaderOptions, state?: PeerState) {
    this.#options = options;
    this.#cursor = state?.cursor;
    this.#network = state?.network;
  }

  /** The state that what is stored and staged leads to. */
  get cursor(): Cursor | undefined {
    return this.#cursor;
  }

  /** Of the peer's lists of addresses in that state, where it has been told. */
  get network(): number | undefined {
    return this.#network;
  }

  /** Reads what has changed since the state that was read last. */
  async changes(): Promise<Stop | undefined> {
    const since = this.#cursor;
    if (!since) throw new Error('no state of the peer has been read');
    const end = await this.#run({ path: '/feed', since, conditional: true }, since);
    // Not even how its own states are written is known to it.
    return end.kind === 'failed' && end.status === 400 ? unknownState(end) : this.#stopped('/feed', end);
  }

  /**
   * After changes: reads what the peer says of all its sources, if what is known of them is not what the state consists
   * of. Something that nobody told must have changed then.
   */
  async unknownSummaries(): Promise<Stop | undefined> {
    const { summaries, client } = this.#options;
    const network = this.#network ?? 0;
    if (!this.#cursor || !this.#hasMoved || summaries.areOf(this.#cursor, network, this.#digest))
      return undefined;
    this.#hasMoved = false;
    const reading = await client.ask({ path: '/feed/sources' });
    if (reading.kind !== 'page') return noPage('/feed/sources', reading);
    summaries.replace(reading.page.summaries);
    this.#leaveOutPassedOn(reading.page);
    return this.changes();
  }

  /** Reads sources whole, and what has changed meanwhile. */
  async sources(sources: readonly string[]): Promise<Stop | undefined> {
    for (const of of sources) {
      const stop = await this.#source(of);
      if (stop) return stop;
    }
    return sources.length === 0 ? undefined : this.changes();
  }

  /** Reads everything that may be accepted. */
  async all(): Promise<Stop | undefined> {
    const { client, staging, summaries, rules, room } = this.#options;
    const reading = await client.ask({ path: '/feed/sources' });
    if (reading.kind !== 'page') return noPage('/feed/sources', reading);
    staging.beginAll();
    summaries.replace(reading.page.summaries);
    this.#cursor = parseCursor(reading.page.cursor);
    this.#network = reading.page.network;
    this.#leaveOutPassedOn(reading.page);
    const tellsAll = rules.isMirror || (await isMirror(client, summaries.all.keys()));
    if (typeof tellsAll === 'object') return tellsAll;
    const plan = readingPlan(summaries.all.values(), rules, {
      isMirror: tellsAll,
      holds: (of) => staging.holds(of),
    });
    for (const { of, pods } of plan.refused) staging.refuse(of, pods);
    if (plan.needs > room) return { kind: 'room', needs: plan.needs };
    return plan.isAll ? this.#wholeFeed(plan.sources) : this.sources(plan.sources);
  }

  async #wholeFeed(sources: readonly string[]): Promise<Stop | undefined> {
    // What the feed does not tell of them would be missing.
    for (const of of sources) this.#options.staging.begin(of);
    return this.#stopped('/feed', await this.#run({ path: '/feed' }, undefined));
  }

  async #source(of: string): Promise<Stop | undefined> {
    const { staging } = this.#options;
    const { kind, url } = sourceOfKey(of);
    staging.begin(of);
    const take = (page: FeedPage) => this.#take(page, (change) => change === of);
    const run = { path: '/feed/source', parameters: { url, kind }, take } as const;
    const end = await readRun(this.#options.client, run);
    // There is nothing of the source any more. If the peer has told something else before, its digest will not be met.
    if (end.kind === 'failed' && end.status === 404) return undefined;
    const summary = end.kind === 'read' ? end.last.summaries.find((one) => one.of === of) : undefined;
    if (summary) this.#options.summaries.update([summary]);
    return end.kind === 'failed' ? this.#stopped('/feed/source', end) : undefined;
  }

  /** Reads the feed since a state, or from its beginning. */
  async #run(run: Pick<Run, 'path' | 'since' | 'conditional'>, since: Cursor | undefined): Promise<RunEnd> {
    let from = since;
    const touched = new Set<string>();
    const take = (page: FeedPage) => {
      from ??= parseCursor(page.cursor);
      for (const { of, position } of page.changes) if (position > (from?.position ?? 0)) touched.add(of);
      return this.#take(page);
    };
    const end = await readRun(this.#options.client, { ...run, take });
    if (end.kind !== 'read') return end;
    const { summaries } = this.#options;
    if (!since) summaries.replace(end.first.summaries);
    if (since || end.last !== end.first) summaries.update(end.last.summaries, touched);
    this.#leaveOutPassedOn(end.last);
    this.#hasMoved ||= since !== undefined;
    this.#cursor = end.cursor;
    this.#network = end.last.network ?? this.#network;
    return end;
  }

  /**
   * A peer that leaves out what it has from its own peers, when it is not asked about that, is no mirror. Had it been one
   * before, or been asked about everything, nothing is told of what becomes of that: it goes.
   */
  #leaveOutPassedOn({ digest }: FeedPage): void {
    this.#digest = digest;
    if (digest === undefined) return;
    const { summaries, staging } = this.#options;
    for (const of of summaries.dropPassedOn()) staging.begin(of);
  }

  async #take({ changes }: FeedPage, belongs = (_of: string) => true): Promise<FeedFailure | undefined> {
    const { staging, breathe } = this.#options;
    for (const change of changes) {
      if (!belongs(change.of))
        return { kind: 'failed', malformed: true, message: 'it tells of another source' };
      staging.add(change);
      await breathe();
    }
    const { excess, isFull } = staging;
    if (isFull) return { kind: 'failed', message: 'it is more than this node keeps', isRoom: true };
    return excess === undefined ? undefined : { kind: 'failed', message: excess };
  }

  #stopped(path: string, end: RunEnd): Stop | undefined {
    return stopAt(path, end, this.#options.room);
  }
}
