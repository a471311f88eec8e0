import { expect } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { payloadHash, statementElement } from '../../src/component/statement-digest.js';
import { LtHash } from '../../src/lib/lt-hash.js';

/** A change as the feed tells it in JSON (docs/feed.md). */
export interface FeedChange {
  readonly position: number;
  readonly at: number;
  readonly type: 'Create' | 'Update' | 'Delete';
  readonly source: { readonly kind: string; readonly url: string };
  readonly graph: string;
  readonly rank?: number;
  readonly uri: string;
  readonly hash?: string;
  readonly component?: Partial<Metadata>;
}

export interface FeedSummary {
  readonly kind: string;
  readonly url: string;
  readonly rank: number;
  readonly count: number;
  readonly digest: string;
  readonly position: number;
}

export interface FeedPage {
  readonly cursor: string;
  readonly network: number;
  readonly digest?: string;
  readonly changes: readonly FeedChange[];
  readonly sources: readonly FeedSummary[];
  readonly next?: string;
}

/** Asks a node for JSON: a path, or the whole address of a page. */
export type AskJson = (address: string, headers?: Record<string, string>) => Promise<Response>;

/** A copy of a registry that knows nothing but what the feed tells. */
export class FeedCopy {
  readonly #ask: AskJson;
  readonly #statements = new Map<string, FeedChange>();
  #cursor: string | undefined;

  constructor(ask: AskJson) {
    this.#ask = ask;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Reads to the end. `between` is called after each page that is not the last. @returns the pages */
  async follow(limit: number, between: () => Promise<unknown> = async () => undefined): Promise<FeedPage[]> {
    const pages: FeedPage[] = [];
    const since = this.#cursor === undefined ? '' : `&since=${this.#cursor}`;
    let address: string | undefined = `/feed?limit=${limit}${since}`;
    while (address !== undefined) {
      const page: FeedPage = await this.#page(address);
      for (const change of page.changes) this.#apply(change);
      this.#cursor = page.cursor;
      pages.push(page);
      address = page.next;
      if (address !== undefined) await between();
    }
    return pages;
  }

  /** The digests of what the copy holds, by kind and URL of the source. */
  digests(): Map<string, string> {
    const hashes = new Map<string, LtHash>();
    for (const { source, graph, component } of this.#statements.values()) {
      const key = `${source.kind} ${source.url}`;
      const hash = hashes.get(key) ?? LtHash.empty();
      hash.add(statementElement(graph, metadataOf(component)));
      hashes.set(key, hash);
    }
    return new Map([...hashes].map(([key, hash]) => [key, hash.digest()]));
  }

  async #page(address: string): Promise<FeedPage> {
    const answer = await this.#ask(address);
    const page = (await answer.json()) as FeedPage;
    expect(answer.status, JSON.stringify(page)).toBe(200);
    expect(answer.headers.get('feed-cursor')).toBe(page.cursor);
    expect(answer.headers.get('link')).toBe(page.next === undefined ? null : `<${page.next}>; rel="next"`);
    return page;
  }

  #apply(change: FeedChange): void {
    const key = `${change.source.kind} ${change.source.url} ${change.graph} ${change.uri}`;
    if (change.type === 'Delete') this.#statements.delete(key);
    else this.#statements.set(key, change);
    if (change.component) expect(change.hash).toBe(payloadHash(metadataOf(change.component)));
  }
}

function metadataOf(component: Partial<Metadata> | undefined): Metadata {
  return { uri: '', label: '', author: [], tag: [], shapes: [], ...component };
}

/** The digests that a node tells. */
export async function digestsAt(ask: AskJson): Promise<Map<string, string>> {
  const { sources } = (await (await ask('/feed/sources')).json()) as { sources: FeedSummary[] };
  return new Map(sources.map(({ kind, url, digest }) => [`${kind} ${url}`, digest]));
}
