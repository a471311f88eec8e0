/** More different texts than this, and sharing starts anew: it saves memory, and must not cost any. */
const LIMIT = 10_000;

/** Finds one copy for equal texts: thousands of components have the same version. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  share(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const shared = this.#texts.get(text);
    if (shared !== undefined) return shared;
    if (this.#texts.size >= LIMIT) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
