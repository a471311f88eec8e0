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
