import { LIST_FIELDS, type ListField, type Metadata } from '../../../component/metadata.js';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { compareText } from '../../../lib/compare-text.js';
import { quadOf, valueIn } from '../database/quad-keys.js';

/** What the keys of a component's quads say. */
export interface KeysOfStatement {
  readonly uri: string;
  readonly keys: readonly string[];
  /** Where the predicate begins in each of them. */
  readonly predicateAt: number;
}

/**
 * What is said of a component; undefined where its quads do not describe one. It was checked before it was stored: so most
 * keys are read without making quads of them. Capabilities, and what this program does not write, go by the rules for documents.
 */
export function storedMetadata(statement: KeysOfStatement, vocabulary: Vocabulary): Metadata | undefined {
  return (
    plainMetadata(statement, vocabulary) ??
    componentsFromQuads(statement.keys.map(quadOf), vocabulary).components[0]
  );
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };
const NONE: string[] = [];
const BOOLEANS: ReadonlyMap<string | undefined, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Undefined where it is not that simple. */
function plainMetadata(
  { uri, keys, predicateAt }: KeysOfStatement,
  { fields, predicates }: Vocabulary,
): Metadata | undefined {
  const said: Partial<Writable<Metadata>> = {};
  const lists: Record<ListField, string[]> = { author: NONE, tag: NONE, shapes: NONE };
  for (const key of keys) {
    const { predicate, value } = valueIn(key, predicateAt);
    const field = fields.get(predicate);
    if (field === undefined) {
      if (predicate === predicates.capability) return undefined;
      continue;
    }
    if (value === undefined) return undefined;
    if (field === 'author' || field === 'tag' || field === 'shapes') {
      if (lists[field] === NONE) lists[field] = [value];
      else lists[field].push(value);
    } else if (said[field] !== undefined) return undefined;
    else if (field !== 'latest') said[field] = value;
    else if (BOOLEANS.has(value)) said.latest = BOOLEANS.get(value);
    else return undefined;
  }
  if (said.uri !== uri || said.label === undefined) return undefined;
  if (!LIST_FIELDS.every((field) => isInOrder(lists[field]))) return undefined;
  return Object.assign(said as Metadata, lists);
}

/** LevelDB orders by UTF-8: a few texts with rare characters are in another order there than in a list. */
function isInOrder(list: readonly string[]): boolean {
  return list.length < 2 || list.every((text, i) => i === 0 || compareText(list[i - 1] as string, text) < 0);
}
