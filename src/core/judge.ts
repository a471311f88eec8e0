import { shortHash } from '../component/statement-digest.js';
import type { Breather } from '../lib/pace.js';
import { type DocumentChange, eachDocumentOnce } from './document-change.js';
import {
  amountOf,
  amountOfAll,
  describedBy,
  difference,
  larger,
  type Sayings,
  settle,
  sum,
} from './limits.js';
import type { Amount, Batch, DocumentReading } from './reading.js';
import { isSuspicious, pendingAfter, type Shrink } from './shrink-guard.js';
import type { SourceRecord, StoredDocument, StoredSource } from './source-record.js';
import { graphOf, type PeerGraph, type PeerRules, takeStatement } from './take.js';

export interface JudgeParts {
  /** What was stored when the poll began. */
  readonly stored: StoredSource | undefined;
  /** What is taken of a peer; a pod speaks for all of its documents. */
  readonly rules: PeerRules | undefined;
  /** Has the operator accepted that the source says much less than before? */
  readonly acceptsShrink: boolean;
  /** What a document of the source says now. Most decisions need only the records of the documents. */
  readonly sayings: (document: string) => Sayings;
  readonly breathe: Breather;
}

/** What is committed at the end of a poll. */
export interface Verdict {
  readonly documents: readonly DocumentChange[];
  /** Those of them that go because they are not taken any more, whatever the source says. */
  readonly dropped: readonly DocumentChange[];
  /** Digests that what is stored must have: those that the other side tells of sources all of which is stored. */
  readonly expected: ReadonlyMap<string, string>;
  /** What is not stored of the removals; absent when none are pending. */
  readonly shrink: Shrink | undefined;
  /** Documents that there is no room for, or that were not read for want of it. */
  readonly unread: number;
  /** `SourceRecord.refused` */
  readonly refused: Refused;
}

type Refused = SourceRecord['refused'];

/**
 * Decides, for one poll of one source, what becomes of what was read (design, sections 6 and 15): what is taken, what is over
 * the limits, and which removals are pending. It reads and stores nothing; what it has decided counts as stored.
 */
export class Judge {
  readonly #parts: JudgeParts;
  /** As they are once all that was decided is stored. */
  readonly #documents: Map<string, StoredDocument>;
  readonly #before: ReadonlyMap<string, StoredDocument>;
  /** Those that lose components wait for the end of the poll: only that shows whether the loss is pending. */
  readonly #waiting: DocumentChange[] = [];
  /** Documents that wait: what is said of them later counts on top of that. */
  readonly #waits = new Set<string>();
  /** By source of the peer, the pods because of which not all of it is taken. */
  readonly #refused = new Map<string, Set<string>>();
  #amount: Amount;
  #unread = 0;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    this.#before = parts.stored?.documents ?? new Map();
    this.#documents = new Map(this.#before);
    this.#amount = amountOfAll(this.#before);
  }

  /** What is stored of the source once all that was decided is. */
  get amount(): Amount {
    return this.#amount;
  }

  /** Could anything be taken of a graph of the peer? */
  isWanted(graph: PeerGraph): boolean {
    const { rules } = this.#parts;
    return !rules || takeStatement(graph, rules) === 'taken';
  }

  /** Decides about a batch that is not the last. @param limit how much of the source may be stored in all */
  async more(put: readonly DocumentReading[], limit: Amount): Promise<readonly DocumentChange[]> {
    const isPending = this.#parts.stored?.record.shrink !== undefined;
    const growing: DocumentChange[] = [];
    for (const change of eachDocumentOnce(await this.#taken(put))) {
      const { url } = change;
      const waits = this.#waits.has(url) || (isPending && this.#before.has(url));
      if (!waits && (await this.#growthOf(change)) >= 0) growing.push(change);
      else {
        this.#waits.add(url);
        this.#waiting.push(change);
      }
    }
    return this.#withinLimit(growing, limit);
  }

  /** Decides about the end of a poll. */
  async end(batch: Batch, limit: Amount, now: number): Promise<Verdict> {
    const { put, gone, complete = false, isWhole = false, digests, unread = 0 } = batch;
    const dropped = await this.#dropped();
    const goes = new Set(complete ? gone.filter((url) => this.#before.has(url) && !dropped.has(url)) : []);
    const taken = (await this.#taken(put)).filter(({ url }) => !dropped.has(url) && !goes.has(url));
    const changes = eachDocumentOnce([...removed(goes), ...this.#waiting, ...taken]);
    const shrink = await this.#shrinkOf(changes, dropped, complete, now);
    const believed = shrink ? await this.#withoutRemovals(changes) : changes;
    // Of what is stored otherwise than it is said, the digests cannot agree.
    const asSaid = new Set(believed);
    const unlike = changes.filter((change) => !asSaid.has(change));
    const documents = await this.#withinLimit([...removed(dropped), ...believed], limit);
    const refused = this.#refusedAfter(isWhole);
    return {
      documents,
      dropped: removed(dropped),
      expected: this.#expected(digests, unlike, refused),
      shrink,
      unread: this.#unread + unread,
      refused,
    };
  }

  /** Stored documents that are not taken any more: this node reads their pod itself now, or takes it from others. */
  async #dropped(): Promise<ReadonlySet<string>> {
    const dropped = new Set<string>();
    for (const [url, { of }] of this.#before) {
      await this.#parts.breathe();
      if (!this.#takes(url, of)) dropped.add(url);
    }
    return dropped;
  }

  async #taken(put: readonly DocumentReading[]): Promise<DocumentChange[]> {
    const taken: DocumentChange[] = [];
    for (const reading of put) {
      await this.#parts.breathe();
      if (this.#takes(reading.url, reading.record.of)) taken.push(reading);
    }
    return taken;
  }

  /** Is a document taken? Notes why not. */
  #takes(url: string, of: string | undefined): boolean {
    const { rules } = this.#parts;
    if (!rules) return true;
    const refusal = takeStatement({ graph: graphOf(url, rules), of }, rules);
    if (refusal === 'taken') return true;
    const pods = this.#refused.get(of ?? '') ?? new Set<string>();
    this.#refused.set(of ?? '', refusal.address === undefined ? pods : pods.add(refusal.address));
    return false;
  }

  /** How many more components a document describes once it has changed; below zero when it describes fewer. */
  async #growthOf({ url, components, amend, record }: DocumentChange): Promise<number> {
    const before = describedBy(this.#documents.get(url));
    if (record === null) return -before;
    if (components) return components.length + (record.omitted ?? 0) - before;
    const { put = [], remove = [] } = amend ?? {};
    const { find } = this.#parts.sayings(url);
    let growth = put.length;
    for (const uri of new Set([...put.map((one) => one.uri), ...remove])) {
      await this.#parts.breathe();
      if (find(uri)) growth -= 1;
    }
    return growth;
  }

  /** What is pending of the removals; nothing when the source has not lost much, or its loss is believed. */
  async #shrinkOf(
    changes: readonly DocumentChange[],
    dropped: ReadonlySet<string>,
    isComplete: boolean,
    now: number,
  ): Promise<Shrink | undefined> {
    const { acceptsShrink, stored } = this.#parts;
    if (acceptsShrink) return undefined;
    // What the node itself drops is not lost by the source.
    const describedIn = (documents: ReadonlyMap<string, StoredDocument>) =>
      [...documents].reduce((sum, [url, one]) => sum + (dropped.has(url) ? 0 : describedBy(one)), 0);
    const loss = { from: describedIn(this.#before), to: describedIn(this.#documents) };
    for (const change of changes) loss.to += await this.#growthOf(change);
    if (!isSuspicious(loss)) return undefined;
    const removals = new Set<string>();
    for (const change of changes)
      for (const uri of await this.#lostBy(change)) removals.add(removalKey(change.url, uri));
    return pendingAfter(stored?.record.shrink, { ...loss, removals, isComplete, now });
  }

  /** What a document says no more once it has changed. */
  async #lostBy({ url, components, amend, record }: DocumentChange): Promise<string[]> {
    if (!this.#before.has(url)) return [];
    const { said, find } = this.#parts.sayings(url);
    const stays = new Set((components ?? amend?.put ?? []).map(({ uri }) => uri));
    const isWhole = components !== undefined || record === null;
    const lost: string[] = [];
    for (const { uri } of isWhole ? said : (amend?.remove ?? []).flatMap((one) => find(one) ?? [])) {
      await this.#parts.breathe();
      if (!stays.has(uri)) lost.push(uri);
    }
    return lost;
  }

  async #withoutRemovals(changes: readonly DocumentChange[]): Promise<DocumentChange[]> {
    const kept: DocumentChange[] = [];
    for (const change of changes) {
      kept.push(...(await this.#withoutItsRemovals(change)));
      await this.#parts.breathe();
    }
    return kept;
  }

  /**
   * A change without its removals, which are pending. What a document says no more it may say again: nothing is remembered by
   * which its server could tell that it is as it was; and the document belongs to the source of the peer that it belonged to,
   * because it can change that only with all that it says.
   */
  async #withoutItsRemovals(change: DocumentChange): Promise<DocumentChange[]> {
    const { url, components, amend, record } = change;
    if ((await this.#lostBy(change)).length === 0) return [change];
    if (record === null) return [];
    const { etag, lastModified, modified, ...kept } = record;
    const put = components ?? amend?.put ?? [];
    return [{ url, amend: { put, remove: [] }, record: { ...kept, of: this.#documents.get(url)?.of } }];
  }

  /** The changes without what there is no room for. What goes makes room for what comes. */
  async #withinLimit(changes: readonly DocumentChange[], limit: Amount): Promise<DocumentChange[]> {
    const { breathe, sayings } = this.#parts;
    const gone = changes.filter(({ record }) => record === null);
    const documents: DocumentChange[] = [];
    for (const change of [...gone, ...changes.filter(({ record }) => record !== null)]) {
      const { url } = change;
      const before = this.#documents.get(url);
      const now = amountOf(url, before);
      const others = difference(this.#amount, now);
      // However little room there is, a document stays within what it has.
      const room = larger(difference(limit, others), now);
      const settled = await settle(change, { before, room, sayings: sayings(url), breathe });
      if (!settled) {
        this.#unread += 1;
        continue;
      }
      documents.push(settled.change);
      this.#amount = sum(others, amountOf(url, settled.after));
      if (settled.after) this.#documents.set(url, settled.after);
      else this.#documents.delete(url);
    }
    return documents;
  }

  /** Only of sources of the peer all of which is stored, as it is said. */
  #expected(
    digests: Batch['digests'] = new Map(),
    unlike: readonly DocumentChange[],
    refused: Refused = {},
  ): ReadonlyMap<string, string> {
    if (this.#unread > 0) return new Map();
    const partial = new Set(Object.keys(refused));
    for (const { url, record } of unlike)
      for (const of of [this.#before.get(url)?.of, record?.of]) partial.add(of ?? '');
    for (const { of = '', omitted, error, invalid } of this.#documents.values())
      if (omitted || error !== undefined || invalid) partial.add(of);
    return new Map([...digests].filter(([of]) => !partial.has(of)));
  }

  /** What was noted before stays, unless the peer has said everything again. */
  #refusedAfter(isWhole: boolean): Refused {
    const { rules, stored } = this.#parts;
    if (!rules || rules.isMirror) return undefined;
    const refused = new Map(isWhole ? [] : Object.entries(stored?.record.refused ?? {}));
    for (const [of, pods] of this.#refused)
      refused.set(of, [...new Set([...(refused.get(of) ?? []), ...pods])].sort());
    return Object.fromEntries(refused);
  }
}

function removed(documents: ReadonlySet<string>): DocumentChange[] {
  return [...documents].map((url) => ({ url, record: null }));
}

/** 96 bits of a hash: of a hundred thousand pending removals, less is remembered than of what they say. */
function removalKey(document: string, uri: string): string {
  return shortHash(`${document}\n${uri}`).slice(0, 16);
}
