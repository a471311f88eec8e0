import type { Removal } from '../catalog/documents.js';
import type { StateBlock } from '../catalog/remembered-states.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import type { Row } from '../keep/keep.js';
import { toBeStored } from '../keep/stored-row.js';
import type { Breather } from '../lib/pace.js';
import {
  type DocumentRow,
  type HashRow,
  type Meta,
  readHash,
  type Serving,
  type SourceRow,
  StatementReader,
  type StatementRow,
} from './rows.js';

/** Rows by their keys; undefined for one that is deleted. */
export type Keyed<T> = ReadonlyMap<string, T | undefined>;

/** What rows say: all that a start reads but the statements, or what one commit or several have changed. */
export interface Contents {
  readonly meta?: Meta;
  readonly serving?: Serving;
  readonly network?: NetworkLists;
  readonly sources: Keyed<SourceRow>;
  readonly hashes: Keyed<HashRow>;
  readonly documents: Keyed<DocumentRow>;
  readonly pins: Keyed<StoredPin>;
  readonly states: ReadonlyMap<number, StateBlock>;
  readonly removals: readonly Removal[];
  /** With the seals of their rows, as 32 bits with a sign. */
  readonly statements: readonly (StatementRow & { readonly seal: number })[];
  /** Keys of statements of which there is no row any more, neither that they are said nor that they were removed. */
  readonly gone: readonly string[];
}

/** The rows of the table of what there is one of. */
const META: Readonly<Record<string, 'meta' | 'serving' | 'network'>> = {
  registry: 'meta',
  serving: 'serving',
  network: 'network',
};

/** Reads rows. Gives way to other work. @throws SyntaxError for a row that no registry has written */
export async function contentsOf(rows: readonly Row[], breathe: Breather): Promise<Contents> {
  const meta: { meta?: Meta; serving?: Serving; network?: NetworkLists } = {};
  const sources = new Map<string, SourceRow | undefined>();
  const hashes = new Map<string, HashRow | undefined>();
  const documents = new Map<string, DocumentRow | undefined>();
  const pins = new Map<string, StoredPin | undefined>();
  const states = new Map<number, StateBlock>();
  const removals: Removal[] = [];
  const statements: Contents['statements'][number][] = [];
  const [named, gone] = [new Set<string>(), new Set<string>()];
  const reader = new StatementReader();
  for (const row of rows) {
    const pause = breathe();
    if (pause) await pause;
    const { table, key } = row;
    const stored = toBeStored(row);
    if (table === 'statement' && stored) {
      named.add(key);
      statements.push({ ...reader.read(stored.bytes), seal: stored.seal | 0 });
      continue;
    }
    const value = stored?.value;
    const read = <T>() => (value === undefined ? undefined : (JSON.parse(value) as T));
    if (table === 'meta') Object.assign(meta, META[key] ? { [META[key]]: read() } : {});
    else if (table === 'source') sources.set(key, read());
    else if (table === 'hash') hashes.set(key, value === undefined ? undefined : readHash(value));
    else if (table === 'document') documents.set(key, read());
    else if (table === 'pin') pins.set(key, read());
    else if (table === 'state') states.set(Number(key), read<{ lines: StateBlock }>()?.lines ?? []);
    else if (value === undefined) gone.add(key);
    else {
      named.add(key);
      removals.push(JSON.parse(value));
    }
  }
  const left = [...gone].filter((key) => !named.has(key));
  return { ...meta, sources, hashes, documents, pins, states, removals, statements, gone: left };
}
