import { LOCAL } from '../../component/precedence.js';
import { sameBaseUrl } from '../../config/url.js';
import type { Registry } from '../../registry/registry.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { Decisions } from './admission.js';

export type Decision = 'approve' | 'reject';

/** Addresses about which something has been decided, at most. */
const MOST = 10_000;

/** What is remembered with the record of the node's own graph. */
interface OwnMemo {
  readonly decisions?: Readonly<Record<string, Decision>>;
}

/** What has been decided until now, as it is stored with the node's own graph. */
export function decisionsIn(own: StoredSource | undefined): Decisions {
  const { decisions = {} } = (own?.record.memo ?? {}) as OwnMemo;
  return new Map(Object.entries(decisions));
}

/** What the operator has decided of addresses that peers tell of; remembered in the registry. */
export class OperatorDecisions {
  readonly #registry: Pick<Registry, 'commit' | 'source'>;
  #current: Decisions = new Map();

  constructor(registry: Pick<Registry, 'commit' | 'source'>) {
    this.#registry = registry;
  }

  /** By `sameBaseUrl`. Replaced by each decision. */
  get current(): Decisions {
    return this.#current;
  }

  async load(): Promise<void> {
    this.#current = decisionsIn(await this.#registry.source(LOCAL));
  }

  /** Remembers a decision, or takes it back. @throws RangeError when there are too many already */
  async decide(url: string, decision: Decision | undefined): Promise<void> {
    const decisions = new Map(this.#current);
    const key = sameBaseUrl(url);
    decisions.delete(key);
    if (decision) decisions.set(key, decision);
    if (decisions.size > MOST) throw new RangeError(`No more than ${MOST} decisions are remembered`);
    const memo: OwnMemo = { decisions: Object.fromEntries(decisions) };
    await this.#registry.commit({
      source: LOCAL,
      documents: [],
      record: (record) => ({ ...record, memo: { ...record.memo, ...memo } }),
    });
    this.#current = decisions;
  }
}
