import { expect } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Amount } from '../../src/core/amount.js';
import type { DocumentChange, Sayings } from '../../src/core/document-change.js';
import type { DocumentRecord, StoredDocument } from '../../src/core/document-record.js';
import { judge, type Verdict } from '../../src/core/judge.js';
import type { Batch, DocumentReading } from '../../src/core/reading.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import type { PeerRules } from '../../src/core/take.js';
import { component } from './component.js';

export const PEER = 'https://peer.example';
export const HOUR = 3_600_000;
export const most = (components: number, bytes = 1e6): Amount => ({ components, bytes });
export const ENOUGH = most(1e6, 1e9);
const LONG = 'x'.repeat(1000);

/** Components in short: `b=B` is b with the label B, `c!` has a long description, `d*3` are d000 to d002. */
export function components(words: string): Metadata[] {
  const single = words.split(' ').flatMap((word) => {
    const [, name = '', many = '', rest] = /^(-?\w+)\*(\d+)(.*)$/.exec(word) ?? [];
    const all = Array.from({ length: Number(many) }, (_, i) => `${name}${String(i).padStart(3, '0')}${rest}`);
    return many === '' ? word : all;
  });
  return single.filter(Boolean).map((word) => {
    const [, name = '', label = name, isLong] = /^(-?\w+)(?:=(\w+))?(!?)$/.exec(word) ?? [];
    return component(name, { label, ...(isLong && { description: LONG }) });
  });
}

function wordOf({ uri, label, description }: Metadata): string {
  const name = /(\w+)\.js$/.exec(uri)?.[1] ?? uri;
  return `${name}${label === name ? '' : `=${label}`}${description === undefined ? '' : '!'}`;
}

/** What is read of one document: all that it says. */
export function reading(url: string, words: string, record: DocumentRecord = {}): DocumentReading {
  return { url, components: components(words), record };
}

/**
 * What one poll reads, in short: `d: a b` is all that d says, and `d: a (2 left out)` what is taken of it;
 * `d+ a -b` says a, too, and b no more; `-d` is gone; what ends with `…` was not read to its end.
 */
export function batchOf(text: string): Batch {
  const parts = text.replace(/ ?…$/, '').split('; ').filter(Boolean);
  const put = parts.flatMap((part): DocumentReading[] => {
    const [, url, kind, words = '', left] = /^(\w+)([:+]) ?([^()]*)(?:\((\d+) left out\))?$/.exec(part) ?? [];
    if (url === undefined) return [];
    if (kind === ':') return [reading(url, words, left === undefined ? {} : { omitted: Number(left) })];
    const all = components(words);
    const isOut = ({ label }: Metadata) => label.startsWith('-');
    const remove = all.filter(isOut).map(({ uri }) => uri.replace('/-', '/'));
    return [{ url, amend: { put: all.filter((one) => !isOut(one)), remove }, record: {} }];
  });
  const gone = parts.flatMap((part) => (part.startsWith('-') ? part.slice(1) : []));
  return { put, gone, isLast: true, complete: !text.endsWith('…') };
}

/** A source of which one poll after the other is judged and stored. */
export class Judged {
  readonly said = new Map<string, ReadonlyMap<string, Metadata>>();
  readonly records = new Map<string, DocumentRecord>();
  record: SourceRecord = { failures: 0 };
  rules: PeerRules | undefined;
  limit = ENOUGH;
  accepts = false;
  now = 0;

  /** After these polls. */
  static async of(settings: Partial<Judged>, ...polls: (string | Partial<Batch>)[]): Promise<Judged> {
    const source = Object.assign(new Judged(), settings);
    for (const poll of polls) await source.poll(poll);
    return source;
  }

  get documents(): Map<string, StoredDocument> {
    const documents = new Map<string, StoredDocument>();
    for (const [url, one] of this.records) documents.set(url, { ...one, components: this.count(url) });
    return documents;
  }

  /** How many components of a document are stored, or of all. */
  count(url?: string): number {
    const counted = url === undefined ? [...this.said.values()] : [this.said.get(url)];
    return counted.reduce((sum, all) => sum + (all?.size ?? 0), 0);
  }

  /** What is stored, as it is written for `batchOf`. */
  get stored(): string {
    const documents = [...this.records].map(([url, { omitted }]) => {
      const words = [...(this.said.get(url)?.values() ?? [])].map(wordOf).sort();
      return [`${url}:`, ...words, ...(omitted === undefined ? [] : [`(${omitted} left out)`])].join(' ');
    });
    return documents.sort().join('; ');
  }

  #sayings(url: string): Sayings {
    const said = [...(this.said.get(url)?.values() ?? [])].map((metadata) => ({
      uri: metadata.uri,
      metadata,
    }));
    return { said, find: (uri) => said.find((one) => one.uri === uri) };
  }

  /** Judges a poll, and stores what is decided. */
  async poll(given: string | Partial<Batch>): Promise<Verdict> {
    const batch = { ...batchOf(''), ...(typeof given === 'string' ? batchOf(given) : given) };
    const verdict = await judge(batch, {
      stored: { source: { kind: 'peer', url: PEER }, record: this.record, documents: this.documents },
      ...{ rules: this.rules, acceptsShrink: this.accepts, limit: this.limit, now: this.now },
      ...{ sayings: (url: string) => this.#sayings(url), breathe: () => undefined },
    });
    const urls = verdict.documents.map(({ url }) => url);
    expect(urls).toEqual([...new Set(urls)]);
    const { shrink = batch.complete ? undefined : this.record.shrink } = verdict;
    const { shrink: _, ...record } = this.record;
    this.record = { ...record, refused: verdict.refused ?? {}, ...(shrink && { shrink }) };
    this.store(verdict.documents);
    return verdict;
  }

  store(documents: readonly DocumentChange[]): void {
    for (const { url, components, amend, record } of documents) {
      const after = new Map(components ? [] : this.said.get(url));
      for (const uri of amend?.remove ?? []) after.delete(uri);
      for (const one of components ?? amend?.put ?? []) after.set(one.uri, one);
      if (record === null) this.records.delete(url);
      else this.records.set(url, record);
      if (record === null) this.said.delete(url);
      else this.said.set(url, after);
    }
  }
}
