import { setTimeout as later } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { cleanup } from './cleanup.js';
import { FeedPositions } from './feed-positions.js';

/** How long a client waits for an answer before it asks again, in ms. */
const PATIENCE = 5_000;
/** Between two requests of a client, in ms. */
const PAUSE = { writer: 20, reader: 50, follower: 100 } as const;
/** For how long nodes may show the state before a write, in ms. */
const NEWS = 2_000;

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Clients that write, read and follow the feed until they are stopped, each at an address of its own, so that the proxy spreads them. */
export class Load {
  /** What was acknowledged, in this order: each component is written once. */
  readonly acknowledged: { readonly uri: string; readonly at: number }[] = [];
  /** One stays with the proxy; the other asks each node in turn with one cursor. */
  readonly followers: readonly FeedPositions[];
  /** How often each status was answered to whom; 0 for no answer at all. */
  readonly answers = {
    write: new Map<number, number>(),
    read: new Map<number, number>(),
    feed: new Map<number, number>(),
  };
  /** Acknowledged components that a reader did not get, in sentences. */
  readonly missed: string[] = [];
  /** Longest time without an acknowledged write since it was set to 0, in ms. */
  longestGap = 0;
  /** By writer: when the latest write was begun that was acknowledged. */
  readonly #begun: number[] = [0, 0, 0];
  readonly #proxy: string;
  readonly #token: string;
  readonly #random: () => number;
  readonly #tasks: readonly Promise<void>[];
  #isRunning = true;

  constructor(
    urls: { readonly proxy: string; readonly nodes: readonly string[] },
    token: string,
    random: () => number,
  ) {
    this.#proxy = urls.proxy;
    this.#token = token;
    this.#random = random;
    const feeds = [[urls.proxy], urls.nodes];
    const ask = feeds.map((_, n) => this.#client(20 + n, this.answers.feed));
    this.followers = feeds.map((feed, n) => new FeedPositions(feed, (url) => ask[n]?.(url) ?? fail()));
    this.#tasks = [
      ...this.#begun.flatMap((_, n) => [this.#write(n), this.#read(10 + n)]),
      ...this.followers.map((follower) => this.#going(PAUSE.follower, () => follower.poll())),
    ];
    cleanup(() => this.stop());
  }

  /** Has each writer been acknowledged something that it began after that time? */
  isWrittenSince(time: number): boolean {
    return this.#begun.every((begun) => begun > time);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#tasks);
  }

  /** Asks from an address; gives the status and the text, or 0 when nothing is answered. */
  #client(n: number, answers: Map<number, number>) {
    const agent = new Agent({ connect: { localAddress: `127.0.0.${100 + n}` } });
    cleanup(() => agent.destroy());
    return async (url: string, asked: Asked = {}): Promise<{ status: number; text: string }> => {
      const heard = await answerOf(url, { ...asked, dispatcher: agent });
      answers.set(heard.status, (answers.get(heard.status) ?? 0) + 1);
      return heard;
    };
  }

  async #going(pause: number, step: () => Promise<void>): Promise<void> {
    while (this.#isRunning) {
      await step();
      await later(pause);
    }
  }

  #write(n: number): Promise<void> {
    const ask = this.#client(n, this.answers.write);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` };
    let i = 0;
    return this.#going(PAUSE.writer, async () => {
      const began = performance.now();
      const uri = `https://c.example/${n}-${i++}.js`;
      const body = JSON.stringify([{ uri, label: 'Written' }]);
      const { status } = await ask(`${this.#proxy}/component`, { method: 'POST', headers, body });
      if (status !== 201) return;
      const at = performance.now();
      this.longestGap = Math.max(this.longestGap, at - (this.acknowledged.at(-1)?.at ?? at));
      this.#begun[n] = began;
      this.acknowledged.push({ uri, at });
    });
  }

  #read(n: number): Promise<void> {
    const ask = this.#client(n, this.answers.read);
    return this.#going(PAUSE.reader, async () => {
      const now = performance.now();
      const wanted = this.acknowledged[Math.floor(this.#random() * this.acknowledged.length)];
      if (!wanted || wanted.at > now - NEWS) return;
      const { status } = await ask(`${this.#proxy}/c/${wanted.uri}`);
      if (status === 404)
        this.missed.push(`${wanted.uri}, ${Math.round(now - wanted.at)} ms after it was stored`);
    });
  }
}

async function answerOf(
  url: string,
  asked: Asked & { dispatcher: Agent },
): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(url, { ...asked, signal: AbortSignal.timeout(PATIENCE) });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException)
      return { status: 0, text: String(error) };
    throw error;
  }
}

function fail(): never {
  throw new Error('a follower without a client');
}
