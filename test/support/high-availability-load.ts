import { setTimeout as later } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { cleanup } from './cleanup.js';

/** How long a client waits for an answer before it asks again, in ms. */
const PATIENCE = 5_000;
/** Between two requests of a client, in ms. */
const PAUSE = { writer: 20, reader: 50 } as const;
/** For how long nodes may show the state before a write, in ms. */
const NEWS = 2_000;

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Clients that write and read until they are stopped, each at an address of its own, so that the proxy spreads them. */
export class Load {
  /** What was acknowledged, in this order: each component is written once. */
  readonly acknowledged: { readonly uri: string; readonly at: number }[] = [];
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

  constructor(proxy: string, token: string, random: () => number) {
    this.#proxy = proxy;
    this.#token = token;
    this.#random = random;
    this.#tasks = this.#begun.flatMap((_, n) => [this.#write(n), this.#read(10 + n)]);
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

  /** Asks from an address; gives the status, or 0 when nothing is answered. */
  #client(n: number) {
    const agent = new Agent({ connect: { localAddress: `127.0.0.${100 + n}` } });
    cleanup(() => agent.destroy());
    return (url: string, asked: Asked = {}) => statusOf(url, { ...asked, dispatcher: agent });
  }

  async #going(pause: number, step: () => Promise<void>): Promise<void> {
    while (this.#isRunning) {
      await step();
      await later(pause);
    }
  }

  #write(n: number): Promise<void> {
    const ask = this.#client(n);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` };
    let i = 0;
    return this.#going(PAUSE.writer, async () => {
      const began = performance.now();
      const uri = `https://c.example/${n}-${i++}.js`;
      const body = JSON.stringify([{ uri, label: 'Written' }]);
      const status = await ask(`${this.#proxy}/component`, { method: 'POST', headers, body });
      if (status !== 201) return;
      const at = performance.now();
      this.longestGap = Math.max(this.longestGap, at - (this.acknowledged.at(-1)?.at ?? at));
      this.#begun[n] = began;
      this.acknowledged.push({ uri, at });
    });
  }

  #read(n: number): Promise<void> {
    const ask = this.#client(n);
    return this.#going(PAUSE.reader, async () => {
      const now = performance.now();
      const wanted = this.acknowledged[Math.floor(this.#random() * this.acknowledged.length)];
      if (!wanted || wanted.at > now - NEWS) return;
      const status = await ask(`${this.#proxy}/c/${wanted.uri}`);
      if (status === 404)
        this.missed.push(`${wanted.uri}, ${Math.round(now - wanted.at)} ms after it was stored`);
    });
  }
}

async function statusOf(url: string, asked: Asked & { dispatcher: Agent }): Promise<number> {
  try {
    const answer = await fetch(url, { ...asked, signal: AbortSignal.timeout(PATIENCE) });
    await answer.text();
    return answer.status;
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return 0;
    throw error;
  }
}
