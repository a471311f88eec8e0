import type { Random } from '../../src/lib/clock.js';
import { postJson } from './node/post-json.js';

/** What a component was made to say; `undefined` when it was removed or never written. */
export type Said = string | undefined;

/**
 * Keeps book of writes, to say after a crash what must be there: what was acknowledged last, or what was
 * attempted since and never answered.
 */
export class Ledger {
  readonly #acknowledged = new Map<string, Said>();
  readonly #attempts = new Map<string, Said[]>();
  /** Requests that were acknowledged and did more than remove something. */
  written = 0;

  /** Does a write, and remembers how far it came. Rejects as the write does. */
  async record<T>(uris: readonly string[], said: Said, write: () => Promise<T>): Promise<T> {
    for (const uri of uris) this.#attempts.set(uri, [...(this.#attempts.get(uri) ?? []), said]);
    const answer = await write();
    this.#settle(uris, said);
    if (said !== undefined) this.written += 1;
    return answer;
  }

  /** What is wrong with a state, in sentences. What it shows counts as settled from then on. */
  faultsOf(shown: ReadonlyMap<string, Said>): string[] {
    const faults = [...this.#attempts.keys()].flatMap((uri) => {
      const possible = [this.#acknowledged.get(uri), ...(this.#attempts.get(uri) ?? [])];
      const there = shown.get(uri);
      return possible.includes(there)
        ? []
        : [`${uri} says ${there}, but should be one of ${possible.join(', ')}`];
    });
    for (const uri of this.#attempts.keys()) this.#settle([uri], shown.get(uri));
    return faults;
  }

  #settle(uris: readonly string[], said: Said): void {
    for (const uri of uris) {
      this.#acknowledged.set(uri, said);
      this.#attempts.set(uri, []);
    }
  }
}

/** Components that are always written together, in one request. */
export const BATCH = Array.from({ length: 10 }, (_, i) => `https://written.example/batch/${i}.js`);

let version = 0;

/** Writes, changes and removes single components, one after the other, until the node is gone. */
export function writeSingly(url: string, ledger: Ledger, random: Random, name: string): Promise<void> {
  return untilCut(async () => {
    const uri = `https://written.example/${name}/${Math.floor(random() * 12)}.js`;
    if (random() >= 0.3) return post(url, ledger, [uri]);
    await ledger.record([uri], undefined, async () => {
      const { status } = await fetch(`${url}/c/${uri}`, { method: 'DELETE' });
      if (status !== 204 && status !== 404) throw new Error(`DELETE answered ${status}`);
    });
  });
}

/** Writes the batch again and again. */
export function writeTogether(url: string, ledger: Ledger): Promise<void> {
  return untilCut(() => post(url, ledger, BATCH));
}

async function post(url: string, ledger: Ledger, uris: readonly string[]): Promise<void> {
  const said = `1.0.${++version}`;
  const components = uris.map((uri) => ({ uri, label: 'Written', version: said, tag: ['written'] }));
  await ledger.record(uris, said, async () => {
    const answer = await fetch(`${url}/component`, postJson(components));
    if (!answer.ok) throw new Error(`POST answered ${answer.status}: ${await answer.text()}`);
    // The status is the promise; the body is read only so that its connection can be used again.
    await answer.text().catch(() => undefined);
  });
}

/** Acts again and again until a connection is cut; every other error is one. */
export async function untilCut(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await act();
    } catch (error) {
      if (isCut(error)) return;
      throw error;
    }
  }
}

/** How `fetch` says that the other side is gone: before its answer or in the middle of it. */
export function isCut(error: unknown): boolean {
  return error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message);
}
