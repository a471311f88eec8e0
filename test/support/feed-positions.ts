interface FeedPage {
  readonly cursor: string;
  readonly next?: string;
  readonly changes: readonly { readonly position: number; readonly uri: string }[];
}

/** Follows a feed of components that are posted once, and keeps their positions. */
export class FeedPositions {
  readonly positions = new Map<string, number>();
  /** What a feed must not do, in sentences. */
  readonly faults: string[] = [];
  readonly #urls: readonly string[];
  readonly #ask: (url: string) => Promise<{ status: number; text: string }>;
  #path = '/feed';
  #turn = 0;
  #last = 0;

  /** `urls`: of nodes that are one registry; the cursor of one is given to the next. */
  constructor(urls: readonly string[], ask: (url: string) => Promise<{ status: number; text: string }>) {
    this.#urls = urls;
    this.#ask = ask;
  }

  /** Asks for one page. */
  async poll(): Promise<void> {
    const url = `${this.#urls[this.#turn++ % this.#urls.length]}${this.#path}`;
    const { status, text } = await this.#ask(url);
    // The cursor of a registry that has lost nothing stays good.
    if (status >= 400 && status < 500) this.faults.push(`${url} was answered ${status}: ${text}`);
    if (status !== 200) return;
    const { changes, cursor, next } = JSON.parse(text) as FeedPage;
    for (const { position, uri } of changes) {
      const before = this.positions.get(uri);
      if (before !== undefined) this.faults.push(`${uri} is at ${position}, and was at ${before}`);
      if (position <= this.#last) this.faults.push(`position ${position} comes after ${this.#last}`);
      this.#last = position;
      this.positions.set(uri, position);
    }
    const { pathname, search } = new URL(next ?? `/feed?since=${cursor}`, url);
    this.#path = pathname + search;
  }
}
