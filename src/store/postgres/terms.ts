import type { ListField, Metadata } from '../../component/metadata.js';
import { shortened, textHash } from './order-key.js';

/** By what served components are found: the first character of a term. */
export const TERM_KINDS = {
  author: 'a',
  tag: 't',
  shapes: 's',
  label: 'l',
  description: 'd',
  version: 'v',
  latest: 'f',
} as const;
export type TermKind = keyof typeof TERM_KINDS;

/** Bytes of a value in a term: it stands beside a uri in an index, whose entries have 2,700 bytes at most. */
const LONGEST = 600;

/** The text under which a value is looked up; of a description, which is never counted or listed, only its hash. */
export function term(kind: TermKind, value: string): string {
  const text = kind === 'description' ? textHash(value) : shortened(value, LONGEST);
  return TERM_KINDS[kind] + text;
}

/** The value of a term; `undefined` when it was too long to be kept in it. */
export function termValue(text: string): string | undefined {
  const value = text.slice(1);
  return Buffer.byteLength(value) > LONGEST ? undefined : value;
}

const LISTS: readonly ListField[] = ['author', 'tag', 'shapes'];

/** All terms of a component, each once. */
export function termsOf(metadata: Metadata): Set<string> {
  const { label, description, version, latest } = metadata;
  const terms = new Set([term('label', label)]);
  if (description !== undefined) terms.add(term('description', description));
  if (version !== undefined) terms.add(term('version', version));
  if (latest !== undefined) terms.add(term('latest', String(latest)));
  for (const field of LISTS) for (const value of metadata[field]) terms.add(term(field, value));
  return terms;
}
