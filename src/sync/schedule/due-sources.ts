/** Finds what is due among sources that are mostly not: until the earliest time of all of them, it does not look. */
export class DueSources<T extends { readonly nextAttempt: number }> {
  #notBefore = 0;

  /** Those whose time has come, the longest overdue first. */
  among(planned: Iterable<T>, now: number): T[] {
    if (now < this.#notBefore) return [];
    this.#notBefore = Number.POSITIVE_INFINITY;
    const all = [...planned];
    for (const { nextAttempt } of all) this.#notBefore = Math.min(this.#notBefore, nextAttempt);
    return all
      .filter(({ nextAttempt }) => nextAttempt <= now)
      .sort((one, other) => one.nextAttempt - other.nextAttempt);
  }

  /** To be told when a source has come, or has got another time. */
  planned(): void {
    this.#notBefore = 0;
  }
}
