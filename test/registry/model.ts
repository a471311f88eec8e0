import type { StatementChange } from '../../src/catalog/catalog.js';
import { type Metadata, sameMetadata } from '../../src/component/metadata.js';
import { type PinSubject, pinKey } from '../../src/component/pin.js';
import { LOCAL, type Source, sameSource, sourceKey } from '../../src/component/source.js';
import { statementElement } from '../../src/component/statement-digest.js';
import type { DocumentChange } from '../../src/core/document-change.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import { REMOVALS_REMEMBERED } from '../../src/core/feed-window.js';
import type { NetworkLists } from '../../src/core/network-lists.js';
import { newsOf, pinOf, type StoredPin } from '../../src/core/pins.js';
import { compareStandings, type Precedence, precedenceOf } from '../../src/core/precedence.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import { compareText } from '../../src/lib/compare-text.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import type { SourceChange } from '../../src/registry/difference.js';
import { ORDER } from './sources.js';

interface Said {
  readonly metadata: Metadata;
  /** Since when it is said in this form. */
  readonly since: number;
}

interface ModelDocument {
  readonly source: Source;
  readonly url: string;
  readonly record: DocumentRecord;
  /** By uri. */
  readonly said: ReadonlyMap<string, Said>;
}

/** What is known of a module from now on. */
export type Decide = (subject: PinSubject, known: StoredPin | undefined) => StoredPin;

/** By `keyOf`. */
type Documents = ReadonlyMap<string, ModelDocument>;

/** What a document says of a component. */
type Statement = Pick<StatementChange, 'source' | 'document' | 'metadata'>;

/** The naive model of a registry: the documents of all sources, each changed on its own and looked at whole. */
export class Model {
  readonly records = new Map<string, SourceRecord>();
  /** What has been seen of modules, by `pinKey`. */
  readonly pins = new Map<string, StoredPin>();
  network: NetworkLists = { peers: [], storage: [] };
  precedence: Precedence = precedenceOf(ORDER);
  /** What the clock shows, which may be set back, and the date of what has happened last: at first of the first start. */
  now = Date.UTC(2026, 10, 22);
  at = this.now;
  /** Documents that have ever said something, by `keyOf`. */
  readonly named = new Map<string, Statement>();
  #documents = new Map<string, ModelDocument>();
  /** When statements were removed that have not come back. */
  #removed = new Map<string, number>();

  /** The change as a commit: counts what it changes, or says why it changes nothing. */
  commit({ source, documents, record, expected }: SourceChange): object | string {
    const all = new Map(this.#documents);
    const removed = new Map(this.#removed);
    const count = { added: 0, changed: 0, removed: 0 };
    for (const one of documents) {
      const key = keyOf(source, one.url);
      const before = this.#documents.get(key);
      const isRegrouped = one.record !== null && one.record.of !== before?.record.of;
      if (isRegrouped && !one.components && (before?.said.size ?? 0) > 0) return 'TypeError';
      const said = this.#saidAfter(one, before);
      for (const [uri, now] of said) {
        const then = before?.said.get(uri);
        if (!then) count.added += 1;
        else if (!sameMetadata(then.metadata, now.metadata)) count.changed += 1;
        removed.delete(`${key} ${uri}`);
      }
      for (const uri of before?.said.keys() ?? []) {
        if (said.has(uri)) continue;
        count.removed += 1;
        removed.set(`${key} ${uri}`, this.#time);
      }
      if (one.record) all.set(key, { source, url: one.url, record: one.record, said });
      else all.delete(key);
    }
    for (const [of, digest] of expected ?? [])
      if (this.digestOf(source, of, all) !== digest) return 'DigestMismatch';
    for (const { url: document } of documents) this.named.set(keyOf(source, document), { source, document });
    [this.#documents, this.#removed] = [all, removed];
    this.records.set(sourceKey(source), record(this.records.get(sourceKey(source)) ?? { failures: 0 }));
    return count;
  }

  /** What would be said after a change, in a model of its own. */
  after(change: SourceChange): Model {
    const copy = new Model();
    copy.#documents = this.#documents;
    copy.commit(change);
    return copy;
  }

  look(subject: PinSubject, decide: Decide): void {
    this.pins.set(pinKey(subject), decide(subject, this.pins.get(pinKey(subject))));
  }

  /** The digest of what the documents of a source say that belong to `of`. */
  digestOf(source: Source, of: string, documents?: Documents): string {
    const said = this.#statements(documents).filter((one) => sameSource(one.source, source) && one.of === of);
    return digestsOf(said).get(sourceKey(source)) ?? LtHash.empty().digest();
  }

  get #time(): number {
    return Math.max(this.now, this.at);
  }

  #saidAfter({ components, amend, record }: DocumentChange, before: ModelDocument | undefined) {
    const said = new Map<string, Said>();
    const put = (metadata: Metadata) => {
      const then = before?.said.get(metadata.uri);
      const isSame = then && sameMetadata(then.metadata, metadata);
      said.set(metadata.uri, isSame ? then : { metadata, since: this.#time });
    };
    if (!components && record) for (const { metadata } of before?.said.values() ?? []) put(metadata);
    for (const uri of amend?.remove ?? []) said.delete(uri);
    // Of several descriptions of one component, the first one counts.
    for (const metadata of [...(components ?? amend?.put ?? [])].reverse()) put(metadata);
    return said;
  }

  forgetting(source: Source): SourceChange {
    const documents = this.documentsOf(source).map(({ url }) => ({ url, record: null }));
    return { source, documents, record: (before) => before };
  }

  forget(source: Source): void {
    this.commit(this.forgetting(source));
    this.records.delete(sourceKey(source));
  }

  /** A commit was made that readers notice: the oldest removals are forgotten with it. */
  forgetRemovals(): void {
    for (const [key, at] of this.#removed)
      if (at <= this.now - REMOVALS_REMEMBERED) this.#removed.delete(key);
  }

  get tombstones(): number {
    return this.#removed.size;
  }

  documentsOf(source: Source): ModelDocument[] {
    return [...this.#documents.values()].filter((one) => sameSource(one.source, source));
  }

  /** All that is said, in the order of the documents' keys. */
  #statements(documents: Documents = this.#documents) {
    const inOrder = [...documents].sort(([one], [other]) => compareText(one, other));
    return inOrder.flatMap(([key, { source, url: document, record, said }]) => {
      const statement = { source, document, authority: record.authority };
      const standing = this.precedence.standing(statement);
      return [...said.values()].map(({ metadata, since }) => {
        const pin = pinOf(this.pins.get(pinKey(metadata)), { ...standing, metadata });
        const name = `${key} ${metadata.uri}`;
        return { ...statement, name, of: record.of ?? '', standing, metadata, since, pin };
      });
    });
  }

  /** Everything that is said, in the order of uris, then of precedence, then of the documents' keys. */
  everything() {
    const all = this.#statements().map(({ standing, metadata, since, pin }) => {
      return { ...standing, metadata, since, pin };
    });
    return all.sort(
      (one, other) => compareText(one.metadata.uri, other.metadata.uri) || compareStandings(one, other),
    );
  }

  /** What a document says; nothing of one that is gone. */
  said(source: Source, document: string): Metadata[] {
    return [...(this.#documents.get(keyOf(source, document))?.said.values() ?? [])].map(
      (one) => one.metadata,
    );
  }

  /** A change by which a document says once more what it says. */
  again(source: Source, url: string): DocumentChange {
    const { record = {} } = this.#documents.get(keyOf(source, url)) ?? {};
    return { url, record, components: this.said(source, url) };
  }

  /** The digest of what each source says, of those that say something. */
  digests(): Map<string, string> {
    return digestsOf(this.#statements());
  }

  /** What happened latest to each statement, as the feed tells it. */
  latest(): Map<string, object> {
    const latest = new Map<string, object>([...this.#removed].map(([name, at]) => [name, { at }]));
    for (const { name, metadata, since, pin, ...statement } of this.#statements())
      latest.set(name, { metadata, since, rank: this.precedence.rankWithin(statement), pin: newsOf(pin) });
    return latest;
  }

  /** Everything by which readers could tell states apart. */
  view(): string {
    const groups = this.#statements().map(({ name, of }) => `${name} ${of}`);
    return JSON.stringify([this.everything(), groups.sort()]);
  }
}

export function keyOf(source: Source, document: string): string {
  return `${sourceKey(source)} ${document}`;
}

/** Of each source by its key. */
export function digestsOf(statements: Iterable<Statement>): Map<string, string> {
  const hashes = new Map<string, LtHash>();
  for (const { source, document, metadata } of statements) {
    const hash = hashes.get(sourceKey(source)) ?? LtHash.empty();
    hashes.set(sourceKey(source), hash);
    if (metadata) hash.add(statementElement(document, metadata));
  }
  return new Map([...hashes].map(([key, hash]) => [key, hash.digest()]));
}

/** A post, as the commit that it is. */
export function posted(amend: { readonly put: readonly Metadata[]; readonly remove?: readonly string[] }) {
  const documents = [{ url: LOCAL.url, amend, record: {} }];
  return { source: LOCAL, documents, record: (before: SourceRecord) => before };
}
