import { createHash } from 'node:crypto';
import type { Breather } from '../lib/pace.js';
import { type DocumentChange, eachDocumentOnce } from './document-change.js';
import { amountOf, amountOfAll, describedBy, difference, larger, type Said, settle, sum } from './limits.js';
import type { Amount, Batch, DocumentReading } from './reading.js';
import { isSuspicious, pendingAfter, type Shrink } from './shrink-guard.js';
import type { SourceRecord, StoredDocument, StoredSource } from './source-record.js';
import { graphOf, type PeerGraph, type PeerRules, takeStatement } from './take.js';

/** What a source says now. It is looked up where a decision needs it: most need only the records of its documents. */
export interface Sayings {
  /** Of these components, what a document says. */
  named(document: string, uris: Iterable<string>): Promise<Said>;
  /** All that documents say, by their URLs. */
  all(documents: ReadonlySet<string>): Promise<ReadonlyMap<string, Said>>;
}

export interface JudgeParts {
  /** What was stored when the poll began. */
  readonly stored: StoredSource | undefined;
  /** What is taken of a peer; a pod speaks for all of its documents. */
  readonly rules: PeerRules | undefined;
  /** Has the operator accepted that the source says much less than before? */
  readonly acceptsShrink: boolean;
  readonly sayings: Sayings;
  readonly breathe: Breather;
}

/** What is committed at the end of a poll. */
export interface Verdict {
  readonly documents: readonly DocumentChange[];
  /** Those of them that go because they are not taken any more, whatever the source says. */
  readonly dropped: ReadonlySet<string>;
  /** Digests that what is stored must have: those that the other side tells of sources all of which is stored. */
  readonly expected: ReadonlyMap<string, string>;
  /** What is not stored of the removals; absent when none are pending. */
  readonly shrink: Shrink | undefined;
  /** Documents that there is no room for, or that were not read for want of it. */
  readonly unread: number;
  /** `SourceRecord.refused`, given what it was. */
  readonly refused: (current: Refused) => Refused;
}

type Refused = SourceRecord['refused'];

const NONE: Said = new Map();

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
    const growing: DocumentChange[] = [];
    for (const change of eachDocumentOnce(await this.#taken(put))) {
      const mayLose =
        (await this.#growthOf(change)) < 0 ||
        (this.#parts.stored?.record.shrink !== undefined && this.#before.has(change.url));
      (mayLose ? this.#waiting : growing).push(change);
    }
    return this.#withinLimit(growing, limit);
  }

  /** Decides about the end of a poll. */
  async end(batch: Batch, limit: Amount, now: number): Promise<Verdict> {
    const { put, gone, complete = false, isWhole = false, digests, unread = 0 } = batch;
    const dropped = await this.#dropped();
    const goes = new Set(complete ? gone.filter((url) => this.#before.has(url) && !dropped.has(url)) : []);
    const taken = (await this.#taken(put)).filter(({ url }) => !dropped.has(url) && !goes.has(url));
    const changes = eachDocumentOnce([
      ...[...goes].map((url) => ({ url, record: null })),
      ...this.#waiting,
      ...taken,
    ]);
    const pending = await this.#pendingOf(changes, dropped, complete, now);
    const believed = pending ? withoutRemovals(changes, this.#before, pending) : changes;
    const asFound = new Set(believed);
    const others = changes.filter((change) => !asFound.has(change));
    const unlike = new Set(others.flatMap((change) => this.#sourcesOf(change)));
    const unwanted = [...dropped].map((url): DocumentChange => ({ url, record: null }));
    const documents = await this.#withinLimit([...unwanted, ...believed], limit);
    return {
      documents,
      dropped,
      expected: this.#expected(digests, unlike, isWhole),
      shrink: pending?.shrink,
      unread: this.#unread + unread,
      refused: (current) => this.#refusedAfter(current, isWhole),
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
  async #growthOf(change: DocumentChange): Promise<number> {
    const { url, components, amend, record } = change;
    const before = describedBy(this.#documents.get(url));
    if (record === null) return -before;
    if (components) return components.length + (record.omitted ?? 0) - before;
    if (!amend) return 0;
    return (amend.put?.length ?? 0) - (await this.#named(change)).size;
  }

  /** What a document says now of the components that an amendment of it names. */
  async #named({ url, amend }: Pick<DocumentChange, 'url' | 'amend'>): Promise<Said> {
    if (!amend || !this.#documents.has(url)) return NONE;
    const { put = [], remove = [] } = amend;
    return this.#parts.sayings.named(url, new Set([...put.map(({ uri }) => uri), ...remove]));
  }

  /** The removals that are not believed; nothing when the source has not lost much, or all are. */
  async #pendingOf(
    changes: readonly DocumentChange[],
    dropped: ReadonlySet<string>,
    isComplete: boolean,
    now: number,
  ): Promise<Pending | undefined> {
    const { acceptsShrink, stored } = this.#parts;
    if (acceptsShrink) return undefined;
    let from = 0;
    let to = 0;
    // What the node itself drops is not lost by the source.
    for (const [url, document] of this.#before) if (!dropped.has(url)) from += describedBy(document);
    for (const [url, document] of this.#documents) if (!dropped.has(url)) to += describedBy(document);
    for (const change of changes) to += await this.#growthOf(change);
    if (!isSuspicious({ from, to })) return undefined;
    const { removals, losing } = await this.#removalsIn(changes);
    const shrink = pendingAfter(stored?.record.shrink, { from, to, removals, isComplete, now });
    return shrink && { shrink, losing };
  }

  /** What documents do not say any more, and which they are. */
  async #removalsIn(changes: readonly DocumentChange[]) {
    const { breathe, sayings } = this.#parts;
    const stored = changes.filter(({ url }) => (this.#documents.get(url)?.components ?? 0) > 0);
    const said = await sayings.all(new Set(stored.map(({ url }) => url)));
    const losing = new Set<string>();
    const removals = new Set<string>();
    for (const change of stored) {
      const stays = stayingIn(change);
      for (const uri of (said.get(change.url) ?? NONE).keys()) {
        await breathe();
        if (stays(uri)) continue;
        losing.add(change.url);
        removals.add(keyOf(change.url, uri));
      }
    }
    return { removals, losing };
  }

  /** The changes without what there is no room for. What goes makes room for what comes. */
  async #withinLimit(changes: readonly DocumentChange[], limit: Amount): Promise<DocumentChange[]> {
    const { breathe, sayings } = this.#parts;
    const gone = changes.filter(({ record }) => record === null);
    const documents: DocumentChange[] = [];
    let all: ReadonlyMap<string, Said> | undefined;
    for (const change of [...gone, ...changes.filter(({ record }) => record !== null)]) {
      const { url } = change;
      const before = this.#documents.get(url);
      const now = amountOf(url, before);
      const others = difference(this.#amount, now);
      const settled = await settle(change, {
        ...{ before, breathe, named: await this.#named(change) },
        // However little room there is, a document stays within what it has.
        room: larger(difference(limit, others), now),
        all: async () => {
          all ??= await sayings.all(new Set(changes.map((one) => one.url)));
          return all.get(url) ?? NONE;
        },
      });
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

  /** @param unlike sources of the peer of which removals are pending */
  #expected(
    digests: Batch['digests'],
    unlike: ReadonlySet<string>,
    isWhole: boolean,
  ): ReadonlyMap<string, string> {
    if (!digests || digests.size === 0 || this.#unread > 0) return new Map();
    const refused = this.#refusedAfter(this.#parts.stored?.record.refused, isWhole);
    const partial = new Set([...unlike, ...Object.keys(refused ?? {})]);
    for (const { of, omitted, error, invalid } of this.#documents.values())
      if (of !== undefined && (omitted || error !== undefined || invalid)) partial.add(of);
    return new Map([...digests].filter(([of]) => !partial.has(of)));
  }

  #sourcesOf({ url, record }: DocumentChange): string[] {
    return [this.#before.get(url)?.of, record?.of].filter((of) => of !== undefined);
  }

  /** What was noted before stays, unless the peer has said everything again. */
  #refusedAfter(current: Refused, isWhole: boolean): Refused {
    const { rules } = this.#parts;
    if (!rules || rules.isMirror) return undefined;
    const refused = new Map(isWhole ? [] : Object.entries(current ?? {}));
    for (const [of, pods] of this.#refused)
      refused.set(of, [...new Set([...(refused.get(of) ?? []), ...pods])].sort());
    return Object.fromEntries(refused);
  }
}

interface Pending {
  readonly shrink: Shrink;
  /** Documents of which something is pending. */
  readonly losing: ReadonlySet<string>;
}

/**
 * The changes without the pending removals. What a document says no more it may say again: as long as something of
 * it is pending, nothing is remembered by which its server could tell that it is as it was; and the document belongs to the
 * source of the peer that it belonged to, because it can change that only with all that it says.
 */
function withoutRemovals(
  changes: readonly DocumentChange[],
  stored: ReadonlyMap<string, StoredDocument>,
  { losing }: Pending,
): DocumentChange[] {
  return changes.flatMap((change): DocumentChange[] => {
    const { url, components, amend, record } = change;
    const document = stored.get(url);
    if (!document || !losing.has(url)) return [change];
    if (record === null) return [];
    const { etag, lastModified, modified, ...kept } = record;
    const put = components ?? amend?.put ?? [];
    return [{ url, amend: { put, remove: [] }, record: { ...kept, of: document.of } }];
  });
}

/** Does a document say something of a component once it is changed, of which it says something now? */
function stayingIn({ components, amend, record }: DocumentChange): (uri: string) => boolean {
  const said = new Set((components ?? amend?.put ?? []).map(({ uri }) => uri));
  if (components || record === null) return (uri) => said.has(uri);
  const removed = new Set(amend?.remove ?? []);
  return (uri) => said.has(uri) || !removed.has(uri);
}

/** 96 bits of a hash: of a hundred thousand pending removals, less is remembered than of what they say. */
function keyOf(document: string, uri: string): string {
  return createHash('sha256').update(`${document}\n${uri}`).digest('base64url').slice(0, 16);
}
