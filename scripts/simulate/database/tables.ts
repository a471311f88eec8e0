import { createHash } from 'node:crypto';
import { sourceKey } from '../../../src/component/source.js';
import type { SourceSummary } from '../../../src/core/source-digests.js';
import { type MemoryData, type MemorySource, NO_DATA } from '../../../src/store/memory/memory-data.js';
import { textHash } from '../../../src/store/postgres/order-key.js';
import { type Head, stateOf } from '../../../src/store/postgres/writing/head.js';

/** A row of `registry.lease`; times are ms since the Unix epoch. */
export interface LeaseRow {
  readonly node: string;
  readonly token?: string;
  readonly until: number;
}

/**
 * What a database holds. A change makes others; so a transaction that is rolled back leaves nothing, and a standby holds what
 * there was some commits ago.
 */
export interface Tables {
  readonly head: Head | undefined;
  /** Sources, documents and statements as the memory engine keeps them; `states` are the rows of `registry.state`. */
  readonly data: MemoryData;
  /** The number of the latest poll, and by source (`numberOf`) that of its latest one, and who has made it. */
  readonly polls: number;
  readonly polled: ReadonlyMap<number, { readonly number: number; readonly by: string }>;
  /** By `keyOf`. */
  readonly leases: ReadonlyMap<string, LeaseRow>;
  /** By source (`sourceKey`): when the poll began that was stored last, in virtual ms. */
  readonly read: ReadonlyMap<string, number>;
  /** Of commits, with the time at which each was made. */
  readonly tokens: ReadonlyMap<string, number>;
}

export const NO_TABLES: Tables = {
  ...{ head: undefined, data: NO_DATA, polls: 0 },
  ...{ polled: new Map(), leases: new Map(), read: new Map(), tokens: new Map() },
};

/** With the head as it is now, and what the data tells of it. */
export function withHead(tables: Tables, head: Head): Tables {
  const state = stateOf(head, summariesIn(tables));
  return {
    ...tables,
    head,
    data: { ...tables.data, state, at: head.changed_at, network: JSON.parse(head.network) },
  };
}

export function summariesIn({ data }: Tables): SourceSummary[] {
  return [...data.sources.values()].flatMap(({ summary }) => summary ?? []);
}

/** The key of a source in tables. */
export const keyOf = remembering((source: string) => textHash(source));

/** The number of a source in tables. */
export const numberOf = remembering((source: string) =>
  createHash('sha256').update(source).digest().readUIntBE(0, 6),
);

export function sourceWithKey({ data }: Tables, key: string): MemorySource | undefined {
  return [...data.sources.values()].find(({ source }) => keyOf(sourceKey(source)) === key);
}

function remembering<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    known.set(text, found);
    return found;
  };
}
