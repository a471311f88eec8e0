import { createHash } from 'node:crypto';
import { indexedValues } from '../../component/canonical-shape.js';
import { criteriaOf } from '../../component/capability-query.js';
import type { ListField, Metadata } from '../../component/metadata.js';
import { shortened } from './order-key.js';

/** By what served components are found: the first character of a term. */
export const TERM_KINDS = {
  author: 'a',
  tag: 't',
  shapes: 's',
  label: 'l',
  version: 'v',
  description: 'd',
  latest: 'i',
  action: 'o',
  accept: 'm',
  invocation: 'k',
} as const;
export type TermKind = keyof typeof TERM_KINDS;

/** Bytes of a value in a term: it stands beside a uri in an index, whose entries have 2,700 bytes at most. */
const LONGEST = 600;

/** Kinds whose terms are counted (`registry.term_count`): those of which few values have many components. */
export const COUNTED_KINDS = `${TERM_KINDS.author}${TERM_KINDS.tag}${TERM_KINDS.shapes}${TERM_KINDS.version}`;

/** The text under which a value is looked up. */
export function term(kind: TermKind, value: string): string {
  return TERM_KINDS[kind] + shortened(value, LONGEST);
}

/** Descriptions are long, and nobody asks for them but by equality: their hash will do. */
export function descriptionTerm(description: string): string {
  return TERM_KINDS.description + createHash('md5').update(description).digest('hex');
}

/** The value of a term; `undefined` when it was too long to be kept in it. */
export function termValue(text: string): string | undefined {
  const value = text.slice(1);
  return Buffer.byteLength(value) > LONGEST ? undefined : value;
}

const LISTS: readonly ListField[] = ['author', 'tag', 'shapes'];

/** All terms of a component, each once. */
export function termsOf(metadata: Metadata): Set<string> {
  const { label, version, description, latest } = metadata;
  const terms = new Set([term('label', label)]);
  if (version !== undefined) terms.add(term('version', version));
  if (description !== undefined) terms.add(descriptionTerm(description));
  if (latest !== undefined) terms.add(term('latest', String(latest)));
  for (const field of LISTS)
    for (const value of indexedValues(metadata, field)) terms.add(term(field, value));
  for (const criteria of (metadata.capability ?? []).map(criteriaOf)) {
    terms.add(term('action', criteria.action));
    for (const accept of criteria.accept) terms.add(term('accept', accept));
    for (const kind of criteria.invocation) terms.add(term('invocation', kind));
  }
  return terms;
}
