import type { StateBlock } from '../catalog/remembered-states.js';
import type { Removal } from '../catalog/removal.js';
import type { StoredPin } from '../core/pins.js';
import type { Row } from '../keep/keep.js';
import { toBeStored } from '../keep/stored-row.js';
import type { Breather } from '../lib/pace.js';
import { sourceOfPart } from './row-keys.js';
import * as read from './rows.js';

/** What rows say of one source. Of a row that is deleted there is nothing but the key. */
export interface SourceContents {
  /** Null for a source of which nothing is left; absent where its row is as it was. */
  row?: read.SourceRow | null;
  readonly hashes: Map<string, read.HashRow | undefined>;
  readonly documents: Map<string, read.DocumentRow | undefined>;
}

/** What rows say: all that a start reads but the statements, or what one commit or several have changed. */
export interface RowContents {
  /** What there is one of. */
  readonly single: Partial<read.Single>;
  /** By the keys of the rows of sources. */
  readonly sources: ReadonlyMap<string, SourceContents>;
  readonly pins: ReadonlyMap<string, StoredPin | undefined>;
  readonly states: ReadonlyMap<number, StateBlock>;
  readonly removals: readonly Removal[];
  readonly statements: readonly read.StatementRow[];
  /** A statement was deleted and its removal is already forgotten: followers must load everything. */
  readonly isIncomplete: boolean;
}

/** Reads rows. Gives way to other work. @throws SyntaxError for a row that no registry has written */
export async function contentsOf(rows: readonly Row[], breathe: Breather): Promise<RowContents> {
  const single: Partial<read.Single> = {};
  const sources = new Map<string, SourceContents>();
  const pins = new Map<string, StoredPin | undefined>();
  const states = new Map<number, StateBlock>();
  const removals = new Map<string, Removal>();
  const statements: read.StatementRow[] = [];
  const gone: string[] = [];
  const reader = new read.StatementReader();
  const sourceAt = (key: string): SourceContents => {
    const known = sources.get(key) ?? { hashes: new Map(), documents: new Map() };
    sources.set(key, known);
    return known;
  };
  for (const row of rows) {
    const pause = breathe();
    if (pause) await pause;
    const { table, key } = row;
    const stored = toBeStored(row);
    if (table === 'statement') {
      if (stored) statements.push(reader.read(stored));
      else gone.push(key);
      continue;
    }
    const value = stored?.value;
    const parsed = value === undefined ? undefined : JSON.parse(value);
    if (table === 'meta') Object.assign(single, { [key]: parsed });
    else if (table === 'source') sourceAt(key).row = parsed ?? null;
    else if (table === 'hash') sourceAt(sourceOfPart(key)).hashes.set(key, parsed && read.readHash(parsed));
    else if (table === 'document') sourceAt(sourceOfPart(key)).documents.set(key, parsed);
    else if (table === 'pin') pins.set(key, parsed);
    else if (table === 'state') states.set(Number(key), parsed?.lines ?? []);
    else if (parsed) removals.set(key, parsed);
  }
  const isIncomplete = gone.some((key) => !removals.has(key));
  return { single, sources, pins, states, removals: [...removals.values()], statements, isIncomplete };
}
