import { sourceOfKey } from '../../../component/source.js';
import { type Cursor, parseCursor } from '../../../core/cursor.js';
import type { Breather } from '../../../lib/pace.js';
import { logStumble } from '../../wrong.js';
import type { FeedPage } from '../feed-page.js';
import { notAPage } from './feed-client.js';
import type { FeedPolling } from './feed-polling.js';
import { type RunEnd, readRun } from './feed-run.js';
import { type FeedFailure, type FeedPath, malformed, type Stop, unknownState } from './feed-stop.js';
import { isMirror, readingPlan } from './reading-plan.js';

/** A state of the peer: its cursor, and the number of its lists of addresses. */
interface PeerState {
  readonly cursor: Cursor;
  readonly network?: number | undefined;
}

/** Reads a peer's feed into the staging area, and knows which state of the peer that leads to. Stores nothing. */
export class FeedReader {
  readonly #polling: FeedPolling;
  readonly #breathe: Breather;
  #cursor: Cursor | undefined;
  #network: number | undefined;
  #digest: string | undefined;
  #hasMoved = false;

  /** @param state the one that was read last */
  constructor(polling: FeedPolling, state?: PeerState) {
    this.#polling = polling;
    this.#breathe = polling.pace();
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
    const end = await this.#run(since);
    // Not even how its own states are written is known to it.
    return end.kind === 'failed' && end.status === 400 ? unknownState(end) : stopIn(end);
  }

  /**
   * After changes: reads what the peer says of all its sources, if what is known of them is not what the state consists
   * of. Something that nobody told must have changed then.
   */
  async unknownSummaries(): Promise<Stop | undefined> {
    const { summaries } = this.#polling;
    const network = this.#network ?? 0;
    if (!this.#cursor || !this.#hasMoved || summaries.areOf(this.#cursor, network, this.#digest))
      return undefined;
    this.#hasMoved = false;
    const page = await this.#summaries();
    return 'kind' in page ? page : this.changes();
  }

  /** Asks what the peer says of all its sources. */
  async #summaries(): Promise<FeedPage | FeedFailure> {
    const { client, summaries } = this.#polling;
    const reading = await client.ask({ path: '/feed/sources' });
    if (reading.kind !== 'page') return notAPage('/feed/sources', reading);
    summaries.replace(reading.page.summaries);
    this.#leaveOutPassedOn(reading.page);
    return reading.page;
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
    const { client, staging, summaries, rules, progress } = this.#polling;
    staging.beginAll();
    const page = await this.#summaries();
    if ('kind' in page) return page;
    this.#cursor = parseCursor(page.cursor);
    this.#network = page.network;
    const tellsAll = rules.isMirror || (await isMirror(client, summaries.all.keys()));
    if (typeof tellsAll === 'object') return tellsAll;
    const plan = readingPlan(this.#polling, tellsAll);
    for (const { of, pods } of plan.refused) staging.refuse(of, pods);
    if (plan.needs > progress.limit.components) return { kind: 'room', needs: plan.needs };
    if (!plan.isAll) return this.sources(plan.sources);
    // What the feed does not tell of them would be missing.
    for (const of of plan.sources) staging.begin(of);
    return stopIn(await this.#run());
  }

  async #source(of: string): Promise<Stop | undefined> {
    const { staging, client, summaries } = this.#polling;
    const { kind, url } = sourceOfKey(of);
    staging.begin(of);
    const take = (page: FeedPage) => this.#take('/feed/source', page, of);
    const end = await readRun(client, { path: '/feed/source', parameters: { url, kind }, take });
    // There is nothing of the source any more. If the peer has told something else before, its digest will not be met.
    if (end.kind === 'failed' && end.status === 404) return undefined;
    const summary = end.kind === 'read' ? end.last.summaries.find((one) => one.of === of) : undefined;
    if (summary) summaries.update([summary]);
    return stopIn(end);
  }

  /** Reads the feed since a state, or from its beginning. */
  async #run(since?: Cursor): Promise<RunEnd> {
    const { client, summaries } = this.#polling;
    let from = since;
    const touched = new Set<string>();
    const take = (page: FeedPage) => {
      from ??= parseCursor(page.cursor);
      for (const { of, position } of page.changes) if (position > (from?.position ?? 0)) touched.add(of);
      return this.#take('/feed', page);
    };
    const end = await readRun(client, { path: '/feed', since, take });
    if (end.kind !== 'read') return end;
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
    const { summaries, staging } = this.#polling;
    for (const of of summaries.dropPassedOn()) staging.begin(of);
  }

  /** @param only the one source of which the page may tell */
  async #take(path: FeedPath, { changes }: FeedPage, only?: string): Promise<Stop | undefined> {
    const { staging, progress, log, peer } = this.#polling;
    for (const change of changes) {
      if (only !== undefined && change.of !== only) return malformed(path, 'it tells of another source');
      logStumble(log, change, { peer, document: change.graph });
      staging.add(change);
      await this.#breathe();
    }
    const { excess, isFull } = staging;
    if (isFull) return { kind: 'room', needs: progress.limit.components + 1 };
    return excess === undefined ? undefined : { kind: 'failed', path, message: excess };
  }
}

/** What kept a run from its end. */
function stopIn(end: RunEnd): Stop | undefined {
  return end.kind === 'read' || end.kind === 'unchanged' ? undefined : end;
}
