import { sizeOf } from '../../component/component-size.js';
import type { Source } from '../../component/source.js';
import type { Amendment } from '../../core/document-change.js';
import type { Breather, Pace } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { Amount } from '../sync-source.js';
import { NOTHING, type Replaced, sum } from './document-amount.js';

export interface LookupParts {
  readonly source: Source;
  /** What is stored is looked up there. */
  readonly catalog: Pick<Catalog, 'statements' | 'changes'>;
  readonly pace: Pace;
}

/** Looks up what a source's documents say now, where a part of them is to be changed. */
export class Lookups {
  readonly #parts: LookupParts;
  /** One result of a poll is asked about several times. */
  readonly #known = new WeakMap<Amendment, Amount>();

  constructor(parts: LookupParts) {
    this.#parts = parts;
  }

  /** What amended documents say now of the components that are amended. Gives way to other work. */
  async replaced(changes: readonly DocumentChange[]): Promise<Replaced> {
    const breathe = this.#parts.pace();
    const replaced = new Map<string, Amount>();
    for (const { url, amend } of changes) {
      if (amend) replaced.set(url, await this.#amount(url, amend, breathe));
    }
    return replaced;
  }

  async #amount(document: string, amend: Amendment, breathe: Breather): Promise<Amount> {
    const known = this.#known.get(amend);
    if (known) return known;
    const { put = [], remove = [] } = amend;
    let amount = NOTHING;
    for (const uri of new Set([...put.map((one) => one.uri), ...remove])) {
      amount = sum(amount, await this.#stored(document, uri));
      await breathe();
    }
    this.#known.set(amend, amount);
    return amount;
  }

  async #stored(document: string, uri: string): Promise<Amount> {
    const { catalog, source } = this.#parts;
    const statements = await catalog.statements(uri);
    const stored = statements.find(
      (one) => one.document === document && one.source.kind === source.kind && one.source.url === source.url,
    );
    return stored ? { components: 1, bytes: sizeOf(stored.metadata) } : NOTHING;
  }
}
