import { type Cursor, parseCursor } from '../../../core/cursor.js';
import type { Breather } from '../../../lib/pace.js';
import { logStumble } from '../../wrong.js';
import type { FeedPage } from '../feed-page.js';
import { notAPage } from './feed-client.js';
import type { FeedPolling } from './feed-polling.js';
import { type RunEnd, readRun } from './feed-run.js';
import { type FeedFailure, type Stop, unknownState } from './feed-stop.js';
import { roomNeeded } from './room-needed.js';

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
    if (!this.#cursor || !this.#hasMoved || summaries.areOf(this.#cursor, network)) return undefined;
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
    return reading.page;
  }

  /** Reads everything that the peer says. */
  async all(): Promise<Stop | undefined> {
    const { staging, progress } = this.#polling;
    staging.beginAll();
    const page = await this.#summaries();
    if ('kind' in page) return page;
    const needs = roomNeeded(this.#polling);
    if (needs > progress.limit.components) return { kind: 'room', needs };
    return stopIn(await this.#run());
  }

  /** Reads the feed since a state, or from its beginning. */
  async #run(since?: Cursor): Promise<RunEnd> {
    const { client, summaries } = this.#polling;
    let from = since;
    const touched = new Set<string>();
    const take = (page: FeedPage) => {
      from ??= parseCursor(page.cursor);
      for (const { of, position } of page.changes) if (position > (from?.position ?? 0)) touched.add(of);
      return this.#take(page);
    };
    const end = await readRun(client, { since, take });
    if (end.kind !== 'read') return end;
    if (!since) summaries.replace(end.first.summaries);
    if (since || end.last !== end.first) summaries.update(end.last.summaries, touched);
    this.#hasMoved ||= since !== undefined;
    this.#cursor = end.cursor;
    this.#network = end.last.network ?? this.#network;
    return end;
  }

  async #take({ changes }: FeedPage): Promise<Stop | undefined> {
    const { staging, progress, log, peer } = this.#polling;
    for (const change of changes) {
      logStumble(log, change, { peer, document: change.graph });
      staging.add(change);
      await this.#breathe();
    }
    const { excess, isFull } = staging;
    if (isFull) return { kind: 'room', needs: progress.limit.components + 1 };
    return excess === undefined ? undefined : { kind: 'failed', path: '/feed', message: excess };
  }
}

/** What kept a run from its end. */
function stopIn(end: RunEnd): Stop | undefined {
  return end.kind === 'read' || end.kind === 'unchanged' ? undefined : end;
}
